import { proofPayload } from '@assay/core/answer/proof';
import { currentRule } from '@assay/core/answer/index';
import type { Sha256 } from '@assay/core/hash/hash';
import { governingRule } from '@assay/core/round/governing';
import { overduePeriods } from '@assay/core/round/overdue';
import { periodClocks } from '@assay/core/round/period-clocks';
import { quorumOf } from '@assay/core/round/quorum';
import type { Ticker } from '@assay/core/rule/ticker';
import {
  type DateText,
  DAY_SECONDS,
  formatDate,
  formatTime,
  parseDate,
  parseTime,
  type TimeText,
} from '@assay/core/time/time';
import { newestAnchor } from '@assay/core/view/anchors';
import { newestBeacon } from '@assay/core/view/beacons';
import { closesOf, firstClose, newestClose } from '@assay/core/view/closes';
import { firstIndexedDay, indexOfDay, newestIndex } from '@assay/core/view/completeness';
import { reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { type Spread, spreadOf } from './spread.ts';

/** What is more than this many seconds behind its time counts as late. */
export const LATE_S = 3600;
/** How many of the newest periods of an index are searched for those that never came. */
const OVERDUE_BACK = 400;

/** The times of one period that was printed here, of which the record is made. Seconds are of the log's own times. */
export interface PrintTimes {
  readonly ticker: string;
  readonly period: DateText;
  /** The scheduled release; null where no rule governs the period. */
  readonly release_at: TimeText | null;
  /** When the first report of it was published, of whatever status. */
  readonly first_at: TimeText;
  /** From the release to the first report. */
  readonly first_s: number | null;
  readonly status: 'provisional' | 'final' | 'void';
  /** When the first final was published; null without one. */
  readonly final_at: TimeText | null;
  /** From the first time at which it could be final, by the rule's clocks, to the first final. */
  readonly final_s: number | null;
  /** From the first final to the signature that completed its quorum; null while it is not complete, or none is needed. */
  readonly quorum_s: number | null;
  /** Signatures that money waits for: 0 where its rule or the terms of its source let none settle on it. */
  readonly quorum_required: number;
  /** From the first final to the time of the Bitcoin block that holds its hash; null while none does. */
  readonly block_s: number | null;
  readonly block: number | null;
  readonly corrections: number;
}

/** What the times of several periods amount to. */
export interface PrintRecord {
  readonly printed: number;
  readonly finals: number;
  readonly voids: number;
  /** Periods that have neither a final nor a void yet. */
  readonly open: number;
  /** Corrections that were published, and the periods that they are of. */
  readonly corrections: number;
  readonly corrected: number;
  /** First reports and first finals that came more than `late_after_s` behind their time. */
  readonly late_first: number;
  readonly late_final: number;
  readonly first: Spread | null;
  readonly final: Spread | null;
  readonly quorum: Spread | null;
  /** Finals on which money waits for a quorum that they do not have. */
  readonly quorum_waiting: number;
  readonly block: Spread | null;
  /** Finals that no Bitcoin block holds yet. */
  readonly block_waiting: number;
}

export interface IndexRecord extends PrintRecord {
  readonly ticker: string;
  readonly slug: string;
  readonly cadence: 'weekly' | 'daily' | 'monthly';
  /** Periods past their deadline with neither a final nor a void, newest first. */
  readonly overdue: readonly DateText[];
}

/** What is written once for each day that has ended. */
export interface DayRecord {
  readonly first: DateText;
  readonly newest: DateText;
  readonly days: number;
  /** Days between the first and the newest that have none. */
  readonly missing: readonly DateText[];
  readonly late: number;
  /** From the end of the day to the entry. */
  readonly after: Spread;
}

/** How punctual and how right a publisher has been, from the log alone. */
export interface PublisherRecord {
  /** The newest time that the log itself names. What is due after it is not judged. */
  readonly as_of: TimeText | null;
  readonly late_after_s: number;
  readonly all: PrintRecord;
  readonly indices: readonly IndexRecord[];
  /** Null before the first. */
  readonly closes: DayRecord | null;
  readonly index_entries: DayRecord | null;
}

const CADENCES = { week_ending_saturday: 'weekly', utc_day: 'daily', month: 'monthly' } as const;

/** The times of every printed period of an index, oldest first. */
export type TimesOf = (state: ViewState, ticker: Ticker) => readonly PrintTimes[];

/** The record of every index, and of what is written daily. */
export function publisherRecord(state: ViewState, timesOfIndex: TimesOf): PublisherRecord {
  const now = newestTime(state);
  const every: PrintTimes[] = [];
  const indices = tickers(state).map((ticker): IndexRecord => {
    const times = timesOfIndex(state, ticker);
    every.push(...times);
    const { rule } = currentRule(state, ticker);
    return {
      ticker: rule.display,
      slug: rule.slug,
      cadence: CADENCES[rule.period],
      ...recordOf(times),
      overdue:
        now === undefined
          ? []
          : overduePeriods(state, ticker, now, OVERDUE_BACK).map(({ period }) => period),
    };
  });
  return {
    as_of: now === undefined ? null : formatTime(now),
    late_after_s: LATE_S,
    all: recordOf(every),
    indices,
    closes: dayRecord(firstClose(state), newestClose(state), (day) => closesOf(state, day)[0]?.at),
    index_entries: dayRecord(
      firstIndexedDay(state),
      newestIndex(state)?.day,
      (day) => indexOfDay(state, day)?.at,
    ),
  };
}

/** The newest time that an entry of the log names, in Unix seconds: of a daily entry, a batch of stamps, or a Bitcoin block. */
function newestTime(state: ViewState): number | undefined {
  const closed = newestClose(state);
  const beacon = newestBeacon(state);
  const times = [
    closed === undefined ? undefined : closesOf(state, closed).at(-1)?.at,
    newestIndex(state)?.at,
    newestAnchor(state)?.stamped_at,
  ].flatMap((at) => (at === undefined ? [] : [parseTime(at)]));
  if (beacon !== undefined) times.push(beacon.time);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The times of a period that has a report. */
export function timesOf(
  state: ViewState,
  sha256: Sha256,
  ticker: Ticker,
  period: DateText,
): PrintTimes {
  const reports = reportsOf(state, ticker, period);
  const [first] = reports;
  if (first === undefined) throw new TypeError(`${ticker} ${period} has no report`);
  const final = reports.find(({ report }) => report.status === 'final');
  const governing = governingRule(state, ticker, period);
  const release = governing?.release;
  const firstAt = parseTime(first.report.published_at);
  const finalAt = final && parseTime(final.report.published_at);
  const frozen =
    governing === undefined || final === undefined || finalAt === undefined
      ? undefined
      : periodClocks(state, governing, parseDate(period), finalAt, final.seq).frozen;
  const quorum = final && quorumOf(state, final);
  const required = final?.report.settleable === true ? (quorum?.required ?? 0) : 0;
  const block = final && (proofPayload(state, sha256, final.hash)?.before ?? undefined);
  const since = (at: string | null | undefined): number | null =>
    at == null || finalAt === undefined ? null : parseTime(at) - finalAt;
  return {
    ticker: currentRule(state, ticker).rule.display,
    period,
    release_at: release === undefined ? null : formatTime(release),
    first_at: first.report.published_at,
    first_s: release === undefined ? null : firstAt - release,
    status:
      final !== undefined
        ? 'final'
        : reports.some(({ report }) => report.status === 'void')
          ? 'void'
          : 'provisional',
    final_at: final?.report.published_at ?? null,
    final_s:
      finalAt === undefined || frozen === undefined || !Number.isFinite(frozen)
        ? null
        : finalAt - frozen,
    quorum_s: quorum === undefined || required === 0 ? null : since(quorum.reached_at),
    quorum_required: required,
    block_s: since(block?.time),
    block: block?.height ?? null,
    corrections: reports.filter(({ report }) => report.status === 'corrected').length,
  };
}

function recordOf(times: readonly PrintTimes[]): PrintRecord {
  const count = (holds: (each: PrintTimes) => boolean): number => times.filter(holds).length;
  // A void is written at the deadline: it says nothing about how soon numbers come.
  const numbers = times.filter(({ status }) => status !== 'void');
  const spread = (
    of: readonly PrintTimes[],
    seconds: (each: PrintTimes) => number | null,
  ): Spread | null =>
    spreadOf(
      of.flatMap((each) => {
        const found = seconds(each);
        return found === null ? [] : [{ seconds: found, of: `${each.ticker} ${each.period}` }];
      }),
    );
  return {
    printed: times.length,
    finals: count(({ status }) => status === 'final'),
    voids: count(({ status }) => status === 'void'),
    open: count(({ status }) => status === 'provisional'),
    corrections: times.reduce((sum, each) => sum + each.corrections, 0),
    corrected: count(({ corrections }) => corrections > 0),
    late_first: numbers.filter(({ first_s }) => first_s !== null && first_s > LATE_S).length,
    late_final: count(({ final_s }) => final_s !== null && final_s > LATE_S),
    first: spread(numbers, (each) => each.first_s),
    final: spread(times, (each) => each.final_s),
    quorum: spread(times, (each) => each.quorum_s),
    quorum_waiting: count(
      ({ status, quorum_required, quorum_s }) =>
        status === 'final' && quorum_required > 0 && quorum_s === null,
    ),
    block: spread(times, (each) => each.block_s),
    block_waiting: count(({ status, block_s }) => status === 'final' && block_s === null),
  };
}

function dayRecord(
  first: DateText | undefined,
  newest: DateText | undefined,
  writtenAt: (day: DateText) => TimeText | undefined,
): DayRecord | null {
  if (first === undefined || newest === undefined) return null;
  const missing: DateText[] = [];
  const after: { readonly seconds: number; readonly of: string }[] = [];
  for (let days = parseDate(first); days <= parseDate(newest); days += 1) {
    const day = formatDate(days);
    const at = writtenAt(day);
    if (at === undefined) missing.push(day);
    else after.push({ seconds: parseTime(at) - (days + 1) * DAY_SECONDS, of: day });
  }
  const spread = spreadOf(after);
  if (spread === null) return null;
  const late = after.filter(({ seconds }) => seconds > LATE_S).length;
  return { first, newest, days: after.length, missing, late, after: spread };
}
