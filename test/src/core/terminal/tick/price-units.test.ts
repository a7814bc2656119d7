import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal, roundScaled } from '@assay/core/number/rational';
import { priceUnits, volumeUnits } from '@assay/core/terminal/tick/price-units';
import { Random } from '../random.ts';

test('price units: whole units at the decimals, halves away from zero', () => {
  for (const [text, decimals, units] of [
    ['68012.34', 2, 6_801_234],
    ['68012.34', 4, 680_123_400],
    ['68012.345', 2, 6_801_235],
    ['68012.3449', 2, 6_801_234],
    ['0.00001234', 8, 1234],
    ['0.5', 0, 1],
    ['7', 0, 7],
    ['9007199254740991', 0, 9_007_199_254_740_991],
    ['9007199254740990.5', 0, 9_007_199_254_740_991],
    ['0.000000000000000001', 18, 1],
    ['0.0090071992547409914999', 18, 9_007_199_254_740_991],
  ] as const) {
    assert.equal(priceUnits(text, decimals), units, `${text} at ${decimals}`);
  }
});

test('price units: none outside 1 to 2^53 - 1, nor below zero', () => {
  for (const [text, decimals] of [
    ['0', 2],
    ['0.004', 2],
    ['-1', 2],
    ['-0', 2],
    ['9007199254740992', 0],
    ['9007199254740991.5', 0],
    ['9007199254740993', 0],
    ['90071992547409.92', 2],
    ['1'.repeat(400), 0],
  ] as const) {
    assert.equal(priceUnits(text, decimals), undefined, `${text} at ${decimals}`);
  }
});

test('price units: the same as an exact fraction, whatever the digits', () => {
  const random = new Random(21);
  const digits = (count: number): string =>
    Array.from({ length: count }, () => String(random.below(10))).join('');
  for (let round = 0; round < 5000; round += 1) {
    const whole = String(BigInt(digits(1 + random.below(18))));
    const text = random.oneIn(3) ? whole : `${whole}.${digits(1 + random.below(22))}`;
    const decimals = random.below(19);
    const exact = roundScaled(parseDecimal(text), decimals, 'half_away');
    const units = exact > 0n && exact < 2n ** 53n ? Number(exact) : undefined;
    assert.equal(priceUnits(text, decimals), units, `${text} at ${decimals}`);
  }
});

test('volume units: whole, and 0 is one', () => {
  assert.equal(volumeUnits('31542091822.7'), 31_542_091_823);
  assert.equal(volumeUnits('0'), 0);
  assert.equal(volumeUnits('0.49'), 0);
  assert.equal(volumeUnits('-0.1'), undefined);
  assert.equal(volumeUnits('9007199254740992'), undefined);
});

test('price units: what is no plain decimal is malformed', () => {
  for (const text of ['', '1e5', '.5', '5.', '+5', '1,000', ' 5', 'NaN', '05']) {
    assert.throws(() => priceUnits(text, 2), { code: 'malformed' }, text);
    assert.throws(() => volumeUnits(text), { code: 'malformed' }, text);
  }
});
