/** Words that can stand behind a number and take nothing away from it, and add nothing to it. */
const PLAIN = /^[A-Za-z%$][A-Za-z0-9 %$/()-]*$/;

/**
 * A number with its unit. A rule may call its unit anything: one that begins as digits or a separator would read as a part of
 * the number, so that whatever is not plain words stands in quotes.
 */
export function withUnit(value: string, unit: string): string {
  return PLAIN.test(unit) ? `${value} ${unit}` : `${value}, in the unit ${JSON.stringify(unit)}`;
}
