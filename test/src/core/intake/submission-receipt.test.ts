import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import {
  parseSubmissionReceipt,
  submissionMessage,
  type SubmissionReceipt,
} from '@assay/core/intake/submission-receipt';
import { wire } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';

const PLACE = {
  log: toHashHex('1a'.repeat(32)),
  subject: '8f0b9be0-1111-8222-8333-444455556666',
  ordinal: 258,
  leaf: toHashHex('2b'.repeat(32)),
  nonce: '3c'.repeat(32),
};

const RECEIPT: SubmissionReceipt = {
  ...PLACE,
  type: 'assay-receipt/1',
  key: '4d'.repeat(32),
  signature: '5e'.repeat(64),
  held: 'one_disk',
};

test('submission receipt: what is signed, byte by byte', () => {
  const expected = Buffer.concat([
    Buffer.from('assay/receipt/v1\0'),
    Buffer.alloc(32, 0x1a),
    createHash('sha256').update(PLACE.subject).digest(),
    Buffer.from('0201000000000000', 'hex'),
    Buffer.alloc(32, 0x2b),
    Buffer.alloc(32, 0x3c),
  ]);
  assert.deepEqual(Buffer.from(submissionMessage(sha256, PLACE)), expected);
  assert.equal(expected.length, 153);
});

test('submission receipt: a signature holds for one log, subject, place, leaf and nonce alone', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signature = sign(null, submissionMessage(sha256, PLACE), privateKey);
  const isGood = (change: Partial<typeof PLACE>): boolean =>
    verify(null, submissionMessage(sha256, { ...PLACE, ...change }), publicKey, signature);
  assert.equal(isGood({}), true);
  const other = toHashHex('00'.repeat(32));
  for (const change of [
    { log: other },
    { subject: 'layoffs-2026-11-21' },
    { ordinal: 259 },
    { leaf: other },
    { nonce: '00'.repeat(32) },
  ]) {
    assert.equal(isGood(change), false, JSON.stringify(change));
  }
});

test('submission receipt: a closed object', () => {
  assert.deepEqual(parseSubmissionReceipt(wire(RECEIPT), ''), RECEIPT);
  const round = { ...RECEIPT, subject: 'layoffs-2026-11-21', held: 'second_machine' };
  assert.deepEqual(parseSubmissionReceipt(wire(round), ''), round);
  for (const [change, at] of [
    [{ type: 'assay-receipt/2' }, 'type'],
    [{ subject: '' }, 'subject'],
    [{ subject: 'A' }, 'subject'],
    [{ ordinal: -1 }, 'ordinal'],
    [{ nonce: '3c' }, 'nonce'],
    [{ signature: '5E'.repeat(64) }, 'signature'],
    [{ held: 'safe' }, 'held'],
  ] as const) {
    assert.throws(() => parseSubmissionReceipt(wire({ ...RECEIPT, ...change }), ''), {
      code: 'malformed',
      at,
    });
  }
  assert.throws(() => parseSubmissionReceipt(wire({ ...RECEIPT, salt: '' }), ''), {
    code: 'malformed',
  });
});
