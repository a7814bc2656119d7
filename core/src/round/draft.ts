import { type CountedRead, decide, type Decision, type Reason } from '../report/decide.ts';
import type { HashHex } from '../hash/hash.ts';
import type { Read, Report } from '../report/report.ts';
import type { Clocks } from '../rule/clocks.ts';
import { isWithheld, providerGroups, type Rule } from '../rule/rule.ts';
import { type DateText, formatDate, formatTime, parseTime } from '../time/time.ts';
import { reportsOf } from '../view/reports.ts';
import { periodRow, settlementHistory, withheldFinals } from '../view/periods.ts';
import type { ViewState } from '../view/view.ts';
import { bandOf, type ZScore, zScoreOf } from './z.ts';

/** The largest issue of a provisional: one byte. */
const MAX_ISSUE = 255;

/** Everything that determines a report, besides the log before it. */
export interface DraftInput {
  readonly log: HashHex;
  readonly rule: Rule;
  readonly ruleHash: HashHex;
  /** Day number. */
  readonly period: number;
  /** The clocks of the period at `publishedAt`, on top of the log so far. */
  readonly clocks: Clocks;
  readonly reads: readonly Read[];
  /** Unix seconds. */
  readonly publishedAt: number;
  readonly cosigners: Report['cosigners'];
  readonly after: Report['after'];
  /** What replaces the figures of a rule whose level is withheld; null for any other rule. */
  readonly withheld: Withholding | null;
}

/**
 * A withheld level is not in the log. The publisher has it (`open`): the reads come with their values, and the report
 * with a commitment instead. Everybody else has only the publisher's statement (`claimed`) for the commitment, for z,
 * and for whether the reads agreed. What follows from time and outcomes is checked.
 */
export type Withholding =
  | {
      readonly kind: 'open';
      /** What stands for a value in the log; the same for the same value. */
      readonly commit: (value: bigint) => HashHex;
      /** The values behind the finals before this period that z is measured against, oldest first. */
      readonly history: readonly bigint[];
    }
  | { readonly kind: 'claimed'; readonly report: Report };

/** A report, or why there is none: `wait` for the source, `settled` when the round is over. */
export type Draft =
  | { readonly kind: 'report'; readonly report: Report; readonly opening: DraftOpening | null }
  | { readonly kind: 'wait' }
  | { readonly kind: 'settled' };

/**
 * The level behind the commitment of a draft, to be stored before the report is published. Only the publisher
 * knows it.
 */
export interface DraftOpening {
  readonly commitment: HashHex;
  readonly value: bigint;
}

/** A decision that makes a report. */
export type Reportable = Exclude<Decision, { readonly status: 'wait' }>;

/**
 * The report that these reads make at this time, on top of the log so far. It is a pure function. The publisher signs
 * its result, and the verifier drafts again from the reads that a report names and demands the same bytes.
 */
export function draftReport(input: DraftInput, state: ViewState): Draft {
  const { rule } = input;
  const period: DateText = formatDate(input.period);
  const before = reportsOf(state, rule.ticker, period);
  if (before.some(({ report }) => report.status !== 'provisional')) return { kind: 'settled' };
  // What was loaded as history had no first print, and gets none later.
  if (periodRow(state, rule.ticker, period)?.basis === 'history') return { kind: 'settled' };
  const reads = countingReads(
    input,
    before.map(({ report }) => report),
  );
  const decision = decideReads(input, reads, before.at(-1)?.report.reason ?? null);
  if (decision.status === 'wait') return { kind: 'wait' };
  const { status, reason, value } = decision;
  // An issue is one byte of the print message. A source that keeps changing is reported that many times, and then once
  // at the end.
  if (status === 'provisional' && before.length > MAX_ISSUE) return { kind: 'wait' };
  const first = before.find(
    ({ report }) => value !== null && report.value === value.toString(),
  )?.report;
  const figures = reportFigures(input, decision, reads);
  const { commitment } = figures;
  const isOpen = input.withheld?.kind === 'open' && commitment !== null && value !== null;
  return {
    kind: 'report',
    opening: isOpen ? { commitment, value } : null,
    report: {
      ...figures,
      // z belongs to the first publication of a value and is never restated.
      ...(first === undefined ? scoreOf(input, value, state) : { z: first.z, band: first.band }),
      issue: status === 'provisional' ? before.length : 0,
      status,
      reason,
      settleable: status === 'final' && rule.rights.settlement === 'yes',
      supersedes: before.at(-1)?.hash ?? null,
    },
  };
}

