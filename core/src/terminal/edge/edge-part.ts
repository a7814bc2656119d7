import { divideRounded, MEAN_UNITS, type MeanError, meanError } from './jackknife.ts';
import type { StudyMoment } from './study-moment.ts';
import { type EdgeLevel, studentQuantile } from './student-quantiles.ts';

/** The two bounds of what an asset returned that has no price any more: its last price, or nothing. */
export const EDGE_BOUNDS = ['last', 'lost'] as const;
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
  readonly last: Edge;
  readonly lost: Edge;
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
  const lost = bound === 'lost';
  const ret = lost && after.gone ? LOST_BP : after.ret;
  return clipped(ret - (lost ? after.base_lost : after.base));
}

/** An integer limited to +-(2^53-1). */
export function clipped(value: number): number {
  return Math.max(-MAX, Math.min(value, MAX));
}

/** Measures a set of moments. */
export function measurePart(moments: readonly StudyMoment[]): MeasuredPart {
  const errorWith = (bound: EdgeBound): MeanError =>
    meanError(
      moments.map((moment) => ({
        week: Math.floor(moment.entered_at / WEEK_SECONDS),
        asset: moment.symbol,
        value: excess7d(moment, bound),
      })),
    );
  const exact = { last: errorWith('last'), lost: errorWith('lost') };
  const { n, weeks, assets } = exact.last;
  const part = {
    n,
    n_weeks: weeks,
    n_assets: assets,
    last: edgeOf(exact.last),
    lost: edgeOf(exact.lost),
  };
  return { part, exact };
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
