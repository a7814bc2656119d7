import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rational, roundScaled } from '@assay/core/number/rational';
import { returnBp, scaledReturn, type SplitFactor } from '@assay/core/terminal/score/returns';
import { Random } from '../random.ts';

const SAFE = Number.MAX_SAFE_INTEGER;

test('returns: hundredths of a percent, halves away from zero', () => {
  for (const [from, to, bp] of [
    [100, 100, 0],
    [100, 105, 500],
    [100, 95, -500],
    [20_000, 20_001, 1],
    [20_000, 19_999, -1],
    [20_001, 20_002, 0],
    [3, 4, 3333],
    [3, 2, -3333],
    [SAFE, 1, -10_000],
    [1, SAFE, SAFE],
  ] as const) {
    assert.equal(returnBp(from, to), bp, `${from} to ${to}`);
  }
});

test('returns: a split of n for d is n / d times the price after it', () => {
  const ten: SplitFactor = { numerator: 10, denominator: 1 };
  assert.equal(returnBp(1000, 100, [ten]), 0);
  assert.equal(returnBp(1000, 110, [ten]), 1000);
  assert.equal(returnBp(1000, 2000, [{ numerator: 1, denominator: 2 }]), 0);
  assert.equal(returnBp(700, 150, [ten, { numerator: 1, denominator: 2 }]), 714);
  assert.equal(returnBp(1, SAFE, [ten]), SAFE);
});

test('returns: an exact half goes away from zero across a split too', () => {
  const ten: SplitFactor = { numerator: 10, denominator: 1 };
  for (const [from, to, bp] of [
    [200_000, 20_001, 1],
    [200_000, 19_999, -1],
    [200_000, 20_003, 2],
    [200_000, 19_997, -2],
  ] as const) {
    assert.equal(returnBp(from, to, [ten]), bp, `${from} to ${to}`);
  }
});

test('returns: the same as an exact fraction, at any size, with splits or without', () => {
  const random = new Random(31);
  const price = (): number =>
    random.oneIn(5) ? SAFE - random.below(9) : 1 + random.below(2 ** (1 + random.below(30)));
  for (let round = 0; round < 10_000; round += 1) {
    const [from, to] = [price(), price()];
    const splits = Array.from({ length: random.below(3) }, () => ({
      numerator: 1 + random.below(1_000_000),
      denominator: 1 + random.below(1_000_000),
    }));
    let [have, had] = [BigInt(to), BigInt(from)];
    for (const { numerator, denominator } of splits) {
      have *= BigInt(numerator);
      had *= BigInt(denominator);
    }
    for (const scale of [10_000, 1_000_000]) {
      const exact = roundScaled(rational(BigInt(scale) * (have - had), had), 0, 'half_away');
      const bounded = exact > BigInt(SAFE) ? SAFE : Number(exact);
      assert.equal(scaledReturn(scale, from, to, splits), bounded, `${from} to ${to}`);
    }
  }
});
