import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOneScale, pointsOf } from '@assay/core/arena/forecast/points';
import fc from 'fast-check';

test('points: by example', () => {
  for (const [forecast, print, points] of [
    [1000n, 1000n, 100],
    // 1 % off costs 4 points, in either direction.
    [1010n, 1000n, 96],
    [990n, 1000n, 96],
    [1250n, 1000n, 0],
    [1249n, 1000n, 0],
    // 0.4 points are none, and 0.5 are one.
    [12_488n, 10_000n, 0],
    [12_487n, 10_000n, 1],
    [100_125n, 100_000n, 100],
    [100_126n, 100_000n, 99],
    // The size of a negative print counts.
    [-1000n, -1000n, 100],
    [-1010n, -1000n, 96],
    [1000n, -1000n, 0],
    // A print of zero has no percentages.
    [0n, 0n, 100],
    [1n, 0n, 0],
    [-1n, 0n, 0],
    [0n, 1n, 0],
    [10n ** 15n, 1n, 0],
  ] as const) {
    assert.equal(pointsOf(forecast, print, 25), points, `${forecast} of ${print}`);
  }
  assert.equal(pointsOf(1010n, 1000n, 1), 0);
  assert.equal(pointsOf(1010n, 1000n, 100), 99);
});

test('points: from 0 to 100, the same on either side of zero, and fewer the further off', () => {
  const value = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
  fc.assert(
    fc.property(value, value, fc.integer({ min: 1, max: 1000 }), (f, p, zeroAt) => {
      const points = pointsOf(f, p, zeroAt);
      assert.ok(Number.isInteger(points) && points >= 0 && points <= 100);
      assert.equal(pointsOf(-f, -p, zeroAt), points);
      const further = f + (f < p ? -1n : 1n);
      assert.ok(pointsOf(further, p, zeroAt) <= points);
    }),
  );
});

test('points: values of two scales are compared in the finer one', () => {
  assert.deepEqual(inOneScale(12n, 0, 1234n, 2), [1200n, 1234n]);
  assert.deepEqual(inOneScale(-1234n, 2, 12n, 0), [-1234n, 1200n]);
  assert.deepEqual(inOneScale(5n, 1, 7n, 1), [5n, 7n]);
});
