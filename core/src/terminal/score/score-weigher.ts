import { divideRounded } from '../../number/scaled.ts';
import type { ScorePart, ScoreRule } from '../rule/score-rule.ts';

/**
 * Returns the score, 0 to 100, from the robust deviations of the long and the short return in thousandths and
 * the volume's multiple in hundredths.
 */
export type Weigher = (long: number, volume: number, short: number) => number;

/**
 * Weighs three parts as one exact fraction, which is rounded once, half away from zero (docs/spec/score.md,
 * step 5).
 */
export function scoreWeigher({ long, volume, short }: ScoreRule['parts']): Weigher {
  const [dl, dv, ds] = [long, volume, short].map(({ from, to }) => BigInt(to - from)) as [
    bigint,
    bigint,
    bigint,
  ];
  const whole = lowestMultiple(lowestMultiple(dl, dv), ds);
  const [ml, mv, ms] = [whole / dl, whole / dv, whole / ds];
  if (200n * whole < BigInt(Number.MAX_SAFE_INTEGER)) {
    const [nl, nv, ns, denominator] = [Number(ml), Number(mv), Number(ms), Number(whole)];
    return (zLong, volMult, zShort) =>
      divideRounded(
        nl * within(long, zLong) + nv * within(volume, volMult) + ns * within(short, zShort),
        denominator,
      );
  }
  return (zLong, volMult, zShort) => {
    const sum =
      ml * BigInt(within(long, zLong)) +
      mv * BigInt(within(volume, volMult)) +
      ms * BigInt(within(short, zShort));
    return Number((2n * sum + whole) / (2n * whole));
  };
}

/** A part's weight times how far `value` is into its range. */
function within({ weight, from, to }: ScorePart, value: number): number {
  return weight * Math.min(Math.max(value - from, 0), to - from);
}

function lowestMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}
