import type { KeyObject } from 'node:crypto';
import { createPublicKey, verify } from 'node:crypto';
import type { VerifySignature, VerifySignatureAsync } from '@assay/verifier/ed25519/profile';
import { strictVerifier, strictVerifierAsync } from '@assay/verifier/ed25519/profile';

/** How many keys are cached, about 1 KB each: more than a log's publisher, co-signers and witnesses. */
const MAX_KEYS = 256;

const keys = new Map<string, KeyObject>();

function keyObject(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString(
    'base64url',
  );
  const kept = keys.get(x);
  if (kept !== undefined) return kept;
  // A JSON web key (RFC 8037) is parsed about ten times faster than the same key in DER.
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  // A map keeps the order of insertion, so the first is the oldest.
  const oldest = keys.size < MAX_KEYS ? undefined : keys.keys().next().value;
  if (oldest !== undefined) keys.delete(oldest);
  keys.set(x, key);
  return key;
}

/** Verifies under the pinned profile with OpenSSL. */
export const nodeVerifySignature: VerifySignature = strictVerifier(
  (publicKey, message, signature) => verify(null, message, keyObject(publicKey), signature),
);

/** `nodeVerifySignature` on libuv's thread pool, so that verifications in flight use every core. */
export const nodeVerifySignatureAsync: VerifySignatureAsync = strictVerifierAsync(
  (publicKey, message, signature) =>
    new Promise((resolve, reject) => {
      verify(null, message, keyObject(publicKey), signature, (error, accepted) => {
        if (error === null) resolve(accepted);
        else reject(error);
      });
    }),
);
