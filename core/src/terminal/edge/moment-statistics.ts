import { divideRounded } from '../../number/scaled.ts';
import type { StudyHorizon } from '../study/study-blob.ts';
import { ValueCounts } from '../study/value-counts.ts';
import { clipped } from './edge-part.ts';
import { divideRounded as divideRoundedWide } from './jackknife.ts';
import type { MomentReturn, StudyMoment } from './study-moment.ts';

/** What became of moments after a horizon, with last prices. Without any, all but the counts are null. */
export interface MomentStatistics {
  /** The moments whose horizon is over, and those of them whose asset has no price any more. */
  readonly n: number;
  readonly gone: number;
  /** The share of returns above 0, in hundredths of a percent. */
  readonly up_share: number | null;
  /** Basis points. */
  readonly median_ret: number | null;
  /** Of the return less that of the controls, in basis points. */
  readonly mean_excess: number | null;
  readonly quarter_excess: number | null;
  readonly median_excess: number | null;
  readonly three_quarter_excess: number | null;
}

/** What the controls of the same moments returned meanwhile. */
export type BaseStatistics = Pick<MomentStatistics, 'up_share' | 'median_ret'>;

export function momentStatistics(
  moments: readonly StudyMoment[],
  horizon: StudyHorizon,
): MomentStatistics {
  const over = returnsOver(moments, horizon);
  const excesses = over.map(({ ret, base }) => clipped(ret - base)).toSorted((a, b) => a - b);
  const ranked = (quarters: number): number | null =>
    excesses[Math.ceil((quarters * excesses.length) / 4) - 1] ?? null;
  const { up_share, median_ret } = spread(over.map(({ ret }) => ret));
  return {
    n: over.length,
    gone: over.filter(({ gone }) => gone).length,
    up_share,
    median_ret,
    mean_excess: meanOf(excesses),
    quarter_excess: ranked(1),
    median_excess: spread(excesses).median_ret,
    three_quarter_excess: ranked(3),
  };
}

export function baseStatistics(
  moments: readonly StudyMoment[],
  horizon: StudyHorizon,
): BaseStatistics {
  return spread(returnsOver(moments, horizon).map(({ base }) => base));
}

function returnsOver(
  moments: readonly StudyMoment[],
  horizon: StudyHorizon,
): readonly MomentReturn[] {
  return moments.flatMap(({ returns }) => returns[horizon] ?? []);
}

function spread(values: readonly number[]): BaseStatistics {
  const counts = new ValueCounts();
  for (const value of values) counts.add(value);
  const { n, positive, median } = counts;
  return { up_share: n === 0 ? null : divideRounded(10_000 * positive, n), median_ret: median };
}

function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((before, value) => before + BigInt(value), 0n);
  return Number(divideRoundedWide(sum, BigInt(values.length)));
}
