import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRID_SECONDS, tickTime, utcGrid } from '@assay/core/terminal/calendar/grid';
import { parseTime } from '@assay/core/time/time';

test('grid: the quarters of every hour, counted from 1970', () => {
  assert.equal(utcGrid.indexOf(0), 0);
  const first = utcGrid.indexOf(parseTime('2026-03-01T00:00:00Z')) as number;
  assert.equal(first, 1_969_248);
  ['00:00', '00:15', '00:30', '00:45', '01:00'].forEach((clock, i) => {
    const ts = parseTime(`2026-03-01T${clock}:00Z`);
    assert.equal(utcGrid.indexOf(ts), first + i);
    assert.equal(utcGrid.timeOf(first + i), ts);
  });
});

test('grid: no time between quarters, before 1970 or of no number has a count', () => {
  for (const ts of [1, GRID_SECONDS - 1, GRID_SECONDS + 1, 0.5, -GRID_SECONDS, Number.NaN]) {
    assert.equal(utcGrid.indexOf(ts), undefined, String(ts));
  }
});

test('grid: no tick is of the last year, in which receipts could have no time', () => {
  const last = '9998-12-31T23:45:00Z';
  assert.equal(tickTime(last, 'ts'), last);
  for (const late of ['9999-01-01T00:00:00Z', '9999-12-29T00:00:00Z', 'never', 7]) {
    assert.throws(() => tickTime(late, 'ts'), { code: 'malformed' });
  }
});
