/** A value in basis points, in the two classes that move together. */
export interface Observation {
  /** The number of its week. */
  readonly week: number;
  readonly asset: string;
  readonly value: number;
}

/** How far the mean of a number of observations can be trusted. */
export interface MeanError {
  readonly n: number;
  readonly weeks: number;
  readonly assets: number;
  /** The mean in millionths of a basis point, rounded; undefined if there is none. */
  readonly mean: bigint | undefined;
  /** The standard error in the same unit, rounded up; undefined with too few weeks or assets, or if it is 0. */
  readonly error: bigint | undefined;
}

/** The fewest weeks, and the fewest assets, of which an error is stated. */
export const MIN_CLASSES = 5;

/** Of the unit in which means are kept, for each basis point. */
export const MEAN_UNITS = 1_000_000n;

/** What observations of a class sum to. */
interface Sum {
  n: number;
  sum: bigint;
}

/**
 * The mean of observations with its standard error by the delete-a-group jackknife (J. Tukey 1958; B. Efron and
 * C. Stein 1981): each week, each asset, and each asset in each week is left out in turn. The three variances
 * are joined as in A. Cameron, J. Gelbach and D. Miller 2011, and neighbouring weeks with their whole weight, as in
 * L. Hansen and R. Hodrick 1980 with one lag. All of it is arithmetic of integers (docs/spec/base-rate.md, "Edge and interval").
 */
export function meanError(observations: readonly Observation[]): MeanError {
  const all = sumOf(observations);
  const weeks = classesOf(observations, ({ week }) => week);
  const assets = classesOf(observations, ({ asset }) => asset);
  const counts = { n: all.n, weeks: weeks.size, assets: assets.size };
  if (all.n === 0) return { ...counts, mean: undefined, error: undefined };
  const mean = divideRounded(MEAN_UNITS * all.sum, BigInt(all.n));
  if (weeks.size < MIN_CLASSES || assets.size < MIN_CLASSES) {
    return { ...counts, mean, error: undefined };
  }
  const both = classesOf(observations, ({ week, asset }) => `${week} ${asset}`);
  const byWeek = leftOut(weeks, all);
  const ofWeeks = variance([...byWeek.values()], laggedSum(byWeek));
  const ofAssets = variance([...leftOut(assets, all).values()]);
  const ofBoth = variance([...leftOut(both, all).values()]);
  const joined = [ofAssets, ofWeeks + ofAssets - ofBoth].reduce(larger, ofWeeks);
  return { ...counts, mean, error: joined === 0n ? undefined : rootUp(joined) };
}

function sumOf(observations: readonly Observation[]): Sum {
  const sum = observations.reduce((before, { value }) => before + BigInt(value), 0n);
  return { n: observations.length, sum };
}

function classesOf<K>(
  observations: readonly Observation[],
  keyOf: (observation: Observation) => K,
): ReadonlyMap<K, Sum> {
  const classes = new Map<K, Sum>();
  for (const observation of observations) {
    const key = keyOf(observation);
    const known = classes.get(key);
    const value = BigInt(observation.value);
    if (known === undefined) classes.set(key, { n: 1, sum: value });
    else {
      known.n += 1;
      known.sum += value;
    }
  }
  return classes;
}

/** How much the mean changes, in its unit, where a class is left out. No class is the whole. */
function leftOut<K>(classes: ReadonlyMap<K, Sum>, all: Sum): ReadonlyMap<K, bigint> {
  const changes = new Map<K, bigint>();
  const n = BigInt(all.n);
  for (const [key, { n: own, sum }] of classes) {
    const left = n - BigInt(own);
    const change = (all.sum - sum) * n - all.sum * left;
    changes.set(key, divideRounded(MEAN_UNITS * change, left * n));
  }
  return changes;
}

/** Twice the sum of the products of neighbouring weeks, or 0 where that is below 0. */
function laggedSum(byWeek: ReadonlyMap<number, bigint>): bigint {
  let sum = 0n;
  for (const [week, change] of byWeek) sum += change * (byWeek.get(week + 1) ?? 0n);
  return larger(2n * sum, 0n);
}

function variance(changes: readonly bigint[], lagged = 0n): bigint {
  const squares = changes.reduce((sum, change) => sum + change * change, lagged);
  const classes = BigInt(changes.length);
  return divideRounded((classes - 1n) * squares, classes);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** The quotient with `denominator` > 0, rounded half away from zero. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const quotient = (2n * magnitude + denominator) / (2n * denominator);
  return numerator < 0n ? -quotient : quotient;
}

/** The least integer whose square is at least `value`, which is above 0 (Newton's method). */
function rootUp(value: bigint): bigint {
  let root = 1n << (BigInt(value.toString(2).length) / 2n + 1n);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return root * root === value ? root : root + 1n;
}
