import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';

test('noble sha256: it gives what node:crypto gives', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.deepEqual(Buffer.from(nobleSha256(bytes)), Buffer.from(sha256(bytes)));
    }),
  );
});
