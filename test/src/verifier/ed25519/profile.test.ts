import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import {
  isProfileKey,
  isProfileSignature,
  strictVerifier,
  strictVerifierAsync,
} from '@assay/verifier/ed25519/profile';
import {
  basePoint,
  encodeScalar,
  FIELD,
  ORDER,
  SMALL_ORDER_ENCODINGS,
} from '../fixture/ed25519-cases.ts';

const key = basePoint(2n).toBytes();
const r = basePoint(3n).toBytes();
const signature = concatBytes(r, encodeScalar(5n));
const message = Uint8Array.of(1, 2, 3);

function withS(s: bigint): Uint8Array {
  return concatBytes(r, encodeScalar(s));
}

test('a key is 32 bytes', () => {
  assert.equal(isProfileKey(key), true);
  for (const length of [0, 31, 33, 64]) {
    assert.equal(isProfileKey(new Uint8Array(length).fill(0x22)), false, `${length}`);
  }
});

test('a signature is 64 bytes', () => {
  assert.equal(isProfileSignature(signature), true);
  for (const length of [0, 32, 63, 65, 96]) {
    assert.equal(isProfileSignature(new Uint8Array(length).fill(0x02)), false, `${length}`);
  }
});

test('the 14 small-order encodings are neither a key nor an R', () => {
  assert.equal(SMALL_ORDER_ENCODINGS.length, 14);
  for (const encoding of SMALL_ORDER_ENCODINGS) {
    const point = parseHex(encoding, 32);
    assert.equal(isProfileKey(point), false, encoding);
    assert.equal(isProfileSignature(concatBytes(point, encodeScalar(5n))), false, encoding);
  }
});

test('y is below p, with either sign, in a key and in R', () => {
  const sign = 1n << 255n;
  // p and p + 1 encode small order too; p + 2 up to 2^255 - 1 are refused for y alone.
  for (let y = FIELD; y < sign; y += 1n) {
    for (const encoded of [encodeScalar(y), encodeScalar(y + sign)]) {
      assert.equal(isProfileKey(encoded), false, `p + ${y - FIELD}`);
      assert.equal(isProfileSignature(concatBytes(encoded, encodeScalar(5n))), false);
    }
  }
  // The largest y below p that is not -1, and neighbours that differ from p in one byte alone.
  const below = [FIELD - 2n, FIELD - (1n << 8n), FIELD - (1n << 128n), FIELD - (1n << 248n)];
  for (const y of below) {
    assert.equal(isProfileKey(encodeScalar(y)), true, `p - ${FIELD - y}`);
    assert.equal(isProfileKey(encodeScalar(y + sign)), true, `p - ${FIELD - y}, signed`);
  }
});

test('S is below L', () => {
  for (const s of [0n, 1n, ORDER - 1n, ORDER - (1n << 128n)]) {
    assert.equal(isProfileSignature(withS(s)), true, `${s}`);
  }
  for (const s of [ORDER, ORDER + 1n, ORDER + (1n << 128n), 1n << 253n, (1n << 256n) - 1n]) {
    assert.equal(isProfileSignature(withS(s)), false, `${s}`);
  }
});

test('the backend sees only what passed', async () => {
  let calls = 0;
  const yes = (): boolean => {
    calls += 1;
    return true;
  };
  const verify = strictVerifier(yes);
  const verifyAsync = strictVerifierAsync(async () => yes());
  const bad: [Uint8Array, Uint8Array][] = [
    [key.subarray(1), signature],
    [new Uint8Array(32), signature],
    [key, signature.subarray(1)],
    [key, withS(ORDER)],
    [key, concatBytes(new Uint8Array(32), encodeScalar(5n))],
  ];
  for (const [a, s] of bad) {
    assert.equal(verify(a, message, s), false);
    assert.equal(await verifyAsync(a, message, s), false);
  }
  assert.equal(calls, 0);
  assert.equal(verify(key, message, signature), true);
  assert.equal(await verifyAsync(key, message, signature), true);
  assert.equal(calls, 2);
});

test('the backend’s no is a no', async () => {
  assert.equal(strictVerifier(() => false)(key, message, signature), false);
  assert.equal(await strictVerifierAsync(async () => false)(key, message, signature), false);
});

test('the backend reads the bytes of the call, whatever becomes of the caller’s', async () => {
  const given = [
    Uint8Array.from(key),
    Uint8Array.from(message),
    Uint8Array.from(signature),
  ] as const;
  const answer = strictVerifierAsync(async (...seen) => {
    await Promise.resolve();
    assert.deepEqual(seen, [key, message, signature]);
    return true;
  })(...given);
  for (const bytes of given) bytes.fill(0);
  assert.equal(await answer, true);
});

test('a Buffer and shared memory are bytes too', async () => {
  const shared = new Uint8Array(new SharedArrayBuffer(64));
  shared.set(signature);
  const same = (a: Uint8Array, m: Uint8Array, s: Uint8Array): boolean => {
    assert.deepEqual([a, s], [key, signature]);
    return m.length === 3;
  };
  assert.equal(strictVerifier(same)(Buffer.from(key), Buffer.from(message), shared), true);
  const verifyAsync = strictVerifierAsync(async (a, m, s) => {
    assert.equal(
      [a, m, s].every((bytes) => bytes.buffer instanceof ArrayBuffer),
      true,
    );
    return same(a, m, s);
  });
  assert.equal(await verifyAsync(Buffer.from(key), Buffer.from(message), shared), true);
});

test('anything but bytes is a TypeError', async () => {
  const verify = strictVerifier(() => true);
  const verifyAsync = strictVerifierAsync(async () => true);
  for (const wrong of [
    '00'.repeat(32),
    undefined,
    Array.from(key),
    key.buffer,
    new DataView(key.buffer),
  ]) {
    const other = wrong as unknown as Uint8Array;
    const calls: readonly (readonly [Uint8Array, Uint8Array, Uint8Array])[] = [
      [other, message, signature],
      [key, other, signature],
      [key, message, other],
    ];
    for (const given of calls) {
      assert.throws(() => verify(...given), TypeError);
      await assert.rejects(verifyAsync(...given), TypeError);
    }
  }
});
