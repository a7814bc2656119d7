import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { chainHash } from '@assay/core/timelock/beacon-chain';
import { signRound } from '@assay/core/timelock/beacon-key';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import { SEALED_BYTES, SEALED_MESSAGE_BYTES } from '@assay/core/timelock/sizes';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';
import { OWN, OWN_SECRET, SEALED, vectorChain, vectorSignature } from './timelock-vectors.ts';

// A pairing takes some 15 ms, so the properties have few runs.

const bytes32 = fc.uint8Array({ minLength: SEALED_MESSAGE_BYTES, maxLength: SEALED_MESSAGE_BYTES });

test('sealed: the vectors are sealed to the same bytes, and open', () => {
  assert.equal(SEALED.length, 7);
  for (const { name, chain, round, message, sigma, sealed } of SEALED) {
    const made = sealTo(vectorChain(chain), round).seal(parseHex(message), parseHex(sigma));
    assert.equal(made.length, SEALED_BYTES);
    assert.equal(formatHex(made), sealed, name);
    const opened = openSealed(parseHex(vectorSignature(chain, round)), parseHex(sealed));
    assert.equal(formatHex(opened ?? new Uint8Array(0)), message, name);
  }
});

test('sealed: what does not open', () => {
  const refused =
    vectors<
      readonly { readonly name: string; readonly signature: string; readonly sealed: string }[]
    >('timelock/refused-sealed');
  assert.equal(refused.length, 40);
  for (const { name, signature, sealed } of refused) {
    assert.equal(openSealed(parseHex(signature), parseHex(sealed)), undefined, name);
  }
});

test('sealed: what was sealed to a round opens with its signature, and with that of no other', () => {
  const rounds = fc.integer({ min: 1, max: 1_000_000_000 });
  fc.assert(
    fc.property(rounds, bytes32, bytes32, (round, message, sigma) => {
      const sealed = sealTo(OWN, round).seal(message, sigma);
      assert.deepEqual(openSealed(signRound(parseHex(OWN_SECRET), round), sealed), message);
      const next = signRound(parseHex(OWN_SECRET), round + 1);
      assert.equal(openSealed(next, sealed), undefined);
    }),
    { numRuns: 5 },
  );
});

test('sealed: one changed bit anywhere, and nothing opens', () => {
  const sealer = sealTo(OWN, 1);
  const signature = parseHex(vectorSignature('own', 1));
  const bit = fc.integer({ min: 0, max: 8 * SEALED_BYTES - 1 });
  fc.assert(
    fc.property(bytes32, bytes32, bit, (message, sigma, at) => {
      const sealed = sealer.seal(message, sigma);
      sealed[at >> 3] = (sealed[at >> 3] as number) ^ (1 << (at & 7));
      assert.equal(openSealed(signature, sealed), undefined);
    }),
    { numRuns: 25 },
  );
});

test('sealed: no bytes make opening throw', () => {
  const signature = parseHex(vectorSignature('own', 1));
  const any = fc.uint8Array({ maxLength: 200 });
  const first = fc.constantFrom(0x80, 0xa0, 0xc0, 0x9a, 0xff);
  fc.assert(
    fc.property(any, any, first, (key, sealed, flags) => {
      assert.equal(openSealed(key, sealed), undefined);
      const whole = Uint8Array.from({ length: SEALED_BYTES }, (_, i) => sealed[i] ?? 0);
      whole[0] = flags;
      assert.equal(openSealed(signature, whole), undefined);
    }),
    { numRuns: 40 },
  );
});

test('sealed: a signature that is written over afterwards is another one', () => {
  const [own] = SEALED.filter(({ chain, round }) => chain === 'own' && round === 1);
  const key = parseHex(vectorSignature('own', 1));
  const sealed = parseHex(own?.sealed ?? '');
  assert.equal(formatHex(openSealed(key, sealed) ?? key), own?.message);
  key.set(parseHex(vectorSignature('own', 2)));
  assert.equal(openSealed(key, sealed), undefined);
});

test('sealed: what nothing can be sealed to, and what is of another length', () => {
  const infinite = { ...OWN, public_key: `c0${'00'.repeat(95)}` };
  const chain = { ...infinite, hash: chainHash(sha256, infinite) };
  assert.throws(() => sealTo(chain, 1), { code: 'malformed' });
  assert.throws(() => sealTo(OWN, 0), { code: 'out_of_range' });
  const sealer = sealTo(OWN, 1);
  for (const length of [0, 16, 31, 33]) {
    const [wrong, right] = [new Uint8Array(length), new Uint8Array(32)];
    assert.throws(() => sealer.seal(wrong, right), { code: 'bad_length' });
    assert.throws(() => sealer.seal(right, wrong), { code: 'bad_length' });
  }
});
