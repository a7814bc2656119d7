/** A unit that can follow a number without being mistaken for a part of it. */
const PLAIN = /^[A-Za-z%$][A-Za-z0-9 %$/()-]*$/;

/**
 * A number with its unit. A rule may use any text as its unit, and one that begins with digits or a separator
 * would read as a part of the number, so a unit that is not plain is quoted.
 */
export function withUnit(value: string, unit: string): string {
  return PLAIN.test(unit) ? `${value} ${unit}` : `${value}, in the unit ${JSON.stringify(unit)}`;
}
