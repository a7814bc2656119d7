import { Fault } from '../fault.ts';

/** An exact fraction in lowest terms; `d` is positive. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

export const ROUNDINGS = ['half_away', 'half_even', 'trunc', 'floor', 'ceil'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

const DECIMAL = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/;

function gcd(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a;
  let y = b;
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** `n / d` in lowest terms. Throws `out_of_range` when `d` is 0. */
export function rational(n: bigint, d = 1n): Rational {
  if (d === 1n) return { n, d };
  if (d === 0n) throw new Fault('out_of_range', 'fraction', { expected: 'a denominator but 0' });
  const sign = d < 0n ? -1n : 1n;
  const common = gcd(n, sign * d);
  return { n: (sign * n) / common, d: (sign * d) / common };
}

/** Whether `text` is a plain decimal: no plus, exponent, grouping or bare point. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** The exact value of a plain decimal. Throws `malformed`. */
export function parseDecimal(text: string): Rational {
  if (!isDecimal(text)) {
    throw new Fault('malformed', 'decimal', {
      expected: 'digits with at most one point',
      found: JSON.stringify(text.slice(0, 40)),
    });
  }
  const point = text.indexOf('.');
  if (point < 0) return { n: BigInt(text), d: 1n };
  const [whole, part] = [text.slice(0, point), text.slice(point + 1)];
  return rational(BigInt(whole + part), 10n ** BigInt(part.length));
}

/** A scaled integer as a decimal: `formatScaled(-14n, 1)` is `-1.4`. */
export function formatScaled(value: bigint, decimals: number): string {
  if (decimals === 0) return value.toString();
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return `${value < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

export function add(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d + b.n * a.d, a.d * b.d);
}

export function subtract(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d - b.n * a.d, a.d * b.d);
}

export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.n * b.n, a.d * b.d);
}

/** Throws `out_of_range` when `b` is 0. */
export function divide(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d, a.d * b.n);
}

export function absolute(a: Rational): Rational {
  return a.n < 0n ? { n: -a.n, d: a.d } : a;
}

/** Below 0, 0 or above 0, as in a sort. */
export function compare(a: Rational, b: Rational): number {
  const left = a.n * b.d;
  const right = b.n * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `a` times 10^decimals as an integer, rounded as named. */
export function roundScaled(a: Rational, decimals: number, rounding: Rounding): bigint {
  // A whole number has nothing to round, and most of those that sources write are whole.
  if (a.d === 1n) return decimals === 0 ? a.n : a.n * 10n ** BigInt(decimals);
  const negative = a.n < 0n;
  const magnitude = (negative ? -a.n : a.n) * 10n ** BigInt(decimals);
  const quotient = magnitude / a.d;
  const rest = magnitude % a.d;
  let up = false;
  switch (rounding) {
    case 'half_away':
      up = 2n * rest >= a.d;
      break;
    case 'half_even':
      up = 2n * rest > a.d || (2n * rest === a.d && quotient % 2n === 1n);
      break;
    case 'floor':
      up = negative && rest > 0n;
      break;
    case 'ceil':
      up = !negative && rest > 0n;
      break;
    case 'trunc':
      break;
  }
  const rounded = up ? quotient + 1n : quotient;
  return negative ? -rounded : rounded;
}

/** The median; of an even count the mean of the middle two. Throws `out_of_range` for none. */
export function median(values: readonly Rational[]): Rational {
  const sorted = [...values].sort(compare);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) {
    throw new Fault('out_of_range', 'median', { expected: 'at least one value' });
  }
  const lower = sorted[middle - 1];
  if (sorted.length % 2 === 1 || lower === undefined) return upper;
  return divide(add(lower, upper), rational(2n));
}
