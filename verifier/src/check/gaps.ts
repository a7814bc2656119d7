import { quorumOf } from '@assay/core/round/quorum';
import { isPeriod, type PeriodKind, periodOf, shiftPeriod } from '@assay/core/rule/period';
import { periodClocks } from '@assay/core/round/period-clocks';
import { governingRule } from '@assay/core/round/governing';
import type { Ticker } from '@assay/core/rule/ticker';
import {
  dateOf,
  type DateText,
  DAY_SECONDS,
  formatDate,
  parseDate,
  parseTime,
} from '@assay/core/time/time';
import { closesOf, firstClose } from '@assay/core/view/closes';
import { firstIndexedDay, indexOfDay } from '@assay/core/view/completeness';
import { periodRow, periodRows } from '@assay/core/view/periods';
import { reportsOf, settledReport } from '@assay/core/view/reports';
import { type RuleRow, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { Findings } from '../verdict/finding.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** How many dates of gaps of each kind a verdict lists; all are counted. */
const MAX_SHOWN = 5;
/** Steps of work in one verification, shared by all indexes. They take a second or two. */
const MAX_STEPS = 400_000;
/**
 * Steps that an index has beyond its share for each period that it has in the log, so that an index with many prints is
 * checked as well.
 */
const STEPS_A_ROW = 8;
/** Versions of a rule that are examined in one step. */
const VERSIONS_A_STEP = 8;
/** How many days back Closes and index entries are checked: centuries. */
const MAX_DAYS = 100_000;
/**
 * The most days from a period's date to its release under a calendar without exceptions: a month, 62 days and two time
 * zones.
 */
const MAX_RELEASE_DAYS = 96;

/** Periods of one index that are past their deadline and have neither a final nor a void. */
export interface OpenPeriods {
  readonly ticker: Ticker;
  readonly why: 'no report' | 'history alone' | 'no final';
  /** Oldest first. */
  readonly dates: readonly DateText[];
}

/** What a log leaves open. */
export interface Gaps {
  readonly periods: readonly OpenPeriods[];
  /** Days without a Close and days without an index entry, oldest first. */
  readonly closes: readonly DateText[];
  readonly indexes: readonly DateText[];
  /** Whether a log with rules has no index entry at all. */
  readonly isUnindexed: boolean;
  /** What was too much to examine, as text. */
  readonly unseen: readonly string[];
}

/**
 * What a log leaves open at `now`, in Unix seconds. Each period that was released after the rule for it was recorded is
 * due from the recording on, whether or not the index has ever printed. Only the publisher knows why a print is
 * missing, because no log proves that its node was running. `steps` bounds the work. Each index has its own share of
 * it, so that an index that needs more takes nothing from another, and what is left out is named.
 */
export function gapsOf(state: ViewState, now: number, steps: number = MAX_STEPS): Gaps {
  const all = tickers(state);
  const share = Math.floor(steps / Math.max(all.length, 1));
  const periods: OpenPeriods[] = [];
  const unseen: string[] = [];
  for (const ticker of all) {
    const { open, before } = openPeriods(ticker, state, now, share);
    for (const [why, days] of open) {
      periods.push({ ticker, why, dates: days.toSorted((a, b) => a - b).map(formatDate) });
    }
    if (before !== undefined) unseen.push(`periods of ${ticker} before ${formatDate(before)}`);
  }
  const closed = daysWithout(closesFrom(state), now, (day) => closesOf(state, day).length > 0);
  const indexed = missingIndexes(state, now);
  for (const [what, { before }] of [
    ['Closes', closed],
    ['index entries', indexed],
  ] as const) {
    if (before !== undefined) unseen.push(`${what} of days before ${before}`);
  }
  return {
    periods,
    closes: closed.missing,
    indexes: indexed.missing,
    isUnindexed: firstIndexedDay(state) === undefined && all.length > 0,
    unseen,
  };
}

/** Names the gaps of a log as reservations beside a positive verdict, and counts them for its first line. */
export function nameGaps(
  { periods, closes, indexes, isUnindexed, unseen }: Gaps,
  notChecked: NotCheckedList,
): void {
  for (const what of unseen) {
    notChecked.add(
      'completeness',
      what,
      'they are more than one verification goes through',
      'limits',
    );
  }
  notChecked.count('unseen_ranges', unseen.length);
  for (const { ticker, why, dates } of periods) {
    notChecked.add(
      'completeness',
      `${ticker} of ${listed(dates)}: ${why} though the deadline has passed`,
      'only the publisher can say why; nothing settles on it',
      'ask_publisher',
    );
    notChecked.count('open_periods', dates.length);
  }
  for (const [what, count, days] of [
    ['the Close', 'missing_closes', closes],
    ['the index entry', 'missing_indexes', indexes],
  ] as const) {
    notChecked.count(count, days.length);
    if (days.length === 0 || (isUnindexed && days === indexes)) continue;
    notChecked.add(
      'completeness',
      `${what} of ${listed(days)}, which the log does not have`,
      'a node that did not run makes none',
      'ask_publisher',
    );
  }
  if (isUnindexed) {
    notChecked.add(
      'completeness',
      'what the log says that it holds in all: it has rules and no index entry',
      'a node makes one after each day; nothing shows a reader of single numbers what is not there',
      'ask_publisher',
    );
  }
}

/** Adds a finding for each gap of a log, under a policy that requires a complete log. */
export function findGaps({ periods, closes, indexes, unseen }: Gaps, findings: Findings): void {
  for (const { ticker, why, dates } of periods) {
    const expected = 'a final or a void of each period that is past its deadline';
    findings.add('log_incomplete', ticker, expected, `${why} of ${listed(dates)}`);
  }
  for (const [place, days] of [
    ['Closes', closes],
    ['index entries', indexes],
  ] as const) {
    if (days.length === 0) continue;
    findings.add('log_incomplete', place, 'one of each day', `none of ${listed(days)}`);
  }
  for (const what of unseen) {
    const expected = 'as much as one verification goes through';
    findings.add('log_incomplete', what, expected, 'more');
  }
}

/**
 * The days without an index entry that ended at least a day before `now`, in Unix seconds. They count from the day of
 * the log's first rule.
 */
export function unindexedDays(state: ViewState, now: number): readonly DateText[] {
  return missingIndexes(state, now).missing;
}

function missingIndexes(state: ViewState, now: number): DaysWithout {
  const ruled = tickers(state).flatMap((ticker) => ruleVersions(state, ticker).map(({ at }) => at));
  const [first] = ruled.toSorted();
  const from = first === undefined ? undefined : dateOf(first);
  return daysWithout(from, now, (day) => indexOfDay(state, day) !== undefined);
}

/** The days of a gap as a short text. */
export function listed(dates: readonly DateText[]): string {
  const shown = dates.slice(0, MAX_SHOWN).join(', ');
  return dates.length > MAX_SHOWN ? `${shown} and ${dates.length - MAX_SHOWN} more` : shown;
}

/**
 * Names the finals of a log that lack the co-signatures of their set although the deadline of their round has passed at
 * `now`, in Unix seconds. A co-signer's silence is no finding, but it must not go unseen.
 */
export function nameUnsettled(state: ViewState, now: number, notChecked: NotCheckedList): void {
  for (const ticker of tickers(state)) {
    const dates: DateText[] = [];
    for (const [date, { status, basis }] of periodRows(state, ticker)) {
      if (basis !== 'print' || status === 'provisional' || status === 'void') continue;
      const final = reportsOf(state, ticker, date).find(({ report }) => report.status === 'final');
      // Nobody else can count a level that is withheld.
      if (final === undefined || final.report.withheld) continue;
      const { have, required } = quorumOf(state, final);
      if (have >= required) continue;
      const deadline = deadlineOf(state, ticker, parseDate(date), now);
      if (deadline === undefined || now >= deadline) dates.push(date);
    }
    if (dates.length === 0) continue;
    notChecked.count('finals_without_quorum', dates.length);
    notChecked.add(
      'quorum',
      `no quorum: ${ticker} of ${listed(dates.toSorted())}`,
      'final without the co-signatures that a settlement needs; co-signers are silent, or their statements were left out',
      'ask_cosigners',
    );
  }
}

/**
 * When the round of a period is over, by what the log has at `now`, both in Unix seconds. Undefined where no version of
 * a rule governs the period, because nobody owes a print for it then.
 */
export function deadlineOf(
  state: ViewState,
  ticker: Ticker,
  period: number,
  now: number,
): number | undefined {
  const row = governingRule(state, ticker, period);
  return row === undefined ? undefined : periodClocks(state, row, period, now).deadline;
}

/**
 * The newest period of an index, as a day number, that is past its deadline at `now`, printed or not. Undefined where
 * there is none.
 */
export function newestDue(state: ViewState, ticker: Ticker, now: number): number | undefined {
  const rules = ruleVersions(state, ticker);
  const { others, moved } = candidates(rules, now);
  const isDue = (period: number): boolean =>
    now >= (deadlineOf(state, ticker, period, now) ?? Infinity);
  let newest = moved.filter(isDue).reduce((a, b) => Math.max(a, b), -Infinity);
  for (const period of others) {
    if (period > newest && !isDue(period)) continue;
    newest = Math.max(newest, period);
    break;
  }
  return newest === -Infinity ? undefined : newest;
}

interface Open {
  /** Day numbers, by what they have instead of a final or a void. */
  readonly open: ReadonlyMap<OpenPeriods['why'], number[]>;
  /** The day number before which some periods were too many to examine. */
  readonly before: number | undefined;
}

function openPeriods(ticker: Ticker, state: ViewState, now: number, share: number): Open {
  const open = new Map<OpenPeriods['why'], number[]>();
  const rules = ruleVersions(state, ticker);
  const { others, moved } = candidates(rules, now);
  const step = 1 + Math.floor(rules.length / VERSIONS_A_STEP);
  let left = share + STEPS_A_ROW * periodRows(state, ticker).length;
  const look = (period: number): void => {
    left -= step;
    // Most periods are done, and what the rules say of them is not needed.
    const row = periodRow(state, ticker, formatDate(period));
    if (row?.basis === 'print' && row.status !== 'provisional') return;
    const deadline = deadlineOf(state, ticker, period, now);
    if (deadline === undefined || now < deadline) return;
    const why =
      row === undefined ? 'no report' : row.basis === 'history' ? 'history alone' : 'no final';
    const known = open.get(why);
    if (known === undefined) open.set(why, [period]);
    else known.push(period);
  };
  for (const period of others) {
    if (left <= 0) return { open, before: moved.reduce((a, b) => Math.max(a, b), period) + 1 };
    look(period);
  }
  for (const period of moved) {
    if (left <= 0) return { open, before: moved.reduce((a, b) => Math.max(a, b), 0) + 1 };
    look(period);
  }
  return { open, before: undefined };
}

interface Candidates {
  /** Newest first. */
  readonly others: Iterable<number>;
  readonly moved: readonly number[];
}

/**
 * The periods, as day numbers, that may have been released between the recording of an index's first rule and `now`.
 * `moved` are further periods whose release an exception moves, wherever they lie. However far back a rule begins, a
 * period that was released before the rule was recorded is not among them.
 */
function candidates(rules: readonly RuleRow[], now: number): Candidates {
  const [first] = rules;
  if (first === undefined) return { others: [], moved: [] };
  const { period: kind, applies_from: applies } = first.rule;
  const recorded = Math.floor(parseTime(first.at) / DAY_SECONDS);
  const newest = periodOf(kind, Math.floor(now / DAY_SECONDS));
  const from = parseDate(applies);
  const oldest = Math.max(from, periodOf(kind, recorded - MAX_RELEASE_DAYS));
  const moved = new Set<number>();
  for (const { rule } of rules) {
    for (const { period } of rule.release.exceptions) {
      const days = parseDate(period);
      const isBeside = days >= from && (days < oldest || days > newest);
      if (isBeside && isPeriod(kind, days)) moved.add(days);
    }
  }
  return { others: periodsDown(kind, newest, oldest), moved: [...moved] };
}

function* periodsDown(kind: PeriodKind, newest: number, oldest: number): Generator<number> {
  for (let period = newest; period >= oldest; period = shiftPeriod(kind, period, -1)) yield period;
}

/** The day of the first Close, or of the first print for which a Close was due. */
function closesFrom(state: ViewState): DateText | undefined {
  let first = firstClose(state);
  for (const ticker of tickers(state)) {
    for (const [period, { basis, status, published_at: newest }] of periodRows(state, ticker)) {
      if (basis !== 'print' || status === 'provisional' || newest === null) continue;
      const report =
        status === 'corrected' ? settledReport(state, ticker, period)?.report : undefined;
      const day = dateOf(report?.published_at ?? newest);
      if (first === undefined || day < first) first = day;
    }
  }
  return first;
}

interface DaysWithout {
  readonly missing: readonly DateText[];
  /** The days before this one were too many to examine. */
  readonly before: DateText | undefined;
}

/** The days from `first` on for which `has` returns false. The newest two days are left out. */
function daysWithout(
  first: DateText | undefined,
  now: number,
  has: (day: DateText) => boolean,
): DaysWithout {
  const missing: DateText[] = [];
  if (first === undefined) return { missing, before: undefined };
  const yesterday = Math.floor(now / DAY_SECONDS) - 1;
  const from = parseDate(first);
  const start = Math.max(from, yesterday - MAX_DAYS);
  for (let day = start; day < yesterday; day += 1) {
    const date = formatDate(day);
    if (!has(date)) missing.push(date);
  }
  return { missing, before: start > from ? formatDate(start) : undefined };
}
