import { compare, multiply, type Rational, rational } from '../../number/rational.ts';

/**
 * Which of `shares` (p-values) are discoveries at the false discovery rate `rate`, in their order (Y. Benjamini
 * and Y. Hochberg 1995). Of m p-values in ascending order, these are all up to the largest k whose p is at most
 * k * rate / m.
 */
export function discoveries(shares: readonly Rational[], rate: Rational): readonly boolean[] {
  const sorted = shares.toSorted(compare);
  const limit = sorted.findLast(
    (share, i) =>
      compare(share, multiply(rate, rational(BigInt(i + 1), BigInt(sorted.length)))) <= 0,
  );
  return shares.map((share) => limit !== undefined && compare(share, limit) <= 0);
}
