/**
 * Quotients of whole numbers, rounded half away from zero and exact. Products up to 2^53 are exact in a double,
 * and so is the quotient of two such integers rounded down. Larger numbers are computed with BigInt to the same
 * integer.
 */

/** `numerator / denominator` of integers, `denominator` > 0, rounded half away from zero. */
export function divideRounded(numerator: number, denominator: number): number {
  const doubled = 2 * Math.abs(numerator) + denominator;
  if (doubled <= Number.MAX_SAFE_INTEGER && 2 * denominator <= Number.MAX_SAFE_INTEGER) {
    const quotient = Math.floor(doubled / (2 * denominator));
    return numerator < 0 ? 0 - quotient : quotient;
  }
  return Number(divideRoundedWide(BigInt(numerator), BigInt(denominator)));
}

/** `factor * numerator / denominator` of integers, `denominator` > 0, rounded once, half away from zero. */
export function scaleRounded(factor: number, numerator: number, denominator: number): number {
  const product = factor * numerator;
  // A product that rounds to 2^53 or less may have been larger by at most half: it is taken as not safe.
  if (Math.abs(product) < Number.MAX_SAFE_INTEGER / 4) return divideRounded(product, denominator);
  return Number(divideRoundedWide(BigInt(factor) * BigInt(numerator), BigInt(denominator)));
}

function divideRoundedWide(numerator: bigint, denominator: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const quotient = (2n * magnitude + denominator) / (2n * denominator);
  return numerator < 0n ? -quotient : quotient;
}
