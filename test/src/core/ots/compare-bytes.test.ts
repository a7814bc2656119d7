import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBytes } from '@assay/core/ots/compare-bytes';
import fc from 'fast-check';

test('compare bytes: as Node orders them', () => {
  const bytes = fc.uint8Array({ maxLength: 4, max: 2 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(a, b));
    }),
  );
  assert.ok(compareBytes(Uint8Array.of(0x7f), Uint8Array.of(0x80)) < 0);
});