/**
 * A correction of a final period after an error of Assay's own: the result of reading the sources again, with the
 * quorum that a final needs. It never settles, and z stays as first published. `settled` where it would state nothing
 * new.
 */
export function draftCorrection(input: DraftInput, state: ViewState): Draft {
  const { rule } = input;
  const before = reportsOf(state, rule.ticker, formatDate(input.period));
  const last = before.at(-1);
  const final = before.find(({ report }) => report.status === 'final')?.report;
  if (last === undefined || final === undefined || isWithheld(rule)) return { kind: 'wait' };
  const since = parseTime(final.published_at);
  if (input.reads.some(({ read_at: at }) => parseTime(at) < since)) return { kind: 'wait' };
  const decision = decideAgain(input);
  if (decision.status !== 'final') return { kind: 'wait' };
  if (decision.value?.toString() === last.report.value) return { kind: 'settled' };
  return {
    kind: 'report',
    opening: null,
    report: {
      ...reportFigures(input, decision, input.reads),
      z: final.z,
      band: final.band,
      issue: before.filter(({ report }) => report.status === 'corrected').length + 1,
      status: 'corrected',
      reason: null,
      settleable: false,
      supersedes: last.hash,
    },
  };
}

/** What reads that may be a first print decide; `open` is the reason why the last provisional was not final. */
export function decideReads(
  input: DraftInput,
  reads: readonly Read[],
  open: Reason | null,
): Decision {
  const { rule, clocks, publishedAt, withheld } = input;
  // A read from before the release cannot have seen what was released.
  if (reads.some(({ read_at: at }) => parseTime(at) < clocks.release)) return { status: 'wait' };
  const counted = countedReads(rule, reads, clocks.firstPrint);
  const decision = decide(rule, clocks, counted, publishedAt, open);
  if (withheld?.kind !== 'claimed') return decision;
  return asClaimed(withheld.report.reason, decision, counted, rule, clocks, publishedAt);
}

/**
 * A decision on values that are not shown, together with what only the values would show: that the reads of a group
 * differ too much, or that the sum of the groups is too large. The claim is accepted where it is possible at all.
 */
function asClaimed(
  reason: Report['reason'],
  decision: Decision,
  reads: readonly CountedRead[],
  rule: Rule,
  clocks: Clocks,
  now: number,
): Decision {
  if (decision.status === 'wait' || decision.value === null) return decision;
  const groups = [...providerGroups(rule).keys()].map((group) =>
    reads.filter((read) => read.group === group && read.role !== 'check' && read.value !== null),
  );
  const empty = (why: Reason): Decision => ({
    status: 'void',
    reason: why,
    value: null,
    dispersion: null,
  });
  if (reason === 'dispersion' && groups.some((group) => group.length > 1)) {
    return now >= clocks.deadline
      ? empty('dispersion')
      : { ...decision, status: 'provisional', reason: 'dispersion' };
  }
  const frozen = now >= clocks.frozen;
  if (reason === 'out_of_range' && groups.length > 1 && frozen) return empty('out_of_range');
  return decision;
}

/** What the reads of a correction decide, whenever they were made. */
export function decideAgain({ rule, clocks, reads, publishedAt }: DraftInput): Decision {
  const counted = countedReads(rule, reads, Number.POSITIVE_INFINITY);
  return decide(rule, clocks, counted, publishedAt, 'freeze_window');
}

/** The rule, not the reader, decides what a read counts for. A read of any other provider counts for nothing. */
function countedReads(rule: Rule, reads: readonly Read[], inTime: number): readonly CountedRead[] {
  const providers = new Map(rule.providers.map((provider) => [provider.id, provider]));
  return reads.map(({ provider: id, outcome, value, read_at: at }) => {
    const provider = providers.get(id);
    const about = { group: provider?.group ?? '', role: provider?.role ?? ('check' as const) };
    if (outcome === 'ok' && parseTime(at) > inTime) return { ...about, outcome, value: null };
    // A withheld value is null in the log; the outcome shows only that there is one.
    const scaled = value === null ? (outcome === 'ok' ? 0n : null) : BigInt(value);
    return { ...about, outcome, value: scaled };
  });
}

