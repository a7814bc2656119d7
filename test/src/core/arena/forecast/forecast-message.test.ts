import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  forecastMessage,
  isForecastValue,
  MAX_FORECAST,
  plainCommitment,
  sealedMessage,
  sealedValue,
} from '@assay/core/arena/forecast/forecast-message';
import { toHashHex } from '@assay/core/hash/hash';
import { sha256 } from '../../fixture/fixture.ts';

const SUBJECT = {
  log: toHashHex('1a'.repeat(32)),
  round: 'layoffs-2026-08-22',
  handle: '2b'.repeat(16),
};
const OF_ROUND = createHash('sha256').update(SUBJECT.round).digest();
const TIE = Buffer.concat([Buffer.alloc(32, 0x1a), OF_ROUND, Buffer.alloc(16, 0x2b)]);

test('forecast message: what is sealed, byte by byte', () => {
  const tie = createHash('sha256').update('assay/sealed-forecast/v1\0').update(TIE).digest();
  const message = Buffer.from(sealedMessage(sha256, SUBJECT, -2n));
  assert.equal(message.toString('hex', 0, 8), 'fffffffffffffffe');
  assert.deepEqual(message.subarray(8), tie.subarray(0, 24));
  assert.equal(message.length, 32);
});

test('forecast message: a sealed value is that of its own log, round and handle', () => {
  const message = sealedMessage(sha256, SUBJECT, 231_000n);
  assert.equal(sealedValue(sha256, SUBJECT, message), 231_000n);
  for (const change of [
    { log: toHashHex('00'.repeat(32)) },
    { round: 'layoffs-2026-08-29' },
    { handle: '2c'.repeat(16) },
  ]) {
    const other = { ...SUBJECT, ...change };
    assert.equal(sealedValue(sha256, other, message), undefined, JSON.stringify(change));
  }
  assert.equal(sealedValue(sha256, SUBJECT, message.subarray(1)), undefined);
  // A view into a longer buffer has its own first byte.
  const wide = new Uint8Array(40);
  wide.set(message, 8);
  assert.equal(sealedValue(sha256, SUBJECT, wide.subarray(8)), 231_000n);
});

test('forecast message: a value out of bounds is none', () => {
  for (const value of [MAX_FORECAST, -MAX_FORECAST]) {
    assert.equal(sealedValue(sha256, SUBJECT, sealedMessage(sha256, SUBJECT, value)), value);
  }
  for (const value of [MAX_FORECAST + 1n, -MAX_FORECAST - 1n, -(2n ** 63n)]) {
    assert.equal(isForecastValue(value), false);
    assert.equal(sealedValue(sha256, SUBJECT, sealedMessage(sha256, SUBJECT, value)), undefined);
  }
});

test('forecast message: the commitment of a plain one, byte by byte', () => {
  const salt = Buffer.alloc(32, 0x3c);
  const expected = createHash('sha256')
    .update('assay/plain-forecast/v1\0')
    .update(salt)
    .update(TIE)
    .update(Buffer.from('feffffffffffffff', 'hex'))
    .digest('hex');
  assert.equal(plainCommitment(sha256, SUBJECT, salt, -2n), expected);
  assert.throws(() => plainCommitment(sha256, SUBJECT, salt.subarray(1), 1n), {
    code: 'bad_length',
  });
});

test('forecast message: what a key signs, byte by byte', () => {
  const sealed = '4d'.repeat(160);
  const signed = { ...SUBJECT, counter: 258, nonce: '5e'.repeat(32), sealed, commitment: null };
  const expected = Buffer.concat([
    Buffer.from('assay/forecast-signature/v1\0'),
    TIE,
    Buffer.from('0201000000000000', 'hex'),
    Buffer.alloc(32, 0x5e),
    createHash('sha256').update(Buffer.alloc(160, 0x4d)).digest(),
  ]);
  assert.deepEqual(Buffer.from(forecastMessage(sha256, signed)), expected);
  const commitment = toHashHex('6f'.repeat(32));
  const plain = Buffer.from(forecastMessage(sha256, { ...signed, sealed: null, commitment }));
  const digest = createHash('sha256').update(Buffer.alloc(32, 0x6f)).digest();
  assert.deepEqual(plain.subarray(-32), digest);
  assert.throws(() => forecastMessage(sha256, { ...signed, sealed: null }), TypeError);
});
