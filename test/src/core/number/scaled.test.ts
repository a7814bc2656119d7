import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rational, roundScaled } from '@assay/core/number/rational';
import { divideRounded, scaleRounded } from '@assay/core/number/scaled';
import { Random } from '../terminal/random.ts';

const SAFE = Number.MAX_SAFE_INTEGER;

function exactly(numerator: bigint, denominator: bigint): number {
  return Number(roundScaled(rational(numerator, denominator), 0, 'half_away'));
}

/** Integers of every size up to 2^53 - 1, those near its bounds among them. */
function integers(random: Random): number {
  const edge = random.below(8);
  if (edge === 0) return SAFE - random.below(4);
  if (edge === 1) return Math.floor(SAFE / 4) + random.below(5) - 2;
  if (edge === 2) return Math.floor(SAFE / 2) + random.below(5) - 2;
  return Math.floor(random.below(2_147_483_647) * 2 ** (random.below(53) - 31)) % SAFE;
}

test('scaled: halves go away from zero', () => {
  for (const [n, d, q] of [
    [1, 2, 1],
    [-1, 2, -1],
    [1, 3, 0],
    [-1, 3, 0],
    [5, 10, 1],
    [49, 100, 0],
    [-7, 2, -4],
    [0, 7, 0],
  ] as const) {
    assert.equal(divideRounded(n, d), q, `${n}/${d}`);
    assert.ok(!Object.is(divideRounded(n, d), -0), `${n}/${d}`);
  }
});

test('scaled: the quotients of any two integers are exact', () => {
  const random = new Random(11);
  for (let round = 0; round < 20_000; round += 1) {
    const denominator = Math.max(1, integers(random));
    const numerator = random.oneIn(2) ? integers(random) : 0 - integers(random);
    assert.equal(
      divideRounded(numerator, denominator),
      exactly(BigInt(numerator), BigInt(denominator)),
      `${numerator} / ${denominator}`,
    );
  }
});

test('scaled: so are products over an integer, whatever their size', () => {
  const random = new Random(12);
  for (let round = 0; round < 20_000; round += 1) {
    const [factor, denominator] = [integers(random), Math.max(1, integers(random))];
    const numerator = random.oneIn(2) ? integers(random) : 0 - integers(random);
    assert.equal(
      scaleRounded(factor, numerator, denominator),
      exactly(BigInt(factor) * BigInt(numerator), BigInt(denominator)),
      `${factor} * ${numerator} / ${denominator}`,
    );
  }
});
