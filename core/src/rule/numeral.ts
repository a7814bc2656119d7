import { MAX_NUMBER_DIGITS } from '../limits.ts';
import { parseDecimal, type Rational } from '../rational.ts';
import { ReadStopped } from './value.ts';

/** `plain`: `-12.5`; `us_grouped`: `1,234,567.8`, where every group but the first has three digits. */
export const NUMERAL_STYLES = ['plain', 'us_grouped'] as const;
export type NumeralStyle = (typeof NUMERAL_STYLES)[number];

const PREFIX: Readonly<Record<NumeralStyle, RegExp>> = {
  plain: /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/,
  us_grouped: /^-?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]+)?/,
};

/**
 * The number at the start of `text`, and how long it is. Stops with `malformed` where there is none
 * or where it goes on in a way that makes it another number (`1,23`, `12e5`).
 */
export function readNumeral(text: string, style: NumeralStyle): [Rational, number] {
  const match = PREFIX[style].exec(text)?.[0];
  if (match === undefined) throw new ReadStopped('malformed', 'no number');
  const next = text.slice(match.length, match.length + 2);
  if (/^[0-9eE]/.test(next) || /^[.,][0-9]/.test(next) || match.length > MAX_NUMBER_DIGITS) {
    throw new ReadStopped('malformed', 'a number in another style');
  }
  return [parseDecimal(match.replaceAll(',', '')), match.length];
}

/** The number that all of `text` is. */
export function wholeNumeral(text: string, style: NumeralStyle): Rational {
  const [value, length] = readNumeral(text, style);
  if (length !== text.length) throw new ReadStopped('malformed', 'more than a number');
  return value;
}
