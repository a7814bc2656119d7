import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';

test('node sha256: the digest of FIPS 180-4, in 32 bytes of its own', () => {
  const empty = nodeSha256(new Uint8Array(0));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(10), (bytes, start) => {
      const part = bytes.subarray(start);
      const digest = nodeSha256(part);
      assert.equal(digest.byteLength, 32);
      assert.ok(createHash('sha256').update(part).digest().equals(digest));
    }),
  );
  assert.equal(
    Buffer.from(empty).toString('hex'),
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});
