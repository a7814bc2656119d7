import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  add,
  divide,
  multiply,
  type Rational,
  rational,
  roundScaled,
  subtract,
} from '@assay/core/number/rational';
import { divideRounded, meanError, type Observation } from '@assay/core/terminal/edge/jackknife';
import { Random } from '../random.ts';

/** The mean of observations as a fraction. */
function meanOf(observations: readonly Observation[]): Rational {
  const sum = observations.reduce((all, { value }) => all + BigInt(value), 0n);
  return rational(sum, BigInt(observations.length));
}

const whole = (value: Rational): bigint => roundScaled(value, 0, 'half_away');

/** By definition: the mean is computed again without each class. */
function changes(
  observations: readonly Observation[],
  keyOf: (each: Observation) => string,
): ReadonlyMap<string, bigint> {
  const keys = [...new Set(observations.map(keyOf))];
  const all = meanOf(observations);
  return new Map(
    keys.map((key) => {
      const left = observations.filter((each) => keyOf(each) !== key);
      return [key, whole(multiply(subtract(meanOf(left), all), rational(1_000_000n)))];
    }),
  );
}

function varianceOf(of: ReadonlyMap<string, bigint>, lagged: bigint): bigint {
  let sum = rational(lagged > 0n ? lagged : 0n);
  for (const change of of.values()) sum = add(sum, rational(change * change));
  const classes = rational(BigInt(of.size));
  return whole(divide(multiply(subtract(classes, rational(1n)), sum), classes));
}

function errorByDefinition(observations: readonly Observation[]): bigint {
  const weeks = changes(observations, ({ week }) => String(week));
  let lagged = 0n;
  for (const [week, change] of weeks)
    lagged += 2n * change * (weeks.get(String(Number(week) + 1)) ?? 0n);
  const ofWeeks = varianceOf(weeks, lagged);
  const ofAssets = varianceOf(
    changes(observations, ({ asset }) => asset),
    0n,
  );
  const ofBoth = varianceOf(
    changes(observations, ({ week, asset }) => `${week}/${asset}`),
    0n,
  );
  let most = ofWeeks;
  for (const other of [ofAssets, ofWeeks + ofAssets - ofBoth]) if (other > most) most = other;
  let root = BigInt(Math.floor(Math.sqrt(Number(most)))) - 3n;
  if (root < 0n) root = 0n;
  while (root * root < most) root += 1n;
  return root;
}

function made(seed: number, weeks: number, assets: number, n: number): readonly Observation[] {
  const random = new Random(seed);
  return Array.from({ length: n }, () => {
    const week = 2800 + random.below(weeks);
    return {
      week,
      asset: `A${random.below(assets)}`,
      // What is common to a week makes neighbours alike; now and then there is an outlier.
      value: 300 * (week % 4) + random.below(4001) - 2000 + (random.oneIn(30) ? 90_000 : 0),
    };
  });
}

test('jackknife: the error is what leaving out each class by hand gives', () => {
  let [larger, lagged] = [0, 0];
  for (let seed = 1; seed <= 120; seed += 1) {
    const observations = made(seed, 5 + (seed % 30), 5 + (seed % 17), 20 + 2 * seed);
    const { n, mean, error, weeks, assets } = meanError(observations);
    assert.equal(n, observations.length);
    assert.equal(weeks, new Set(observations.map(({ week }) => week)).size);
    assert.equal(assets, new Set(observations.map(({ asset }) => asset)).size);
    assert.equal(mean, whole(multiply(meanOf(observations), rational(1_000_000n))));
    assert.equal(error, errorByDefinition(observations), `seed ${seed}`);
    // Which of the three variances decides is not always the same one, and the lag counts.
    const apart = meanError(observations.map((each) => ({ ...each, week: each.week * 2 })));
    if (apart.error !== error) lagged += 1;
    const alone = meanError(observations.map((each, i) => ({ ...each, asset: `B${i}` })));
    if (alone.error !== error) larger += 1;
  }
  assert.ok(larger > 20 && lagged > 20, `${larger} ${lagged}`);
});

test('jackknife: five classes by hand', () => {
  // One observation in each of five weeks apart and five assets: the error of the mean of 1, 2, 3, 4 and 10.
  const values = [1, 2, 3, 4, 10];
  const observations = values.map((value, i) => ({ week: 10 * i, asset: `A${i}`, value }));
  const { mean, error } = meanError(observations);
  assert.equal(mean, 4_000_000n);
  // Sample variance 12.5, over 5 observations 2.5: its root is 1.58113883.
  assert.equal(error, 1_581_139n);
});

test('jackknife: no error with fewer than five weeks or assets, or without any spread', () => {
  const spread = (weeks: number, assets: number): readonly Observation[] =>
    Array.from({ length: 40 }, (_, i) => ({
      week: i % weeks,
      asset: `A${i % assets}`,
      value: i * i,
    }));
  assert.equal(meanError(spread(4, 8)).error, undefined);
  assert.equal(meanError(spread(8, 4)).error, undefined);
  assert.notEqual(meanError(spread(5, 8)).error, undefined);
  const equal = spread(8, 8).map((each) => ({ ...each, value: 7 }));
  assert.deepEqual(meanError(equal), {
    n: 40,
    weeks: 8,
    assets: 8,
    mean: 7_000_000n,
    error: undefined,
  });
  assert.deepEqual(meanError([]), {
    n: 0,
    weeks: 0,
    assets: 0,
    mean: undefined,
    error: undefined,
  });
});

test('jackknife: quotients are rounded half away from zero', () => {
  const cases: readonly (readonly [bigint, bigint, bigint])[] = [
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [4n, 3n, 1n],
    [-4n, 3n, -1n],
    [0n, 9n, 0n],
  ];
  for (const [n, d, rounded] of cases) assert.equal(divideRounded(n, d), rounded);
});
