import { formatScaled, rational, roundScaled } from '../number/rational.ts';
import { CALIBRATION_BINS, calibrationBin } from '../view/referee.ts';
import type { ViewState } from '../view/view.ts';

/** What the service's answers between two bounds amount to. */
export interface CalibrationRow {
  /** Percent: from `from` to below `to`; the last row has 100 in it. */
  readonly from: number;
  readonly to: number;
  /** Resolved questions; void ones do not count. */
  readonly n: number;
  readonly yes: number;
  /** The mean answer in percent, two decimals; null where there is none. */
  readonly mean_p: string | null;
  /** The share of yes, four decimals; null where there is no question. */
  readonly yes_share: string | null;
  /** The 95 % interval of that share, four decimals each; null where there is no question. */
  readonly wilson: { readonly low: string; readonly high: string } | null;
}

/** Ten rows over all resolved questions of the log. */
export function calibrationOf(state: ViewState): readonly CalibrationRow[] {
  return Array.from({ length: CALIBRATION_BINS }, (_, bin) => {
    const { n, p, yes } = calibrationBin(state, bin);
    const bounds = { from: 10 * bin, to: 10 * (bin + 1) };
    if (n === 0) return { ...bounds, n, yes, mean_p: null, yes_share: null, wilson: null };
    return {
      ...bounds,
      n,
      yes,
      mean_p: quotient(BigInt(p), BigInt(n), 2),
      yes_share: quotient(BigInt(yes), BigInt(n), 4),
      wilson: wilsonInterval(yes, n),
    };
  });
}

function quotient(n: bigint, d: bigint, decimals: number): string {
  return formatScaled(roundScaled(rational(n, d), decimals, 'half_away'), decimals);
}

/** 1.96 as a fraction: the two-sided 95 % point of the normal distribution, squared it is 2401/625. */
const Z_N = 49n;
const Z_D = 25n;

/** How finely the root is taken: a ten-thousandth of the last decimal that is stated. */
const ROOT_SCALE = 10n ** 8n;

/**
 * The score interval of E. B. Wilson ("Probable inference, the law of succession, and statistical inference", 1927) of
 * `yes` in `n`, with z = 1.96, for `n` above 0:
 *
 *     (yes + z^2/2 -+ z sqrt(yes (n - yes) / n + z^2/4)) / (n + z^2)
 *
 * All of it is exact but the root, which is rounded down to eight decimals. The bounds are rounded half away from zero to
 * four decimals, and lie between 0 and 1.
 */
export function wilsonInterval(
  yes: number,
  n: number,
): { readonly low: string; readonly high: string } {
  const [k, all] = [BigInt(yes), BigInt(n)];
  // Everything times 2 * Z_D^2 * n, and the root in units of 1 / ROOT_SCALE.
  const [z2n, z2d] = [Z_N * Z_N, Z_D * Z_D];
  // The radicand is (4 yes (n - yes) z2d + z2n n) / (4 n z2d).
  const radicandN = 4n * k * (all - k) * z2d + z2n * all;
  const radicandD = 4n * all * z2d;
  const root = integerRoot((radicandN * ROOT_SCALE * ROOT_SCALE) / radicandD);
  const bound = (sign: bigint): string => {
    // yes + z2n / (2 z2d) +- (Z_N / Z_D) root / ROOT_SCALE, over n + z2n / z2d: both times 2 z2d Z_D ROOT_SCALE.
    const numerator =
      2n * z2d * Z_D * ROOT_SCALE * k + z2n * Z_D * ROOT_SCALE + sign * 2n * z2d * Z_N * root;
    const denominator = 2n * Z_D * ROOT_SCALE * (all * z2d + z2n);
    const clamped = numerator < 0n ? 0n : numerator > denominator ? denominator : numerator;
    return quotient(clamped, denominator, 4);
  };
  return { low: bound(-1n), high: bound(1n) };
}

/** The largest integer whose square is at most `value`, for `value` of 0 or more (Newton's method). */
export function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let x = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (x + value / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}
