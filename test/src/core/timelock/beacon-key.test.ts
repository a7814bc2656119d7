import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { beaconPublicKey, signRound } from '@assay/core/timelock/beacon-key';
import { OWN, OWN_SECRET, SIGNATURES } from './timelock-vectors.ts';

test('beacon key: the public key and the signatures of the vectors', () => {
  const secret = parseHex(OWN_SECRET);
  assert.equal(beaconPublicKey(secret), OWN.public_key);
  for (const { round, signature } of SIGNATURES.filter(({ chain }) => chain === 'own')) {
    assert.equal(formatHex(signRound(secret, round)), signature);
  }
});

test('beacon key: what is no secret is refused', () => {
  const order = '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001';
  for (const [secret, code] of [
    ['00'.repeat(32), 'out_of_range'],
    [order, 'out_of_range'],
    ['ff'.repeat(32), 'out_of_range'],
    ['01'.repeat(31), 'bad_length'],
    ['01'.repeat(33), 'bad_length'],
  ] as const) {
    assert.throws(() => beaconPublicKey(parseHex(secret)), { code });
    assert.throws(() => signRound(parseHex(secret), 1), { code });
  }
  assert.match(beaconPublicKey(parseHex(order.replace(/1$/, '0'))), /^[0-9a-f]{192}$/);
});
