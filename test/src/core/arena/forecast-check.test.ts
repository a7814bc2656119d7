import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecastFault, forecastSignature } from '@assay/core/arena/forecast-check';
import { forecastMessage } from '@assay/core/arena/forecast/forecast-message';
import { houseHandles } from '@assay/core/arena/forecast/house';
import { toHashHex } from '@assay/core/hash/hash';
import type { Forecast } from '@assay/core/kind/forecast';
import { sha256 } from '../fixture/fixture.ts';
import { keyForecaster, secretForecaster } from './arena-log.ts';

const ADA = secretForecaster('ada');
const KAY = keyForecaster('b1');
const KEY = KAY.hand?.key ?? '';

function forecast(change: Partial<Forecast>): Forecast {
  return {
    round: 'layoffs-2026-08-22',
    ordinal: 0,
    handle: KAY.handle,
    key: null,
    counter: null,
    sealed: null,
    commitment: toHashHex('5e'.repeat(32)),
    nonce: '6f'.repeat(32),
    signature: null,
    ...change,
  };
}

const signed = (counter: number, key: string | null = null): Forecast =>
  forecast({ key, counter, signature: '7a'.repeat(64) });

test('forecast check: keys and counters', () => {
  const known = { key: KEY, counter: 5 };
  const secret = { key: null, counter: 0 };
  const other = keyForecaster('b2').hand?.key ?? '';
  const of = forecast({ handle: ADA.handle });
  for (const [name, before, body, fault] of [
    ['the first of a handle with a secret', undefined, of, undefined],
    ['a later one', secret, of, undefined],
    ['the first with a key', undefined, signed(1, KEY), undefined],
    ['the first with a key, whose counter begins higher', undefined, signed(9, KEY), undefined],
    ['the first with a key, without it', undefined, signed(1), 'key'],
    ['the key of another', undefined, signed(1, other), 'key'],
    ['a later one with a key', known, signed(6), undefined],
    ['a later one that repeats the key', known, signed(6, KEY), 'key'],
    ['the key of a handle that had none', { key: null, counter: 0 }, signed(1, KEY), undefined],
    ['another key, of a handle that had none', { key: null, counter: 0 }, signed(1, other), 'key'],
    ['the same counter', known, signed(5), 'counter'],
    ['a counter that falls', known, signed(4), 'counter'],
    ['one without a signature of a handle with a key', known, forecast({}), 'key'],
    ['one with a signature of a handle with a secret', secret, signed(1), 'key'],
    ['one of the house', undefined, forecast({ handle: houseHandles(sha256)[0] ?? '' }), 'house'],
  ] as const) {
    assert.equal(forecastFault(sha256, before, body), fault, name);
  }
});

test('forecast check: what is signed, by which key', () => {
  const log = toHashHex('1a'.repeat(32));
  const body = signed(3);
  const found = forecastSignature(sha256, log, KEY, body);
  assert.equal(Buffer.from(found?.key ?? []).toString('hex'), KEY);
  assert.deepEqual(found?.message, forecastMessage(sha256, { ...body, counter: 3, log }));
  assert.equal(Buffer.from(found?.signature ?? []).toString('hex'), body.signature);
  assert.equal(forecastSignature(sha256, log, null, body), undefined);
  assert.equal(forecastSignature(sha256, log, KEY, forecast({})), undefined);
});
