import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import { releaseTime } from '@assay/core/rule/release';
import type { Ticker } from '@assay/core/ticker';
import { type DateText, DAY_SECONDS, formatDate, parseDate } from '@assay/core/time';
import { closesOf, firstClose } from '@assay/core/view/closes';
import { periodRows } from '@assay/core/view/periods';
import { ruleFor, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { NotCheckedList } from './verdict.ts';

/** How far back gaps are named: what a hostile log prints for the year 1 costs nobody an hour. */
const MAX_LOOK_BACK_DAYS = 1500;
/** Dates of gaps that a verdict lists of each kind. */
const MAX_SHOWN = 5;

/**
 * Names what a log leaves open at `now`, its own newest time in unix seconds: periods past their deadline
 * since an index's first print that have neither a final nor a void, and days without their Close. Only
 * the publisher knows why: no log proves that its node was running.
 */
export function nameGaps(state: ViewState, now: number, notChecked: NotCheckedList): void {
  for (const ticker of tickers(state)) {
    for (const [why, dates] of openPeriods(ticker, state, now)) {
      notChecked.add(
        `${ticker} of ${listed(dates)}: ${why} though the deadline has passed`,
        'only the publisher can say why; nothing settles on it',
      );
    }
  }
  const days = unclosedDays(state, now);
  if (days.length === 0) return;
  notChecked.add(
    `the Close of ${listed(days)}, which the log does not have`,
    'a node that did not run makes none',
  );
}

function listed(dates: readonly DateText[]): string {
  const shown = dates.slice(0, MAX_SHOWN).join(', ');
  return dates.length > MAX_SHOWN ? `${shown} and ${dates.length - MAX_SHOWN} more` : shown;
}

function openPeriods(
  ticker: Ticker,
  state: ViewState,
  now: number,
): ReadonlyMap<string, readonly DateText[]> {
  const gaps = new Map<string, DateText[]>();
  const rows = new Map(periodRows(state, ticker));
  const first = [...rows].find(([, row]) => row.basis === 'print')?.[0];
  const kind = ruleVersions(state, ticker)[0]?.rule.period;
  if (first === undefined || kind === undefined) return gaps;
  const today = Math.floor(now / DAY_SECONDS);
  const start = Math.max(parseDate(first), today - MAX_LOOK_BACK_DAYS);
  for (let period = periodOf(kind, start); period <= today; period = shiftPeriod(kind, period, 1)) {
    const date = formatDate(period);
    const row = rows.get(date);
    const rule = ruleFor(state, ticker, date)?.rule;
    if (rule === undefined) continue;
    if (row?.basis === 'print' && row.status !== 'provisional') continue;
    if (now < releaseTime(rule.release, kind, period) + rule.release.deadline_s) continue;
    const why =
      row === undefined ? 'no report' : row.basis === 'history' ? 'history alone' : 'no final';
    gaps.set(why, [...(gaps.get(why) ?? []), date]);
  }
  return gaps;
}

function unclosedDays(state: ViewState, now: number): readonly DateText[] {
  const first = firstClose(state);
  const missing: DateText[] = [];
  if (first === undefined) return missing;
  const yesterday = Math.floor(now / DAY_SECONDS) - 1;
  const start = Math.max(parseDate(first), yesterday - MAX_LOOK_BACK_DAYS);
  for (let day = start; day < yesterday; day += 1) {
    const date = formatDate(day);
    if (closesOf(state, date).length === 0) missing.push(date);
  }
  return missing;
}
