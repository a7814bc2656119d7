import { Fault } from '../fault.ts';
import { civilOf, DAY_SECONDS, daysFromCivil, formatDate, weekdayOf } from '../time/time.ts';

/**
 * How an index divides time. A period is named by a date: its last Saturday, its day, or the first day of its month.
 */
export const PERIOD_KINDS = ['week_ending_saturday', 'utc_day', 'month'] as const;
export type PeriodKind = (typeof PERIOD_KINDS)[number];

/** Whether day number `days` names a period of this kind. */
export function isPeriod(kind: PeriodKind, days: number): boolean {
  switch (kind) {
    case 'week_ending_saturday':
      return weekdayOf(days) === 6;
    case 'utc_day':
      return true;
    case 'month':
      return civilOf(days).day === 1;
  }
}

/** The period `count` after (or, below 0, before) `days`. */
export function shiftPeriod(kind: PeriodKind, days: number, count: number): number {
  switch (kind) {
    case 'week_ending_saturday':
      return days + 7 * count;
    case 'utc_day':
      return days + count;
    case 'month': {
      const { year, month } = civilOf(days);
      const months = year * 12 + (month - 1) + count;
      return daysFromCivil(Math.floor(months / 12), (((months % 12) + 12) % 12) + 1, 1);
    }
  }
}

/** The day number of the first day after the period, from which on the period is complete. */
export function periodEnd(kind: PeriodKind, days: number): number {
  return kind === 'month' ? shiftPeriod(kind, days, 1) : days + 1;
}

/** The period that the day `days` belongs to. */
export function periodOf(kind: PeriodKind, days: number): number {
  switch (kind) {
    case 'week_ending_saturday':
      return days + (6 - weekdayOf(days));
    case 'utc_day':
      return days;
    case 'month':
      return days - (civilOf(days).day - 1);
  }
}

const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

/**
 * Why day number `days` names no period of an index, as a part of a sentence with the nearest days that do; undefined
 * where it names one. `name` is what people call the index. Throws `out_of_range` outside the years 0001 to 9999.
 */
export function notPeriodText(kind: PeriodKind, days: number, name: string): string | undefined {
  if (isPeriod(kind, days)) return undefined;
  const after = kind === 'month' ? periodEnd(kind, periodOf(kind, days)) : periodOf(kind, days);
  const near = [shiftPeriod(kind, after, -1), after].map(dateOrNone).filter((each) => each !== '');
  const day = formatDate(days);
  const what =
    kind === 'month'
      ? `${name} is monthly, and its periods are named by the first day of a month: ${day} is none`
      : `${name} is weekly, and its periods end on a Saturday: ${day} is a ${WEEKDAYS[weekdayOf(days)]}`;
  return `${what}; the nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(' and ')}`;
}

/** A date, or nothing where the calendar has none. */
function dateOrNone(days: number): string {
  try {
    return formatDate(days);
  } catch {
    return '';
  }
}

/** `days` when it names a period of this kind. Throws `malformed` with `notPeriodText`. */
export function requirePeriod(kind: PeriodKind, days: number, name: string = 'the index'): number {
  const wrong = notPeriodText(kind, days, name);
  if (wrong !== undefined) throw new Fault('malformed', wrong);
  return days;
}

/** The time at which a period is complete, in Unix seconds. */
export function completeAt(kind: PeriodKind, days: number): number {
  return periodEnd(kind, days) * DAY_SECONDS;
}
