import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScaledSeries } from '@assay/core/rule/interpret';
import { revisionRows } from '@assay/core/round/vintage';
import { parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import { MemoryViews } from '@assay/core/view/state';
import { layoffsRule, vectors } from '../fixture/fixture.ts';
import type { RevisionCase } from './revision-cases.ts';

/** The rows of a log of which only this much is given. */
function viewsOf(shown: RevisionCase['shown']): MemoryViews {
  const views = new MemoryViews();
  views.write(
    Object.entries(shown).map(([key, { status, ...figures }]) => ({
      table: 'periods/LAYOFFS',
      key,
      value: { ...figures, status: status === 'history' ? null : status },
    })),
  );
  return views;
}

test('revision vectors: the rows of each', () => {
  const cases = vectors<readonly RevisionCase[]>('revision/rows');
  assert.ok(cases.length >= 20);
  for (const { name, kind, release, read_at, most, shown, series, rows } of cases) {
    const given: ScaledSeries = new Map(
      Object.entries(series).map(([date, value]) => [
        parseDate(date),
        value === null ? null : BigInt(value),
      ]),
    );
    const rule = {
      ...layoffsRule(),
      period: kind,
      release: { ...layoffsRule().release, ...release },
    };
    const found = revisionRows(
      given,
      rule as ReturnType<typeof layoffsRule>,
      viewsOf(shown),
      parseTime(read_at as TimeText),
      most,
    );
    assert.deepEqual(found, rows, name);
  }
});
