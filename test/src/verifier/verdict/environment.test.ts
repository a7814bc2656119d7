import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PORTABLE } from '@assay/verifier/verdict/environment';
import { ENVIRONMENT } from '../fixture/published.ts';
import { signerFrom } from '../fixture/sample-log.ts';

test('the portable hashing and signatures are the same as those of Node', async () => {
  const { publicKey, sign } = signerFrom('environment');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (message, good) => {
      assert.deepEqual(
        Buffer.from(PORTABLE.sha256(message)),
        Buffer.from(ENVIRONMENT.sha256(message)),
      );
      const signature = sign(good ? message : Uint8Array.of(...message, 0));
      for (const { verifySignature } of [PORTABLE, ENVIRONMENT]) {
        assert.equal(await verifySignature(publicKey, message, signature), good);
      }
    }),
  );
});
