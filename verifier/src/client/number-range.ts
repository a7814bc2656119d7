import { Fault } from '@assay/core/fault';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import { formatDate, parseDate } from '@assay/core/time/time';
import type { NumberAnswer } from './number-answer.ts';
import type { NumberReader } from './number-reader.ts';

/** Days, both of which belong to the range. */
export interface DayRange {
  /** YYYY-MM-DD. */
  readonly from: string;
  /** YYYY-MM-DD. */
  readonly to: string;
}

/** A period, and its number or why there is none. */
export interface PeriodNumber {
  /** YYYY-MM-DD. */
  readonly period: string;
  readonly number: NumberAnswer;
}

/**
 * Each period that is named by a day of the range, in order, with its number or a refusal. The calendar makes the list,
 * not the server, so that no period can be left out of it. It is that of the rule of the newest number, which is proven
 * for that; where it is refused, its refusal is all that comes. Throws `malformed` for what is no day, and for a range
 * that ends before it begins.
 */
export async function* numberRange(
  numbers: NumberReader,
  index: string,
  { from, to }: DayRange,
): AsyncGenerator<PeriodNumber> {
  const [first, last] = [parseDate(from), parseDate(to)];
  if (last < first) {
    throw new Fault('malformed', 'range', { expected: `a day from ${from} on`, found: to });
  }
  const newest = await numbers.readKind({ index, period: undefined });
  if (!('answer' in newest)) {
    yield { period: formatDate(first), number: newest };
    return;
  }
  const { kind } = newest;
  let days = periodOf(kind, first);
  if (days < first) days = shiftPeriod(kind, days, 1);
  for (; days <= last; days = shiftPeriod(kind, days, 1)) {
    const period = formatDate(days);
    yield { period, number: await numbers.read(index, period) };
  }
}
