import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seqKey } from '@assay/core/view/seq-key';
import fc from 'fast-check';

test('seq key: keys of any two numbers are in the order of the numbers', () => {
  assert.equal(seqKey(0), '0000000000000000');
  assert.equal(seqKey(Number.MAX_SAFE_INTEGER), '9007199254740991');
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
      assert.equal(seqKey(a) < seqKey(b), a < b);
      assert.equal(seqKey(a).length, 16);
    }),
  );
});
