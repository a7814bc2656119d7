import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import type { SubtleEd25519 } from '@assay/verifier/ed25519/signature';
import {
  isTorsionFreeKey,
  verifySignature,
  verifySignatureAsync,
  webCryptoVerifier,
} from '@assay/verifier/ed25519/signature';
import { hashes, verify as nobleVerify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import {
  basePoint,
  buildCases,
  encodeScalar,
  FIELD,
  formatCases,
  mistakes,
  readCases,
  readSpeccheck,
  readWycheproof,
  scalar,
  SMALL_ORDER_ENCODINGS,
  torsionPoint,
} from '../fixture/ed25519-cases.ts';

const subtle = globalThis.crypto.subtle as unknown as SubtleEd25519;
const cases = readCases();

test('the committed vectors are the computed ones', () => {
  assert.equal(formatCases(cases), formatCases(buildCases()));
});

test('noble accepts exactly the profile', async () => {
  assert.deepEqual(await mistakes(cases, verifySignature), []);
});

test('WebCrypto accepts exactly the profile', async () => {
  assert.deepEqual(await mistakes(cases, verifySignatureAsync), []);
});

test('speccheck: number 3 alone', async (t) => {
  const speccheck = readSpeccheck();
  if (speccheck === undefined) return t.skip('../shared is not here');
  assert.equal(speccheck.length, 12);
  assert.deepEqual(await mistakes(speccheck, verifySignature), []);
  assert.deepEqual(await mistakes(speccheck, verifySignatureAsync), []);
});

test('Wycheproof: all 151', async (t) => {
  const wycheproof = readWycheproof();
  if (wycheproof === undefined) return t.skip('../shared is not here');
  assert.equal(wycheproof.length, 151);
  assert.deepEqual(await mistakes(wycheproof, verifySignature), []);
  assert.deepEqual(await mistakes(wycheproof, verifySignatureAsync), []);
});

test('verifying leaves noble’s shared hash unset', () => {
  assert.equal(hashes.sha512, undefined);
});

/** A SubtleCrypto that counts its verifications and answers each with `verify`. */
function fakeSubtle(verify: SubtleEd25519['verify']): SubtleEd25519 & { calls: number } {
  const fake = {
    calls: 0,
    importKey: async (_format: 'raw', bytes: Uint8Array): Promise<unknown> => bytes,
    verify: (...given: Parameters<SubtleEd25519['verify']>): Promise<boolean> => {
      fake.calls += 1;
      return verify(...given);
    },
  };
  return fake;
}

test('WebCrypto answers where its probe passes', async () => {
  const counted = { ...subtle, calls: 0 };
  const verify = webCryptoVerifier({
    importKey: (...given) => subtle.importKey(...given),
    verify: (...given) => {
      counted.calls += 1;
      return subtle.verify(...given);
    },
  });
  assert.deepEqual(await mistakes(cases.slice(0, 5), verify), []);
  assert.equal(counted.calls, 3 + 5);
});

test('plain JavaScript answers where there is no WebCrypto', async () => {
  assert.deepEqual(await mistakes(cases, webCryptoVerifier(undefined)), []);
});

test('a WebCrypto without Ed25519, or with another equation, is not asked again', async () => {
  const unknown = fakeSubtle(() => Promise.reject(new Error('NotSupportedError')));
  const yes = fakeSubtle(async () => true);
  const no = fakeSubtle(async () => false);
  const cofactored = fakeSubtle(async (_name, key, signature, message) =>
    nobleVerify(signature, message, key as Uint8Array, { zip215: false }),
  );
  for (const [fake, probes] of [
    [unknown, 1],
    [yes, 3],
    [no, 1],
    [cofactored, 3],
  ] as const) {
    hashes.sha512 = sha512;
    try {
      assert.deepEqual(await mistakes(cases, webCryptoVerifier(fake)), []);
    } finally {
      hashes.sha512 = undefined;
    }
    assert.equal(fake.calls, probes);
  }
});

test('a WebCrypto that fails on an input leaves it to plain JavaScript', async () => {
  let calls = 0;
  const verify = webCryptoVerifier({
    importKey: (...given) => subtle.importKey(...given),
    verify: (...given) => {
      calls += 1;
      return calls > 3 ? Promise.reject(new Error('OperationError')) : subtle.verify(...given);
    },
  });
  assert.deepEqual(await mistakes(cases.slice(0, 10), verify), []);
  assert.equal(calls > 10, true);
});

test('one probe for many calls at once', async () => {
  const counted = fakeSubtle(async () => false);
  const verify = webCryptoVerifier(counted);
  const first = cases[0];
  assert.ok(first);
  const given = [
    parseHex(first.public_key),
    parseHex(first.message),
    parseHex(first.signature),
  ] as const;
  assert.deepEqual(await Promise.all([verify(...given), verify(...given)]), [true, true]);
  assert.equal(counted.calls, 1);
});

test('a key made by another program verifies', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const message = Buffer.from('a message');
  const signature = sign(null, message, privateKey);
  assert.equal(isTorsionFreeKey(raw), true);
  assert.equal(verifySignature(raw, message, signature), true);
  assert.equal(await verifySignatureAsync(raw, message, signature), true);
});

test('a key to register has prime order', () => {
  const base = basePoint(scalar('registered'));
  assert.equal(isTorsionFreeKey(base.toBytes()), true);
  for (let i = 1; i < 8; i += 1) {
    assert.equal(isTorsionFreeKey(base.add(torsionPoint(i)).toBytes()), false);
  }
  for (const encoding of SMALL_ORDER_ENCODINGS) {
    assert.equal(isTorsionFreeKey(parseHex(encoding)), false);
  }
  assert.equal(isTorsionFreeKey(encodeScalar(2n)), false, 'off the curve');
  assert.equal(isTorsionFreeKey(encodeScalar(FIELD + 3n)), false, 'not canonical');
  assert.equal(isTorsionFreeKey(base.toBytes().subarray(1)), false, 'length');
  assert.throws(() => isTorsionFreeKey('00' as unknown as Uint8Array), TypeError);
});
