import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excessesOf, measurePart } from '@assay/core/terminal/edge/edge-part';
import { edgeNumbers } from '@assay/node/terminal/answer/edge-numbers';
import { momentOf } from '../../../core/terminal/edge/edge-fixture.ts';

const WEEK = 604_800;
const SYMBOLS = ['ADA', 'BTC', 'ETH', 'LTC', 'SOL', 'XRP'];

/** A moment in each of so many weeks, each of another asset; the last asset is gone. */
function partOf(n: number): ReturnType<typeof measurePart>['part'] {
  const moments = SYMBOLS.slice(0, n).map((symbol, i) =>
    momentOf(symbol, 3000 * WEEK + i * WEEK, 100 * (i + 1), i === n - 1 ? { gone: true } : {}),
  );
  return measurePart(excessesOf(moments)).part;
}

test('edge numbers: points with two decimals and t with three, with both bounds', () => {
  const part = partOf(6);
  const numbers = edgeNumbers(part, 'part');
  assert.deepEqual([numbers.n, numbers.n_weeks, numbers.n_assets], [6, 6, 6]);
  // (100 + ... + 600) / 6 basis points; with -10000 in place of 600 it is -1416.67.
  assert.deepEqual([numbers.edge_7d_low_pts, numbers.edge_7d_high_pts], [-14.17, 3.5]);
  const { low, high } = part;
  assert.ok(low.ci !== null && low.t !== null && high.ci !== null && high.t !== null);
  assert.deepEqual(numbers.edge_7d_ci, [
    Math.min(low.ci[0], high.ci[0]) / 100,
    Math.max(low.ci[1], high.ci[1]) / 100,
  ]);
  assert.deepEqual([numbers.edge_7d_low_t, numbers.edge_7d_high_t], [low.t / 1000, high.t / 1000]);
  assert.deepEqual([numbers.t_needed, edgeNumbers(part, 'family/2').t_needed], [2.016, 9.386]);
});

test('edge numbers: too few weeks or assets have a mean and nothing else', () => {
  const few = edgeNumbers(partOf(4), 'part');
  assert.deepEqual([few.edge_7d_low_pts, few.edge_7d_high_pts], [-23.5, 2.5]);
  assert.deepEqual(
    [few.edge_7d_ci, few.edge_7d_low_t, few.edge_7d_high_t, few.t_needed],
    [null, null, null, null],
  );
  const none = edgeNumbers(partOf(0), 'part');
  assert.deepEqual([none.edge_7d_low_pts, none.edge_7d_high_pts], [null, null]);
});
