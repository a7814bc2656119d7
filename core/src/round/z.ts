import {
  absolute,
  add,
  compare,
  divide,
  formatScaled,
  median,
  multiply,
  type Rational,
  rational,
  roundScaled,
  subtract,
} from '../number/rational.ts';
import type { Band, Baseline } from '../rule/rule.ts';

/** MAD to standard deviations: 1.4826. */
const FROM_MAD: Rational = rational(7413n, 5000n);
/** Mean absolute deviation to standard deviations: 1.253314. */
const FROM_MEAN_DEVIATION: Rational = rational(1_253_314n, 1_000_000n);
/** 99.9, the largest z that is shown. */
const CLIP = 999n;

/** z with one decimal, and its band; both null together. */
export interface ZScore {
  readonly z: string | null;
  readonly band: string | null;
}

/**
 * The distance of `value` from `history`, the settlement values before it, oldest first, all in the same scaled units:
 * (value - median) / (MAD * 1.4826), rounded half away from zero to one decimal and clipped to +-99.9. Where the MAD is
 * 0, the mean absolute deviation replaces it. Where that is 0 too, z is 0 at the median and null elsewhere. Null for
 * fewer than `baseline.min` values.
 */
export function zScoreOf(
  value: bigint,
  history: readonly bigint[],
  baseline: Pick<Baseline, 'window' | 'min'>,
  bands: readonly Band[],
): ZScore {
  const z10 = scaledZ(rational(value), history.slice(-baseline.window), baseline.min);
  if (z10 === null) return { z: null, band: null };
  const z = formatScaled(z10, 1);
  return { z, band: bandOf(z, bands) };
}

/** The band of a z with one decimal: the last band that begins at or below it. */
export function bandOf(z: string, bands: readonly Band[]): string | null {
  const tenths = (text: string): number => Number(text.replace('.', ''));
  return bands.findLast(({ from_z: from }) => tenths(from) <= tenths(z))?.name ?? null;
}

function scaledZ(value: Rational, history: readonly bigint[], min: number): bigint | null {
  if (history.length < min) return null;
  const values = history.map((each) => rational(each));
  const middle = median(values);
  const deviations = values.map((each) => absolute(subtract(each, middle)));
  let scale = multiply(median(deviations), FROM_MAD);
  if (scale.n === 0n) {
    const mean = divide(deviations.reduce(add), rational(BigInt(deviations.length)));
    scale = multiply(mean, FROM_MEAN_DEVIATION);
  }
  if (scale.n === 0n) return compare(value, middle) === 0 ? 0n : null;
  const z = roundScaled(divide(subtract(value, middle), scale), 1, 'half_away');
  return z > CLIP ? CLIP : z < -CLIP ? -CLIP : z;
}
