import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { draw } from '@assay/node/dev/site/draw';

test('draw: the same for the same seed, always', () => {
  // Written down once: a demo that is started again must not change its past.
  assert.deepEqual(
    ['a', 'b', 'level/2026-08-01'].map((words) => draw(words, 1000)),
    [599, 227, 998],
  );
});

test('draw: every side comes, and no other', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 4_000_000_000 }), (words, sides) => {
      const drawn = draw(words, sides);
      assert.ok(Number.isInteger(drawn) && drawn >= 0 && drawn < sides);
    }),
  );
  const seen = new Set(Array.from({ length: 200 }, (_, i) => draw(`${i}`, 6)));
  assert.equal(seen.size, 6);
});
