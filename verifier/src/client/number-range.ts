import { Fault } from '@assay/core/fault';
import { periodOf, type PeriodKind, shiftPeriod } from '@assay/core/rule/period';
import { formatDate, parseDate } from '@assay/core/time/time';
import { isObject } from '@assay/core/wire/schema';
import type { LogReader } from '../reader/log-reader.ts';
import { bodyOf, parseJson } from './log-answer.ts';
import type { NumberAnswer } from './number-answer.ts';
import type { NumberReader } from './number-reader.ts';
import { refusal, refusedFor } from './refusal.ts';

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

const KINDS: Readonly<Record<string, PeriodKind>> = {
  weekly: 'week_ending_saturday',
  daily: 'utc_day',
  monthly: 'month',
};

/**
 * Each period that is named by a day of the range, in order, with its number or a refusal. The calendar makes the list,
 * not the server, so that no period can be left out of it: a server that names another calendar than the rule's is
 * refused. Throws `malformed` for what is no day, and for a range that ends before it begins.
 */
export async function* numberRange(
  numbers: NumberReader,
  server: LogReader,
  index: string,
  { from, to }: DayRange,
): AsyncGenerator<PeriodNumber> {
  const [first, last] = [parseDate(from), parseDate(to)];
  if (last < first) {
    throw new Fault('malformed', 'range', { expected: `a day from ${from} on`, found: to });
  }
  let named: PeriodKind;
  try {
    named = await namedKind(server, index);
  } catch (error) {
    yield { period: formatDate(first), number: refusedFor(error) };
    return;
  }
  let days = periodOf(named, first);
  if (days < first) days = shiftPeriod(named, days, 1);
  if (days > last) {
    // Without a period in the range, the one before it shows whether this is the rule's calendar.
    const before = await heldNumber(numbers, index, shiftPeriod(named, days, -1), named);
    if (!before.number.ok) yield before;
    return;
  }
  for (; days <= last; days = shiftPeriod(named, days, 1)) {
    yield await heldNumber(numbers, index, days, named);
  }
}

/** The number of a period, refused where its rule has another calendar than the named one. */
async function heldNumber(
  numbers: NumberReader,
  index: string,
  days: number,
  named: PeriodKind,
): Promise<PeriodNumber> {
  const period = formatDate(days);
  const read = await numbers.readKind({ index, period });
  if (!('answer' in read)) return { period, number: read };
  if (read.kind === named) return { period, number: read.answer };
  const why = `the server names the calendar ${named}, and the rule says ${read.kind}`;
  return { period, number: refusal('refused', why, read.answer.verdict) };
}

/** How the index divides time, as its server says. */
async function namedKind(server: LogReader, index: string): Promise<PeriodKind> {
  const path = `/indices/${encodeURIComponent(index)}`;
  const value = parseJson(await bodyOf(server, path), path);
  const cadence = isObject(value) ? value['cadence'] : undefined;
  const kind = typeof cadence === 'string' ? KINDS[cadence] : undefined;
  if (kind !== undefined) return kind;
  throw new Fault('malformed', 'answer', { at: path, expected: 'a cadence' });
}
