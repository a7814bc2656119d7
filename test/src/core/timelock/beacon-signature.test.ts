import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { chainHash, QUICKNET } from '@assay/core/timelock/beacon-chain';
import { chainKey, verifyBeacon } from '@assay/core/timelock/beacon-signature';
import { sha256, vectors } from '../fixture/fixture.ts';
import { OWN, type SignatureVector, SIGNATURES, vectorChain } from './timelock-vectors.ts';

test('signature: the vectors verify, quicknet’s round 1000 among them', () => {
  assert.equal(SIGNATURES.length, 6);
  for (const { chain, round, signature } of SIGNATURES) {
    const bytes = parseHex(signature);
    assert.equal(verifyBeacon(vectorChain(chain), round, bytes), true, `${chain} ${round}`);
    assert.equal(verifyBeacon(vectorChain(chain), round + 1, bytes), false, `${chain} ${round}`);
  }
  const [first] = SIGNATURES;
  assert.deepEqual([first?.chain, first?.round], ['quicknet', 1000]);
});

test('signature: what is refused', () => {
  const refused = vectors<readonly (SignatureVector & { readonly name: string })[]>(
    'timelock/refused-signatures',
  );
  assert.equal(refused.length, 20);
  for (const { name, chain, round, signature } of refused) {
    assert.equal(verifyBeacon(vectorChain(chain), round, parseHex(signature)), false, name);
  }
});

test('signature: a round that is none is a mistake of the caller', () => {
  const bytes = parseHex(SIGNATURES[0]?.signature ?? '');
  for (const round of [0, 1.5, 2 ** 53]) {
    assert.throws(() => verifyBeacon(QUICKNET, round, bytes), { code: 'out_of_range' });
  }
});

test('signature: a chain whose key is no point verifies nothing', () => {
  const infinity = `c0${'00'.repeat(95)}`;
  // With the key at infinity the signature at infinity would be one of every round.
  for (const public_key of [infinity, '00'.repeat(96), `ff${OWN.public_key.slice(2)}`]) {
    const chain = { ...OWN, public_key };
    const broken = { ...chain, hash: chainHash(sha256, chain) };
    assert.equal(chainKey(broken), undefined);
    assert.equal(verifyBeacon(broken, 1, parseHex(`c0${'00'.repeat(47)}`)), false);
    assert.equal(verifyBeacon(broken, 1, parseHex(SIGNATURES[1]?.signature ?? '')), false);
  }
});

test('signature: the public key of a chain is parsed once', () => {
  assert.equal(chainKey(OWN), chainKey(OWN));
  assert.ok(chainKey(OWN) !== undefined);
});
