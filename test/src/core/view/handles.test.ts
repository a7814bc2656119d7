import assert from 'node:assert/strict';
import { test } from 'node:test';
import { houseHandles } from '@assay/core/arena/forecast/house';
import { handleRow, handleRows } from '@assay/core/view/handles';
import { ArenaLog, keyForecaster, secretForecaster } from '../arena/arena-log.ts';
import { sha256 } from '../fixture/fixture.ts';

const ADA = secretForecaster('ada');
const KAY = keyForecaster('b1');

function world(): ArenaLog {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  return log;
}

test('handles: points against those of the reference, and streaks', () => {
  const log = world();
  // The reference has 64, 100, 0 and 100 points.
  log.play('2026-08-02', '1100', [[ADA, 1100n]]);
  log.play('2026-08-03', '1100', [[ADA, 1045n]]);
  log.play('2026-08-04', '2000', [[ADA, 1100n]]);
  log.play('2026-08-05', '2000', [[ADA, 1900n]]);
  const row = handleRow(log.views, ADA.handle);
  assert.ok(row !== undefined);
  assert.equal(row.graded, 4);
  assert.equal(row.total_points, 100 + 80 + 0 + 80);
  assert.equal(row.excess, 100 + 80 + 0 + 80 - (64 + 100 + 0 + 100));
  assert.deepEqual([row.streak, row.best_streak], [1, 2]);
  assert.equal(row.house, false);
  const [last] = houseHandles(sha256);
  const house = handleRow(log.views, last ?? '');
  assert.deepEqual([house?.house, house?.excess, house?.graded], [true, 0, 4]);
});

test('handles: a round that a handle leaves out ends no streak', () => {
  const log = world();
  log.play('2026-08-02', '1000', [[ADA, 1000n]]);
  log.play('2026-08-03', '1000', []);
  log.play('2026-08-04', '1000', [[ADA, 1000n]]);
  assert.equal(handleRow(log.views, ADA.handle)?.streak, 2);
});

test('handles: the key and the counter of one that brings a key', () => {
  const log = world();
  const [round] = log.open('2026-08-03T02:00:00Z');
  const id = round?.id ?? '';
  log.take(id, KAY, 1n, '2026-08-03T02:00:01Z');
  const since = log.entries.length - 1;
  log.take(id, KAY, 2n, '2026-08-03T02:00:02Z');
  log.take(id, ADA, 2n, '2026-08-03T02:00:02Z');
  const kay = handleRow(log.views, KAY.handle);
  assert.deepEqual([kay?.key, kay?.counter, kay?.since], [KAY.hand?.key, 2, since]);
  const ada = handleRow(log.views, ADA.handle);
  assert.deepEqual([ada?.key, ada?.counter, ada?.graded], [null, 0, 0]);
  // A forecast that has no effect on its round has none on its handle.
  log.take(id, KAY, 3n, '2026-08-03T02:00:03Z', { change: { ordinal: 9, counter: 90 } });
  assert.equal(handleRow(log.views, KAY.handle)?.counter, 2);
});

test('handles: nothing comes from grades that have no effect', () => {
  const log = world();
  const id = log.play('2026-08-02', '1000', [[ADA, 1000n]]);
  const before = JSON.stringify([...handleRows(log.views)]);
  log.grade(id, '2026-08-03T09:00:00Z');
  assert.equal(JSON.stringify([...handleRows(log.views)]), before);
});
