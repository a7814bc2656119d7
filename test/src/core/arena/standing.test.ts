import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standingOf, standings } from '@assay/core/arena/standing';
import { handleRow } from '@assay/core/view/handles';
import { ARENA, ArenaLog, keyForecaster, secretForecaster } from './arena-log.ts';

test('standing: by skill, the ranked first, and how each handle is secured', () => {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  const [ada, bob, kay] = [secretForecaster('ada'), secretForecaster('bob'), keyForecaster('b1')];
  log.play('2026-08-02', '1100', [[ada, 1100n]]);
  log.play('2026-08-03', '1200', [
    [ada, 1200n],
    [kay, 1200n],
  ]);
  log.play('2026-08-04', '1300', [
    [ada, 1300n],
    [kay, 1300n],
  ]);
  log.open('2026-08-06T02:00:00Z');
  log.take('layoffs-2026-08-05', bob, 1n, '2026-08-06T02:00:01Z');
  const rows = standings(log.views, ARENA);
  // Bob has no graded forecast. Kay has two and is not ranked, though better than both of the house.
  assert.deepEqual(
    rows.map(({ secured_by, ranked, graded }) => [secured_by, ranked, graded]),
    [
      ['secret', true, 3],
      ['house', true, 3],
      ['house', true, 3],
      ['key', false, 2],
    ],
  );
  const [first] = rows;
  // The reference has 64, 67 and 69 points.
  const skill = ((300 - 64 - 67 - 69) / 13).toFixed(4);
  assert.deepEqual(first, {
    handle: ada.handle,
    graded: 3,
    total_points: 300,
    mean_points: '100.00',
    streak: 3,
    best_streak: 3,
    ranked: true,
    skill,
    secured_by: 'secret',
  });
  const row = handleRow(log.views, bob.handle);
  assert.ok(row !== undefined);
  assert.equal(standingOf(ARENA, row).mean_points, '0.00');
});
