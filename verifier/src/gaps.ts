import { quorumOf } from '@assay/core/quorum';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import { releaseTime } from '@assay/core/rule/release';
import type { Ticker } from '@assay/core/ticker';
import { dateOf, type DateText, DAY_SECONDS, formatDate, parseDate } from '@assay/core/time';
import { closesOf, firstClose } from '@assay/core/view/closes';
import { firstIndexedDay, indexOfDay } from '@assay/core/view/completeness';
import { periodRows } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { ruleFor, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { NotCheckedList } from './verdict.ts';

/** How far back gaps are named: what a hostile log prints for the year 1 costs nobody an hour. */
const MAX_LOOK_BACK_DAYS = 1500;
/** Dates of gaps that a verdict lists of each kind. */
const MAX_SHOWN = 5;

/**
 * Names what a log leaves open at `now`, its own newest time in unix seconds: periods past their deadline
 * since an index's first print that have neither a final nor a void, days without their Close or their index entry, and a log
 * with rules and no index entry at all. Only the publisher knows why: no log proves that its node was running.
 */
export function nameGaps(state: ViewState, now: number, notChecked: NotCheckedList): void {
  for (const ticker of tickers(state)) {
    for (const [why, dates] of openPeriods(ticker, state, now)) {
      notChecked.add(
        'completeness',
        `${ticker} of ${listed(dates)}: ${why} though the deadline has passed`,
        'only the publisher can say why; nothing settles on it',
      );
    }
  }
  const unclosed = daysWithout(firstClose(state), now, (day) => closesOf(state, day).length > 0);
  const unindexed = firstIndexedDay(state) === undefined ? [] : unindexedDays(state, now);
  for (const [what, days] of [
    ['the Close', unclosed],
    ['the index entry', unindexed],
  ] as const) {
    if (days.length === 0) continue;
    notChecked.add(
      'completeness',
      `${what} of ${listed(days)}, which the log does not have`,
      'a node that did not run makes none',
    );
  }
  if (firstIndexedDay(state) === undefined && tickers(state).length > 0) {
    notChecked.add(
      'completeness',
      'what the log says that it holds in all: it has rules and no index entry',
      'a node makes one after each day; nothing shows a reader of single numbers what is not there',
    );
  }
}

/** The days without an index entry, from that of the log's first rule on, that ended a day before `now`, unix seconds. */
export function unindexedDays(state: ViewState, now: number): readonly DateText[] {
  const ruled = tickers(state).flatMap((ticker) => ruleVersions(state, ticker).map(({ at }) => at));
  const [first] = ruled.toSorted();
  return daysWithout(first === undefined ? undefined : dateOf(first), now, (day) => {
    return indexOfDay(state, day) !== undefined;
  });
}

/** Days of a gap in few words. */
export function listed(dates: readonly DateText[]): string {
  const shown = dates.slice(0, MAX_SHOWN).join(', ');
  return dates.length > MAX_SHOWN ? `${shown} and ${dates.length - MAX_SHOWN} more` : shown;
}

/**
 * Names the finals of a log that lack the co-signatures of their set though the deadline of their round has passed at
 * `now`, its own newest time in unix seconds: silence is no finding, and must not go unseen.
 */
export function nameUnsettled(state: ViewState, now: number, notChecked: NotCheckedList): void {
  for (const ticker of tickers(state)) {
    const dates: DateText[] = [];
    for (const [date, { status, basis }] of periodRows(state, ticker)) {
      if (basis !== 'print' || status === 'provisional' || status === 'void') continue;
      const final = reportsOf(state, ticker, date).find(({ report }) => report.status === 'final');
      const rule = ruleFor(state, ticker, date)?.rule;
      // A withheld level is nobody else's to count.
      if (final === undefined || final.report.withheld || rule === undefined) continue;
      const { release, period: kind } = rule;
      const over = releaseTime(release, kind, parseDate(date)) + release.deadline_s;
      const { have, required } = quorumOf(state, final);
      if (have < required && now >= over) dates.push(date);
    }
    if (dates.length === 0) continue;
    notChecked.add(
      'quorum',
      `no quorum: ${ticker} of ${listed(dates.toSorted())}, final without the co-signatures that a settlement needs`,
      'co-signers are silent, or their words were left out: nothing settles on it',
    );
  }
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

/** The days from `first` on, the newest two apart, that `has` denies. */
function daysWithout(
  first: DateText | undefined,
  now: number,
  has: (day: DateText) => boolean,
): readonly DateText[] {
  const missing: DateText[] = [];
  if (first === undefined) return missing;
  const yesterday = Math.floor(now / DAY_SECONDS) - 1;
  const start = Math.max(parseDate(first), yesterday - MAX_LOOK_BACK_DAYS);
  for (let day = start; day < yesterday; day += 1) {
    const date = formatDate(day);
    if (!has(date)) missing.push(date);
  }
  return missing;
}
