import { add, divide, type Rational, rational, roundScaled, subtract } from '../number/rational.ts';
import { formatScaled } from '../number/rational.ts';
import { crowdSums, type ScoreSums, scoreSums } from '../view/referee.ts';
import type { ViewState } from '../view/view.ts';

/**
 * The Brier score (G. W. Brier, "Verification of forecasts expressed in terms of probability", 1950) of `p`, a share of
 * yes, where `yes` came true or did not: the squared error, exact.
 */
export function brierOf(p: Rational, yes: boolean): Rational {
  const error = subtract(p, rational(yes ? 1n : 0n));
  return rational(error.n * error.n, error.d * error.d);
}

/** The Brier score of a whole percent. */
export function brierOfPercent(p: number, yes: boolean): Rational {
  return brierOf(rational(BigInt(p), 100n), yes);
}

/** Forecasts that the service's answers are compared with. */
export const NULLS = ['persistence', 'always_under', 'climatology'] as const;
export type NullName = (typeof NULLS)[number];

/** Mean scores over the questions that have come true or have not. */
export interface MeanScores {
  /** The number of questions. */
  readonly n: number;
  readonly service: Rational;
  readonly nulls: Readonly<Record<NullName, Rational>>;
  /** `1 - service / null` of each; null where the score of the null is 0. */
  readonly skill: Readonly<Record<NullName, Rational | null>>;
}

/** The mean scores of all questions with an outcome that is not void; undefined where there is none. */
export function meanScores(state: ViewState): MeanScores | undefined {
  const sums = scoreSums(state);
  const { resolved: n } = sums;
  if (n === 0) return undefined;
  const mean = (of: NullName | 'service'): Rational => meanOf(sums, of);
  const skill = (of: NullName): Rational | null =>
    sums[of] === 0 ? null : subtract(rational(1n), divide(mean('service'), mean(of)));
  return {
    n,
    service: mean('service'),
    nulls: {
      persistence: mean('persistence'),
      always_under: mean('always_under'),
      climatology: mean('climatology'),
    },
    skill: {
      persistence: skill('persistence'),
      always_under: skill('always_under'),
      climatology: skill('climatology'),
    },
  };
}

function meanOf(sums: ScoreSums, of: NullName | 'service'): Rational {
  return rational(BigInt(sums[of]), 10_000n * BigInt(sums.resolved));
}

/** The mean score of the crowd over the questions that somebody answered, exact; undefined where there is none. */
export function meanCrowd(
  state: ViewState,
): { readonly n: number; readonly mean: Rational } | undefined {
  let [n, sum] = [0, rational(0n)];
  for (const [count, { n: own, squares }] of crowdSums(state)) {
    n += own;
    sum = add(sum, rational(BigInt(squares), BigInt(count) * BigInt(count)));
  }
  return n === 0 ? undefined : { n, mean: divide(sum, rational(BigInt(n))) };
}

/** A fraction as text in lowest terms: `1/4`, `0/1`. */
export function fractionText({ n, d }: Rational): string {
  return `${n}/${d}`;
}

/** A fraction rounded half away from zero to so many decimals. */
export function decimalText(value: Rational, decimals: number): string {
  return formatScaled(roundScaled(value, decimals, 'half_away'), decimals);
}
