import type { OrdinaryCounts } from '@assay/core/terminal/study/ordinary-tally';
import { type Ordinary, STUDY_HORIZONS } from '@assay/core/terminal/study/study-blob';
import type { Findings } from '../verdict/finding.ts';

/** No asset can lose more than everything, in basis points. */
const LEAST = -10_000;
const MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Checks what a study states about ordinary moments against what determines part of it. Their number follows from the
 * public leaves, and not every combination of share, median and sum is possible for that many numbers. The rest depends
 * on prices.
 */
export function checkOrdinary(
  { horizons, excess_7d }: Ordinary,
  counts: OrdinaryCounts,
  place: string,
  findings: Findings,
): void {
  const hold = (path: string, holds: boolean, expected: string, found: unknown): void => {
    if (!holds) findings.add('study_differs', `${place}/${path}`, expected, String(found));
  };
  for (const horizon of STUDY_HORIZONS) {
    const { n, excess } = counts[horizon];
    const stated = horizons[horizon];
    const at = `horizons/${horizon}`;
    hold(`${at}/n`, stated.n === n, `${n}, as the leaves have it`, stated.n);
    hold(
      `${at}/median_excess`,
      isThere(stated.median_excess, excess),
      textOf(excess),
      stated.median_excess,
    );
    hold(`${at}/median_ret`, isThere(stated.median_ret, n), textOf(n), stated.median_ret);
    hold(`${at}/up_share`, isThere(stated.up_share, n), textOf(n), stated.up_share);
    const { up_share: share, median_ret: median } = stated;
    if (n === 0 || share === null || median === null) continue;
    hold(`${at}/median_ret`, median >= LEAST, `${LEAST} or more`, median);
    const [least, most] = risen(n, share);
    hold(`${at}/up_share`, least <= most, `the share of some of ${n}`, share);
    if (least > most) continue;
    // Both middle returns are above 0 if at most the numbers before them are not. Neither is if more are not.
    if (n - least <= (n - 1) >> 1) {
      hold(`${at}/median_ret`, median > 0, `above 0: more than half of ${n} rose`, median);
    }
    if (n - most > n >> 1) {
      hold(`${at}/median_ret`, median <= 0, `0 or less: fewer than half of ${n} rose`, median);
    }
  }
  const { excess: n } = counts['7d'];
  hold('excess_7d/n', excess_7d.n === n, `${n}, as the leaves have it`, excess_7d.n);
  const [least, most] = sums(BigInt(n), horizons['7d'].median_excess);
  const sum = BigInt(excess_7d.sum);
  hold('excess_7d/sum', sum >= least && sum <= most, `${least} to ${most}`, excess_7d.sum);
}

function isThere(value: number | null, n: number): boolean {
  return (value === null) === (n === 0);
}

function textOf(n: number): string {
  return n === 0 ? 'null, of none' : `a number, of ${n}`;
}

/**
 * The least and the most of `n` whose share, in hundredths of a percent and rounded, is `share`. The least exceeds the
 * most where there is no such number.
 */
function risen(n: number, share: number): readonly [least: number, most: number] {
  const above = (twice: number): number => Math.ceil((twice * n) / 20_000);
  return [Math.max(0, above(2 * share - 1)), Math.min(n, above(2 * share + 1) - 1)];
}

/** The least and the greatest sum of `n` numbers whose rounded median is `median`. */
function sums(n: bigint, median: number | null): readonly [least: bigint, most: bigint] {
  if (n === 0n || median === null) return [-n * MAX, n * MAX];
  const m = BigInt(median);
  if (n === 1n) return [m, m];
  // Of an even count, the two in the middle make the median, up to rounding. Of each pair around the middle the lower
  // is at most the median, and the upper at least.
  const [pairs, low, high] =
    n % 2n === 0n ? [n / 2n - 1n, 2n * m - 1n, 2n * m + 1n] : [n / 2n, m, m];
  return [low + pairs * (m - 1n - MAX), high + pairs * (m + 1n + MAX)];
}
