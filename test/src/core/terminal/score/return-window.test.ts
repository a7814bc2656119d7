import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReturnWindow } from '@assay/core/terminal/score/return-window';
import { shortRule } from '../score-rule-fixture.ts';

/** Samples at every second index, of 8 indexes, three at least; a floor of 10 ppm. */
const RULE = shortRule({
  returns: { long: 8, short: 2, tolerance: 1, sample: 2, window: 8, min_samples: 3 },
});

function taken(told: readonly (readonly [number, number | undefined])[]): readonly unknown[] {
  const window = new ReturnWindow(RULE, 10);
  return told.map(([index, value]) => window.take(index, value));
}

test('return window: deviations from the samples before, none with too few, none of nothing', () => {
  assert.deepEqual(
    taken([
      [0, 100],
      [1, 999],
      [2, 300],
      [4, 200],
      [5, 200],
      [6, undefined],
      [7, 400],
    ]),
    // Samples 100, 300, 200: median 200, deviation 100, scale 148.
    [null, null, null, null, 0, null, 1351],
  );
});

test('return window: samples leave it, one by one or all in a gap', () => {
  const full = [0, 2, 4, 6].map((index) => [index, 100 + index] as const);
  // At 8 all four count, at 9 those from 1 on; at 12 those from 4 on are two.
  assert.deepEqual(taken([...full, [8, 103]]).at(-1), 0);
  assert.deepEqual(taken([...full, [9, 104]]).at(-1), 0);
  assert.deepEqual(taken([...full, [11, 104]]).at(-1), null);
  assert.deepEqual(taken([...full, [1000, 104]]).at(-1), null);
  const holes = [8, 10].map((index) => [index, undefined] as const);
  assert.deepEqual(taken([...full, ...holes, [30, 104]]).at(-1), null);
  const again = [1000, 1002, 1004].map((index) => [index, 500] as const);
  assert.deepEqual(taken([...full, ...again, [1005, 520]]).at(-1), 2000, 'by the floor');
});
