import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { XNYS_CLOSED, XNYS_HALF } from '@assay/core/terminal/calendar/xnys-calendar';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { ROOT } from '../fixture/fixture.ts';
import { GRID_CASES } from './grid-cases.ts';

test('vectors of the grid: each time has its count', () => {
  for (const { class: of, at, count } of GRID_CASES) {
    const grid = of === 'crypto' ? utcGrid : xnysGrid;
    assert.equal(grid.indexOf(parseTime(at as TimeText)) ?? null, count, `${of} ${at}`);
  }
});

test('page of ticks: its days without a session and its half days are those of the code', () => {
  const page = readFileSync(join(ROOT, 'docs/spec/tick.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (20\d\d) \| ([0-9 -]+) \| ([0-9 -]+) \|$/gm)];
  const days = (column: number): Readonly<Record<string, string>> =>
    Object.fromEntries(rows.map((row) => [row[1] ?? '', row[column] ?? '']));
  assert.deepEqual([days(2), days(3)], [XNYS_CLOSED, XNYS_HALF]);
});