/** The members of a report that do not depend on the log before it. */
export function reportFigures(
  input: DraftInput,
  { value, dispersion }: Reportable,
  reads: readonly Read[],
): Omit<Report, 'z' | 'band' | 'issue' | 'status' | 'reason' | 'settleable' | 'supersedes'> {
  const { rule } = input;
  const withheld = isWithheld(rule);
  return {
    type: 'assay-report/1',
    log: input.log,
    ticker: rule.ticker,
    rule: { hash: input.ruleHash, version: rule.version },
    period: formatDate(input.period),
    value: withheld || value === null ? null : value.toString(),
    decimals: rule.decimals,
    withheld,
    commitment: committed(input, value),
    grade: rule.grade,
    dispersion: withheld || dispersion === null ? null : dispersion.toString(),
    reads: withheld ? reads.map((read) => ({ ...read, value: null })) : reads,
    cosigners: input.cosigners,
    after: input.after,
    published_at: formatTime(input.publishedAt),
  };
}

function committed({ rule, withheld }: DraftInput, value: bigint | null): HashHex | null {
  if (!isWithheld(rule) || value === null) return null;
  if (withheld === null) throw new TypeError('draftReport: a withheld level without its keeper');
  return withheld.kind === 'open' ? withheld.commit(value) : withheld.report.commitment;
}

function scoreOf(
  { rule, period, withheld }: DraftInput,
  value: bigint | null,
  state: ViewState,
): ZScore {
  if (value === null) return { z: null, band: null };
  const date = formatDate(period);
  const { baseline, bands, ticker } = rule;
  if (withheld === null) {
    const history = settlementHistory(state, ticker, date, baseline);
    return zScoreOf(value, history, baseline, bands);
  }
  if (withheld.kind === 'open') return zScoreOf(value, withheld.history, baseline, bands);
  // The log shows how many finals there were, and too few of them make no z.
  const finals = withheldFinals(state, ticker, date, baseline.split, baseline.min).length;
  const { z } = withheld.report;
  return z === null || finals < baseline.min
    ? { z: null, band: null }
    : { z, band: bandOf(z, bands) };
}

/**
 * The reads that a report is made from. Inside the freeze window they are the newest. What was last printed
 * inside it with its quorum becomes final once the window has passed. A source that changes its figure
 * afterwards revises it and does not settle on it, whenever the publisher reads it. A later failed read does
 * not undo that print, but one with another figure, printed inside the window, does. A late number may be
 * printed before anybody knows that the window is over; then the first print counts.
 */
function countingReads(input: DraftInput, before: readonly Report[]): readonly Read[] {
  const { frozen } = input.clocks;
  if (input.publishedAt < frozen) return input.reads;
  const isAgreed = ({ reason }: Report): boolean => reason === 'freeze_window';
  const inside = before.findLastIndex(
    (report) => isAgreed(report) && parseTime(report.published_at) < frozen,
  );
  const at = inside === -1 ? before.findIndex(isAgreed) : inside;
  const agreed = before[at];
  if (agreed === undefined) return input.reads;
  const figures = new Map(agreed.reads.map(({ provider, value }) => [provider, value]));
  const { within, across } = input.rule.aggregate;
  const equal = within === 'equal' && across === 'single';
  const isOther = ({ provider, role, value }: Read): boolean => {
    if (role === 'check' || value === null) return false;
    // A provider that had no figure then is compared with the printed one, where all must be equal to it.
    return value !== (figures.get(provider) ?? (equal ? agreed.value : value));
  };
  const corrected = before
    .slice(at + 1)
    .some(({ published_at: printed, reads }) => parseTime(printed) < frozen && reads.some(isOther));
  return corrected ? input.reads : agreed.reads;
}

/** Whether a new provisional states nothing that the one before it did not. */
export function saysTheSame(a: Report, b: Report): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.value === b.value &&
    a.dispersion === b.dispersion
  );
}
