import { Fault } from '../fault.ts';
import { notPeriodText, type PeriodKind } from '../rule/period.ts';
import { civilOf, daysFromCivil, formatDate } from '../time/time.ts';

/** The code of a cadence in a feed is its place in this list, plus 1. */
export const CADENCES: readonly PeriodKind[] = ['utc_day', 'week_ending_saturday', 'month'];

/** Periods on a page. */
export const PAGE_PERIODS = 32;

/** 1970-01-03. */
const FIRST_SATURDAY = 2;

/**
 * The ordinal of a period among those of its kind since 1970, which determines its page and slot. Throws `out_of_range`
 * for a day before 1970, or one that names no period: then the message says which days near it do, of the index that
 * people call `name`.
 */
export function ordinalOf(kind: PeriodKind, period: number, name: string = 'the index'): number {
  if (!Number.isInteger(period) || period < 0 || period >= 2 ** 31) {
    const expected = 'a day from 1970-01-01 on';
    const found = Number.isInteger(period) ? formatDate(period) : String(period);
    throw new Fault('out_of_range', 'period', { expected, found });
  }
  const wrong = notPeriodText(kind, period, name);
  if (wrong !== undefined) throw new Fault('out_of_range', wrong);
  switch (kind) {
    case 'utc_day':
      return period;
    case 'week_ending_saturday':
      return (period - FIRST_SATURDAY) / 7;
    case 'month': {
      const { year, month } = civilOf(period);
      return 12 * (year - 1970) + month - 1;
    }
  }
}

/** The period of an ordinal, days since 1970-01-01. Throws `out_of_range` after the year 9999. */
export function periodOfOrdinal(kind: PeriodKind, ordinal: number): number {
  const period =
    kind === 'utc_day'
      ? ordinal
      : kind === 'month'
        ? daysFromCivil(1970 + Math.floor(ordinal / 12), (ordinal % 12) + 1, 1)
        : 7 * ordinal + FIRST_SATURDAY;
  formatDate(period);
  return period;
}

/** The page that holds an ordinal, and its slot there. */
export function pagePlace(ordinal: number): { readonly index: number; readonly slot: number } {
  return { index: Math.floor(ordinal / PAGE_PERIODS), slot: ordinal % PAGE_PERIODS };
}
