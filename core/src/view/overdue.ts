import { periodOf, shiftPeriod } from '../rule/period.ts';
import { releaseTime } from '../rule/release.ts';
import type { Ticker } from '../ticker.ts';
import { type DateText, DAY_SECONDS, formatDate, parseTime } from '../time.ts';
import { isComplete, periodRow } from './periods.ts';
import { type RuleRow, ruleFor, ruleVersions } from './rules.ts';
import type { ViewState } from './view.ts';

/** A period that an index's publisher owes its readers something of. */
export interface DuePeriod {
  readonly period: DateText;
  readonly rule: RuleRow;
  /** Its scheduled release, unix seconds. */
  readonly release: number;
}

/**
 * Of the `back` newest periods of an index, the one of `now` among them, those that were released at `now`, unix seconds,
 * newest first; not those of before the rule for them stood in the log.
 */
export function releasedPeriods(
  state: ViewState,
  ticker: Ticker,
  now: number,
  back: number,
): readonly DuePeriod[] {
  const last = ruleVersions(state, ticker).at(-1);
  if (last === undefined) return [];
  const { period: kind } = last.rule;
  const newest = periodOf(kind, Math.floor(now / DAY_SECONDS));
  const found: DuePeriod[] = [];
  for (let i = 0; i < back; i += 1) {
    const days = shiftPeriod(kind, newest, -i);
    const period = formatDate(days);
    const rule = ruleFor(state, ticker, period);
    if (rule === undefined) continue;
    const release = releaseTime(rule.rule.release, kind, days);
    if (release >= parseTime(rule.at) && release < now) found.push({ period, rule, release });
  }
  return found;
}

/** Those of them whose rule's deadline is past at `now` and that have neither a final nor a void, and are no history. */
export function overduePeriods(
  state: ViewState,
  ticker: Ticker,
  now: number,
  back: number,
): readonly DuePeriod[] {
  return releasedPeriods(state, ticker, now, back).filter(
    ({ period, rule, release }) =>
      release + rule.rule.release.deadline_s < now && !isDone(state, ticker, period),
  );
}

/** Whether a period has its final or void, or is history, which has no first print. */
export function isDone(state: ViewState, ticker: Ticker, period: DateText): boolean {
  const row = periodRow(state, ticker, period);
  return row !== undefined && isComplete(row);
}
