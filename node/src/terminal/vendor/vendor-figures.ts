import { isDecimal } from '@assay/core/number/rational';
import { isSourceNumber, type SourceJson } from '@assay/core/source/source-json';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';

/**
 * The most characters of a figure: more than any price or volume has, and too few for a hostile one in what is
 * stored.
 */
export const MAX_FIGURE = 64;

/** By how many places an exponent may move the point. The result must fit `MAX_FIGURE`. */
const MAX_EXPONENT = 40;

/**
 * A figure of a vendor as an exact plain decimal: the literal text of a JSON number, whose exponent is
 * expanded, or a string that is a plain decimal. Undefined for anything else, for a figure below 0, and for one
 * of more than `MAX_FIGURE` characters.
 */
export function figureOf(value: SourceJson | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text =
    typeof value === 'string' ? value : isNumber(value) ? written(value.number) : undefined;
  if (text === undefined || text.length > MAX_FIGURE || !isDecimal(text)) return undefined;
  return text.startsWith('-') ? undefined : text;
}

/** A figure that can be a price: above 0. */
export function priceOf(value: SourceJson | undefined): string | undefined {
  const text = figureOf(value);
  return text !== undefined && /[1-9]/.test(text) ? text : undefined;
}

function isNumber(value: SourceJson): value is { readonly number: string } {
  return value !== null && isSourceNumber(value);
}

/** A JSON number without its exponent; undefined if that would be too long. */
function written(literal: string): string | undefined {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?[eE]([+-]?[0-9]{1,6})$/.exec(literal);
  if (match === null) return literal;
  const [, sign = '', whole = '', part = '', power = ''] = match;
  const exponent = Number(power);
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = whole + part;
  const point = whole.length + exponent;
  const [before, after] =
    point <= 0
      ? ['0', '0'.repeat(-point) + digits]
      : [digits.slice(0, point).padEnd(point, '0'), digits.slice(point)];
  const integer = before.replace(/^0+(?=[0-9])/, '');
  return `${sign}${integer}${after === '' ? '' : `.${after}`}`;
}

/**
 * The second of a time in the vendors' notation: ISO 8601 with seconds, optionally a fraction, and a zone.
 * Undefined for anything else.
 */
export function isoStamp(value: SourceJson | undefined): TimeText | undefined {
  if (typeof value !== 'string') return undefined;
  const match = /^(\S{19})(?:\.[0-9]{1,9})?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/.exec(value);
  if (match === null) return undefined;
  const [, local = '', sign, hours = '0', minutes = '0'] = match;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60;
  try {
    const seconds = parseTime(`${local}Z`);
    return formatTime(sign === '-' ? seconds + offset : seconds - offset);
  } catch {
    return undefined;
  }
}

/** The second of unix milliseconds, a JSON integer of today's length. Undefined for anything else. */
export function millisStamp(value: SourceJson | undefined): TimeText | undefined {
  if (value === undefined || !isNumber(value) || !/^[0-9]{13}$/.test(value.number)) {
    return undefined;
  }
  return formatTime(Number(value.number.slice(0, 10)));
}
