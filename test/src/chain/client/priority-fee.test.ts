import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { priorityFee } from '@assay/chain/client/priority-fee';

const LIMITS = { floor: 10n, cap: 1000n, percentile: 75 };

test('priority fee: the percentile of what was paid, by nearest rank', () => {
  const recent = [400n, 100n, 300n, 200n];
  assert.equal(priorityFee(recent, LIMITS, 1), 300n);
  assert.equal(priorityFee(recent, { ...LIMITS, percentile: 50 }, 1), 200n);
  assert.equal(priorityFee(recent, { ...LIMITS, percentile: 100 }, 1), 400n);
  assert.equal(priorityFee(recent, { ...LIMITS, percentile: 0 }, 1), 100n);
  // By number, not by text.
  assert.equal(priorityFee([9n, 80n, 700n], { ...LIMITS, percentile: 100 }, 1), 700n);
});

test('priority fee: floor, cap, and twice as much at each further attempt', () => {
  assert.equal(priorityFee([], LIMITS, 1), 10n);
  assert.equal(priorityFee([0n, 0n], LIMITS, 3), 40n);
  assert.equal(priorityFee([5000n], LIMITS, 1), 1000n);
  assert.equal(priorityFee([300n], LIMITS, 3), 1000n);
});

test('priority fee: it never falls from one attempt to the next, nor passes the cap', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(0n, 2n ** 64n)), fc.integer({ min: 1, max: 20 }), (paid, n) => {
      const fee = priorityFee(paid, LIMITS, n);
      assert.ok(fee >= LIMITS.floor && fee <= LIMITS.cap);
      assert.ok(priorityFee(paid, LIMITS, n + 1) >= fee);
    }),
  );
});
