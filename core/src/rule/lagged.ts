import type { Rational } from '../number/rational.ts';
import { requireSize } from './numeral.ts';
import { take } from './operation.ts';
import { type PeriodKind, shiftPeriod } from './period.ts';
import type { Value } from './value.ts';

/** The most periods between a value and the value that it is compared with. */
export const MAX_LAG = 1000;

/**
 * Compares each period's value with that of the period `lag` before it. Null where either is null; a period is left out
 * where the series does not have the one that it is compared with.
 */
export function againstBase(
  op: string,
  input: Value,
  kind: PeriodKind,
  lag: number,
  compare: (value: Rational, base: Rational) => Rational | null,
): Value {
  const { series } = take(op, input, 'series');
  const out = new Map<number, Rational | null>();
  for (const [period, value] of series) {
    const base = series.get(shiftPeriod(kind, period, -lag));
    if (base === undefined) continue;
    const found = value === null || base === null ? null : compare(value, base);
    out.set(period, found === null ? null : requireSize(found));
  }
  return { type: 'series', series: out };
}
