import {
  divideRounded,
  MEAN_UNITS,
  type MeanError,
  meanError,
  type Observation,
} from './jackknife.ts';
import type { StudyMoment } from './study-moment.ts';
import { type EdgeLevel, studentQuantile } from './student-quantiles.ts';

/**
 * The two bounds of an edge where assets have no price any more. In the low one all was lost in the asset of the
 * event, and its controls were paid their last prices; in the high one it is the other way round.
 */
export const EDGE_BOUNDS = ['low', 'high'] as const;
export type EdgeBound = (typeof EDGE_BOUNDS)[number];

/** The edge of a set of moments with one bound, in basis points. */
export interface Edge {
  /** Null without moments. */
  readonly mean: number | null;
  /** The 95 % interval, and the mean over its error in thousandths; null with too few weeks or assets. */
  readonly ci: readonly [number, number] | null;
  readonly t: number | null;
}

/** A set of moments of a group. */
export interface EdgePart {
  readonly n: number;
  readonly n_weeks: number;
  readonly n_assets: number;
  readonly low: Edge;
  readonly high: Edge;
}

/** A part with the exact numbers that decide about it. */
export interface MeasuredPart {
  readonly part: EdgePart;
  readonly exact: { readonly [B in EdgeBound]: MeanError };
}

const WEEK_SECONDS = 604_800;
const LOST_BP = -10_000;
const MAX = Number.MAX_SAFE_INTEGER;

/** The return after 7 days less that of the controls, with one bound, limited to +-(2^53-1). */
export function excess7d({ returns }: StudyMoment, bound: EdgeBound): number {
  const after = returns['7d'];
  if (after === null) throw new RangeError('a moment whose 7 days are not over');
  const { ret, gone, base, base_lost } = after;
  return clipped(bound === 'high' ? ret - base_lost : (gone ? LOST_BP : ret) - base);
}

/** An integer limited to +-(2^53-1). */
export function clipped(value: number): number {
  return Math.max(-MAX, Math.min(value, MAX));
}

/** The excess of a moment with both bounds, and where it belongs. */
export type ExcessAt = Omit<Observation, 'value'> & { readonly [B in EdgeBound]: number };

/** The excesses after 7 days of moments. */
export function excessesOf(moments: readonly StudyMoment[]): readonly ExcessAt[] {
  return moments.map((moment) => ({
    week: Math.floor(moment.entered_at / WEEK_SECONDS),
    asset: moment.symbol,
    low: excess7d(moment, 'low'),
    high: excess7d(moment, 'high'),
  }));
}

/** Measures a set of excesses. */
export function measurePart(excesses: readonly ExcessAt[]): MeasuredPart {
  const errorOf = (bound: EdgeBound): MeanError =>
    meanError(excesses.map(({ week, asset, [bound]: value }) => ({ week, asset, value })));
  const exact = { low: errorOf('low'), high: errorOf('high') };
  const { n, weeks, assets } = exact.low;
  const part = {
    n,
    n_weeks: weeks,
    n_assets: assets,
    low: edgeOf(exact.low),
    high: edgeOf(exact.high),
  };
  return { part, exact };
}

/**
 * The interval that holds for both bounds, in basis points: from the lower one of their lower ends to the higher one of
 * their upper ends. Null where there is none.
 */
export function jointInterval({ low, high }: Pick<EdgePart, EdgeBound>): Edge['ci'] {
  if (low.ci === null || high.ci === null) return null;
  return [Math.min(low.ci[0], high.ci[0]), Math.max(low.ci[1], high.ci[1])];
}

/** The sign of a mean: -1, 0 or 1; 0 where there is none. */
export function signOf({ mean = 0n }: MeanError): number {
  return Number(mean > 0n) - Number(mean < 0n);
}

/** Whether a part is this far from 0 with both bounds, on the side of `sign`. */
export function passes({ exact }: MeasuredPart, level: EdgeLevel, sign: number): boolean {
  return EDGE_BOUNDS.every((bound) => {
    const error = exact[bound];
    if (error.mean === undefined || error.error === undefined) return false;
    if (signOf(error) !== sign || sign === 0) return false;
    const magnitude = error.mean < 0n ? -error.mean : error.mean;
    return 1000n * magnitude >= quantile(level, error) * error.error;
  });
}

function quantile(level: EdgeLevel, { weeks, assets }: MeanError): bigint {
  return BigInt(studentQuantile(level, Math.min(weeks, assets) - 1));
}

function edgeOf(of: MeanError): Edge {
  const { mean, error } = of;
  if (mean === undefined) return { mean: null, ci: null, t: null };
  const rounded = safe(divideRounded(mean, MEAN_UNITS));
  if (error === undefined) return { mean: rounded, ci: null, t: null };
  const half = quantile('interval', of) * error;
  const unit = 1000n * MEAN_UNITS;
  const low = floored(1000n * mean - half, unit);
  const high = -floored(-(1000n * mean + half), unit);
  const t = divideRounded(1000n * mean, error);
  return { mean: rounded, ci: [safe(low), safe(high)], t: safe(t) };
}

/** The quotient with `denominator` > 0, rounded down. */
function floored(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return numerator % denominator < 0n ? quotient - 1n : quotient;
}

/** An integer limited to +-(2^53-1). */
function safe(value: bigint): number {
  const limit = BigInt(MAX);
  return Number(value > limit ? limit : value < -limit ? -limit : value);
}
