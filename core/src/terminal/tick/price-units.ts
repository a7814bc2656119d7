import { Fault } from '../../fault.ts';
import { isDecimal } from '../../number/rational.ts';

/**
 * A price as whole units of 10^-`decimals`, 1 to 2^53 - 1. More decimals are rounded once, half away from zero.
 * Undefined outside that range and for a price with a minus sign. Throws `malformed` unless it is a plain
 * decimal.
 */
export function priceUnits(text: string, decimals: number): number | undefined {
  const units = unitsOf(text, decimals);
  return units === 0 ? undefined : units;
}

/**
 * A volume as whole units of the quote currency, 0 to 2^53 - 1, rounded half away from zero. Undefined outside
 * that range and for a volume with a minus sign. Throws `malformed` unless it is a plain decimal.
 */
export function volumeUnits(text: string): number | undefined {
  return unitsOf(text, 0);
}

function unitsOf(text: string, decimals: number): number | undefined {
  if (!isDecimal(text)) {
    const found = JSON.stringify(text.slice(0, 40));
    throw new Fault('malformed', 'decimal', { expected: 'digits with at most one point', found });
  }
  if (text.startsWith('-')) return undefined;
  const point = text.indexOf('.');
  const whole = point < 0 ? text : text.slice(0, point);
  const part = point < 0 ? '' : text.slice(point + 1);
  // Digits for 2^53 or more become a double of 2^53 or more; digits for less become it exactly.
  const down = Number(whole + part.slice(0, decimals).padEnd(decimals, '0'));
  const units = part.charCodeAt(decimals) >= FIVE ? down + 1 : down;
  return units <= Number.MAX_SAFE_INTEGER ? units : undefined;
}

/** The code of the digit 5. */
const FIVE = 0x35;
