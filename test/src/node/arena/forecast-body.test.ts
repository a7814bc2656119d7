import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BodyFault,
  isBodyFault,
  parseForecastBody,
  scaledForecast,
} from '@assay/node/arena/forecast-body';

const PLAIN = { question: 'layoffs-2026-07-08', handle: 'ada', value: 231_000 };
const SIGNED = {
  ...PLAIN,
  key: '11'.repeat(32),
  counter: 1,
  nonce: '22'.repeat(32),
  salt: '33'.repeat(32),
  signature: '44'.repeat(64),
};
const { value: _, ...NOTHING } = PLAIN;
const SEALED = { ...NOTHING, sealed: '55'.repeat(160), handle_salt: '66'.repeat(32) };

test('forecast body: what is absent is null, and a value is taken as it is written', () => {
  const body = parseForecastBody(PLAIN);
  assert.ok(!isBodyFault(body));
  assert.equal(body.value, '231000');
  assert.equal(body.sealed, null);
  for (const value of ['0', '-0.5', '1.50', 0.1, -3]) {
    const parsed = parseForecastBody({ ...PLAIN, value });
    assert.ok(!isBodyFault(parsed) && parsed.value === String(value));
  }
  for (const json of [SIGNED, SEALED, { ...PLAIN, secret: null }]) {
    assert.ok(!isBodyFault(parseForecastBody(json)));
  }
});

test('forecast body: the member that cannot be taken is named', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['body', null],
    ['body', [PLAIN]],
    ['body', 'text'],
    ['more', { ...PLAIN, more: 1 }],
    ['question', { handle: 'ada', value: 1 }],
    ['question', { ...PLAIN, question: 'x'.repeat(65) }],
    ['handle', { ...PLAIN, handle: 1 }],
    ...['ab', 'x'.repeat(25), 'a b', 'adä', 'аda', 'house-last', 'Admin', 'as_say'].map(
      (handle) => ['handle', { ...PLAIN, handle }] as const,
    ),
    ...['1e5', '01', '.5', '5.', '+1', '', ' 1', '0x10', true, [1], 1e21, Number.NaN].map(
      (value) => ['value', { ...PLAIN, value }] as const,
    ),
    ['value', NOTHING],
    ['value', { ...SEALED, value: 1 }],
    ['sealed', { ...SEALED, sealed: '55'.repeat(159) }],
    ['nonce', { ...PLAIN, nonce: 'AB'.repeat(32) }],
    ['secret', { ...PLAIN, secret: 'x' }],
    ['salt', { ...SEALED, salt: '11'.repeat(32) }],
    ['counter', { ...SIGNED, counter: 0 }],
    ['counter', { ...SIGNED, counter: 1.5 }],
    ['counter', { ...SIGNED, counter: null }],
    ['signature', { ...PLAIN, key: SIGNED.key }],
    ['nonce', { ...SIGNED, nonce: null }],
    ['salt', { ...SIGNED, salt: null }],
    ['secret', { ...SIGNED, secret: '11'.repeat(32) }],
    ['handle_salt', { ...SIGNED, handle_salt: '11'.repeat(32) }],
  ];
  for (const [at, json] of cases) {
    const parsed = parseForecastBody(json) as BodyFault;
    assert.equal(parsed.at, at, JSON.stringify(json));
  }
});

test('forecast body: a value is scaled exactly, and has no more decimals than the index', () => {
  assert.equal(scaledForecast('4.2', 1), 42n);
  assert.equal(scaledForecast('-0.05', 2), -5n);
  assert.equal(scaledForecast('7', 3), 7000n);
  assert.equal(scaledForecast('-0', 0), 0n);
  assert.equal(scaledForecast('1000000000000000', 0), 10n ** 15n);
  for (const [text, decimals] of [
    ['4.20', 1],
    ['1000000000000001', 0],
    ['-1000000000000001', 0],
    ['100000000000000.1', 2],
  ] as const) {
    assert.equal((scaledForecast(text, decimals) as BodyFault).at, 'value', text);
  }
});
