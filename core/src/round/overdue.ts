import { periodOf, shiftPeriod } from '../rule/period.ts';
import { type GoverningRule, governingRule, movedPeriods } from './governing.ts';
import { periodClocks } from './period-clocks.ts';
import type { Ticker } from '../rule/ticker.ts';
import { type DateText, DAY_SECONDS, formatDate, parseDate } from '../time/time.ts';
import { isComplete, periodRow } from '../view/periods.ts';
import { newestRule } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';

/** A period for which an index's publisher may have to print. */
export interface DuePeriod {
  readonly period: DateText;
  readonly rule: GoverningRule;
}

/** How many days back to search for periods whose release was moved away from those of their neighbours. */
const MOVED_BACK_DAYS = 1500;

/**
 * The `back` periods of an index up to `newest`, a day number, newest first, and after them those of the last four
 * years whose release some version of the rule moved. Something may be due for each of them.
 */
export function periodsUpTo(
  state: ViewState,
  ticker: Ticker,
  newest: number,
  back: number,
): readonly number[] {
  const kind = newestRule(state, ticker)?.rule.period;
  if (kind === undefined) return [];
  const periods = Array.from({ length: back }, (_, i) => shiftPeriod(kind, newest, -i));
  const moved = movedPeriods(state, ticker);
  if (moved.size === 0) return periods;
  const oldest = newest - MOVED_BACK_DAYS;
  let period = shiftPeriod(kind, newest, -back);
  for (; period >= oldest; period = shiftPeriod(kind, period, -1)) {
    if (moved.has(period)) periods.push(period);
  }
  return periods;
}

/**
 * The released ones of the `back` newest periods of an index, including that of `now`, and of the moved ones: those
 * released at `now`, in Unix seconds, newest first. Periods that no version of the rule governs are left out, because
 * the rule was recorded too late for them.
 */
export function releasedPeriods(
  state: ViewState,
  ticker: Ticker,
  now: number,
  back: number,
): readonly DuePeriod[] {
  const last = newestRule(state, ticker);
  if (last === undefined) return [];
  const { period: kind } = last.rule;
  const newest = periodOf(kind, Math.floor(now / DAY_SECONDS));
  const found: DuePeriod[] = [];
  for (const days of periodsUpTo(state, ticker, newest, back)) {
    const period = formatDate(days);
    const rule = governingRule(state, ticker, days);
    if (rule !== undefined && rule.release < now) found.push({ period, rule });
  }
  return found;
}

/** Those of them that are past their rule's deadline at `now`, have neither a final nor a void, and are no history. */
export function overduePeriods(
  state: ViewState,
  ticker: Ticker,
  now: number,
  back: number,
): readonly DuePeriod[] {
  return releasedPeriods(state, ticker, now, back).filter(
    ({ period, rule }) =>
      periodClocks(state, rule, parseDate(period), now).deadline < now &&
      !isDone(state, ticker, period),
  );
}

/** Whether a period has its final or void, or is history, which has no first print. */
export function isDone(state: ViewState, ticker: Ticker, period: DateText): boolean {
  const row = periodRow(state, ticker, period);
  return row !== undefined && isComplete(row);
}
