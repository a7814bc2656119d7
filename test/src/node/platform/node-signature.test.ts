import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { nodeVerifySignature, nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { verifySignature, verifySignatureAsync } from '@assay/verifier/ed25519/signature';
import fc from 'fast-check';
import {
  basePoint,
  encodeScalar,
  flipBit,
  littleEndian,
  mistakes,
  ORDER,
  readCases,
  readSpeccheck,
  readWycheproof,
  scalar,
  signRaw,
  SMALL_ORDER_ENCODINGS,
  torsionPoint,
} from '../../verifier/fixture/ed25519-cases.ts';

const cases = readCases();

test('node:crypto accepts exactly the profile', async () => {
  assert.deepEqual(await mistakes(cases, nodeVerifySignature), []);
  assert.deepEqual(await mistakes(cases, nodeVerifySignatureAsync), []);
});

test('speccheck: number 3 alone', async (t) => {
  const speccheck = readSpeccheck();
  if (speccheck === undefined) return t.skip('../shared is not here');
  assert.deepEqual(await mistakes(speccheck, nodeVerifySignature), []);
  assert.deepEqual(await mistakes(speccheck, nodeVerifySignatureAsync), []);
});

test('Wycheproof: all 151', async (t) => {
  const wycheproof = readWycheproof();
  if (wycheproof === undefined) return t.skip('../shared is not here');
  assert.equal(wycheproof.length, 151);
  assert.deepEqual(await mistakes(wycheproof, nodeVerifySignature), []);
  assert.deepEqual(await mistakes(wycheproof, nodeVerifySignatureAsync), []);
});

test('more keys than are kept ready, each right the second time too', () => {
  const message = Uint8Array.of(7);
  const signed = Array.from({ length: 300 }, (_, i) => {
    const secret = BigInt(i + 2);
    const { a, r, s } = signRaw(
      secret,
      secret + 1000n,
      basePoint(secret).toBytes(),
      basePoint(secret + 1000n).toBytes(),
      message,
    );
    return { a, signature: concatBytes(r, encodeScalar(s)) };
  });
  for (let round = 0; round < 2; round += 1) {
    for (const [i, { a, signature }] of signed.entries()) {
      const other = signed[(i + 1) % signed.length];
      assert.ok(other);
      assert.equal(nodeVerifySignature(a, message, signature), true);
      assert.equal(nodeVerifySignature(other.a, message, signature), false);
    }
  }
});

async function answers(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean[]> {
  return [
    nodeVerifySignature(publicKey, message, signature),
    await nodeVerifySignatureAsync(publicKey, message, signature),
    verifySignature(publicKey, message, signature),
    await verifySignatureAsync(publicKey, message, signature),
  ];
}

const torsion = fc.integer({ min: 0, max: 7 });

test('for any signer, honest or not, all backends say what the torsion says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string(),
      fc.uint8Array({ maxLength: 200 }),
      torsion,
      torsion,
      async (label, message, inKey, inR) => {
        const secret = scalar(`secret ${label}`);
        const nonce = scalar(`nonce ${label}`);
        const a = basePoint(secret).add(torsionPoint(inKey)).toBytes();
        const r = basePoint(nonce).add(torsionPoint(inR)).toBytes();
        const { s, k } = signRaw(secret, nonce, a, r, message);
        // [S]B - [k]A = [nonce]B - [k * inKey]T, which is R where inR = -k * inKey mod 8.
        const expected = (k * BigInt(inKey) + BigInt(inR)) % 8n === 0n;
        assert.deepEqual(
          await answers(a, message, concatBytes(r, encodeScalar(s))),
          Array.from({ length: 4 }, () => expected),
        );
      },
    ),
    { numRuns: 100 },
  );
});

type Parts = readonly [a: Uint8Array, message: Uint8Array, r: Uint8Array, s: Uint8Array];

/** Ways to change a signature, each keeping its four parts apart. */
const mutation: fc.Arbitrary<(parts: Parts) => Parts> = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.nat({ max: 255 })).map(
    ([which, bit]) =>
      (parts: Parts): Parts =>
        parts.map((part, i) =>
          i === which && part.length > 0 ? flipBit(part, bit % (8 * part.length)) : part,
        ) as unknown as Parts,
  ),
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.uint8Array({ maxLength: 40 })).map(
    ([which, bytes]) =>
      (parts: Parts): Parts =>
        parts.map((part, i) => (i === which ? bytes : part)) as unknown as Parts,
  ),
  fc.tuple(fc.constantFrom(0, 2), fc.constantFrom(...SMALL_ORDER_ENCODINGS)).map(
    ([which, encoding]) =>
      (parts: Parts): Parts =>
        parts.map((part, i) => (i === which ? parseHex(encoding, 32) : part)) as unknown as Parts,
  ),
  fc
    .constantFrom(ORDER, 2n * ORDER, ORDER - 1n)
    .map((more) => ([a, message, r, s]: Parts): Parts => [
      a,
      message,
      r,
      encodeScalar(littleEndian(s) + more),
    ]),
  fc.constant(([a, message, r]: Parts): Parts => [a, message, r, new Uint8Array(32)]),
  fc.constant(([a, message, r, s]: Parts): Parts => [r, message, a, s]),
);

test('all backends agree on a changed signature', async () => {
  const secret = scalar('mutated');
  const nonce = scalar('mutated nonce');
  const a = basePoint(secret).toBytes();
  const r = basePoint(nonce).toBytes();
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 64 }),
      fc.array(mutation, { maxLength: 1 }),
      async (message, mutations) => {
        const { s } = signRaw(secret, nonce, a, r, message);
        const whole: Parts = [a, message, r, encodeScalar(s)];
        const changed = mutations.reduce((parts, change) => change(parts), whole);
        const same = changed.every((part, i) => Buffer.compare(part, whole[i] ?? part) === 0);
        const [key, text, ...signature] = changed;
        assert.deepEqual(
          await answers(key, text, concatBytes(...signature)),
          Array.from({ length: 4 }, () => same),
        );
      },
    ),
    { numRuns: 300 },
  );
});
