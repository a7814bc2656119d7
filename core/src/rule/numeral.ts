import { MAX_NUMBER_DIGITS } from '../limits.ts';
import { parseDecimal, rational, type Rational } from '../number/rational.ts';
import { ReadStopped } from './value.ts';

/** `plain`: `-12.5`; `us_grouped`: `1,234,567.8`, where every group but the first has three digits. */
export const NUMERAL_STYLES = ['plain', 'us_grouped'] as const;
export type NumeralStyle = (typeof NUMERAL_STYLES)[number];

const PREFIX: Readonly<Record<NumeralStyle, RegExp>> = {
  plain: /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/,
  us_grouped: /^-?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]+)?/,
};

/**
 * The number at the start of `text`, and its length. Stops with `malformed` if there is none, or if the text
 * continues in a way that makes it another number (`1,23`, `12e5`).
 */
export function readNumeral(text: string, style: NumeralStyle): [Rational, number] {
  const match = numeralIn(text, style);
  return [parseDecimal(match.replaceAll(',', '')), match.length];
}

function numeralIn(text: string, style: NumeralStyle): string {
  const match = PREFIX[style].exec(text)?.[0];
  if (match === undefined) throw new ReadStopped('malformed', 'no number');
  if (match.length === text.length && match.length <= MAX_NUMBER_DIGITS) return match;
  const next = text.slice(match.length, match.length + 2);
  if (/^[0-9eE]/.test(next) || /^[.,][0-9]/.test(next) || match.length > MAX_NUMBER_DIGITS) {
    throw new ReadStopped('malformed', 'a number in another style');
  }
  return match;
}

const SIZE = 10n ** BigInt(MAX_NUMBER_DIGITS);

/** `number` where neither side of its fraction has more than 100 digits; otherwise stops with `out_of_range`. */
export function requireSize(number: Rational): Rational {
  if (number.n < SIZE && number.n > -SIZE && number.d < SIZE) return number;
  throw new ReadStopped('out_of_range', `a fraction of more than ${MAX_NUMBER_DIGITS} digits`);
}

/**
 * A number as its digits and how many of them are after the decimal point, so that a sum needs no reduction of each.
 */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

/** The number that the whole of `text` is, as digits and places. */
export function wholeDecimal(text: string, style: NumeralStyle): Decimal {
  const match = numeralIn(text, style);
  if (match.length !== text.length) throw new ReadStopped('malformed', 'more than a number');
  const point = match.indexOf('.');
  return {
    units: BigInt(match.replaceAll(/[,.]/g, '')),
    places: point < 0 ? 0 : match.length - point - 1,
  };
}

/** Below 0, 0 or above 0, as a sort needs it. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const left = a.units * 10n ** BigInt(Math.max(b.places - a.places, 0));
  const right = b.units * 10n ** BigInt(Math.max(a.places - b.places, 0));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `units` times 10^`places` as a fraction of a size that a rule can continue with. */
export function fractionOf({ units, places }: Decimal): Rational {
  return requireSize(rational(units, 10n ** BigInt(places)));
}

/** Digits that a double holds exactly whatever they are. */
const EXACT_DIGITS = 15;

/** The whole number that `text` is in digits alone; undefined for any other form, and for more than 15 digits. */
function wholeDigits(text: string): number | undefined {
  const { length } = text;
  if (length === 0 || length > EXACT_DIGITS) return undefined;
  let value = 0;
  for (let i = 0; i < length; i += 1) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    value = value * 10 + digit;
  }
  // Digits that begin with a 0 are the number 0, and then something else.
  return length > 1 && text.charCodeAt(0) === 0x30 ? undefined : value;
}

/** The number that the whole of `text` is. */
export function wholeNumeral(text: string, style: NumeralStyle): Rational {
  const digits = wholeDigits(text);
  if (digits !== undefined) return { n: BigInt(digits), d: 1n };
  const [value, length] = readNumeral(text, style);
  if (length !== text.length) throw new ReadStopped('malformed', 'more than a number');
  return value;
}
