import { scaleRounded } from '../../number/scaled.ts';

/** Prices before a split are multiplied by `denominator / numerator` to be comparable with those after it. */
export interface SplitFactor {
  readonly numerator: number;
  readonly denominator: number;
}

/** The basis points in 1, each of which is a hundredth of a percent. */
export const BASIS_POINTS = 10_000;

/**
 * `scale * (to / from - 1)` of two prices in units of one size, 1 to 2^53 - 1 each, rounded once, half away
 * from zero; at most 2^53 - 1. `splits` are those that came into force after `from` and not after `to`. After a
 * split of n for d a holder has n / d times as many shares, so that the return is `scale * (to * n / (from * d)
 * - 1)`.
 */
export function scaledReturn(
  scale: number,
  from: number,
  to: number,
  splits: readonly SplitFactor[] = [],
): number {
  if (splits.length === 0) {
    return Math.min(scaleRounded(scale, to - from, from), Number.MAX_SAFE_INTEGER);
  }
  let [have, had] = [BigInt(to), BigInt(from)];
  for (const { numerator, denominator } of splits) {
    have *= BigInt(numerator);
    had *= BigInt(denominator);
  }
  return scaledReturnWide(BigInt(scale), had, have);
}

/** The return in basis points, -10,000 to 2^53 - 1: `scaledReturn` at 10,000. */
export function returnBp(from: number, to: number, splits: readonly SplitFactor[] = []): number {
  return scaledReturn(BASIS_POINTS, from, to, splits);
}

function scaledReturnWide(scale: bigint, had: bigint, have: bigint): number {
  const gained = scale * (have - had);
  const magnitude = gained < 0n ? -gained : gained;
  const quotient = (2n * magnitude + had) / (2n * had);
  const value = gained < 0n ? -quotient : quotient;
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}
