import type { HashHex } from '../hash/hash.ts';
import { recount } from './recount.ts';
import {
  type Clocks,
  clocksOf,
  lateBounds,
  type LateBounds,
  lateClocksOf,
} from '../rule/clocks.ts';
import { isWithheld } from '../rule/rule.ts';
import { formatDate, parseDate, parseTime } from '../time/time.ts';
import { setByHash } from '../view/cosigner-sets.ts';
import { type CosignRow, cosignsOf, type DissentRow, dissentsOf } from '../view/cosigns.ts';
import { type ReportRow, reportsOf } from '../view/reports.ts';
import type { RuleRow } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';

/** The version that governs a period, as far as its clocks go. */
type Version = Pick<RuleRow, 'rule' | 'hash'>;

/** A co-signer's signed statement that it saw a number for the period at its sources. */
export interface Sighting {
  /** The seq of the statement's entry. */
  readonly seq: number;
  /** The seq of the provisional's entry that it is about. */
  readonly reportSeq: number;
  readonly report: HashHex;
  readonly cosigner: string;
  /** The time of the latest of its own reads, in Unix seconds. */
  readonly seen: number;
}

/**
 * The clocks of a report that is published at `now` (Unix seconds) on top of the log so far, or of its entries before
 * the one numbered `before`: docs/spec/rule.md, Late publications. `version` governs the period, a day number. The
 * node, co-signers, the verifier, the watch and bundles all use this function and no other.
 */
export function periodClocks(
  state: ViewState,
  version: Version,
  period: number,
  now: number,
  before: number = Number.POSITIVE_INFINITY,
): Clocks {
  const scheduled = clocksOf(version.rule, period);
  const bounds = lateBounds(version.rule, period);
  if (bounds === undefined || now <= scheduled.firstPrint) return scheduled;
  if (onTime(state, version, period, before) !== undefined) return scheduled;
  const quorum = sightingQuorum(state, version, period, before);
  if (quorum === undefined) return unseenClocks(scheduled, bounds);
  const seen = Math.max(...quorum.map((each) => each.seen));
  return seen <= scheduled.firstPrint ? scheduled : lateClocksOf(version.rule, period, seen);
}

/** The clocks by which a report in the log was published, and by which it is recounted. */
export function reportClocks(
  state: ViewState,
  version: Version,
  { seq, report }: Pick<ReportRow, 'seq' | 'report'>,
): Clocks {
  return periodClocks(
    state,
    version,
    parseDate(report.period),
    parseTime(report.published_at),
    seq,
  );
}

/**
 * The entries that a report's clocks depend on in addition to its rule, ascending: the report that was in time,
 * or the statements by which a quorum saw a late publication and the provisionals that those are about. Empty
 * if the schedule alone sets the clocks.
 */
export function clockEntries(
  state: ViewState,
  version: Version,
  { seq, report }: Pick<ReportRow, 'seq' | 'report'>,
): readonly number[] {
  const period = parseDate(report.period);
  const { firstPrint } = clocksOf(version.rule, period);
  const isScheduled = parseTime(report.published_at) <= firstPrint;
  if (isScheduled || lateBounds(version.rule, period) === undefined) return [];
  const inTime = onTime(state, version, period, seq);
  if (inTime !== undefined) return [inTime.seq];
  const quorum = sightingQuorum(state, version, period, seq) ?? [];
  const seqs = new Set(quorum.flatMap((each) => [each.reportSeq, each.seq]));
  return [...seqs].sort((a, b) => a - b);
}

/** The clocks of a late number that no quorum has seen: what is read is provisional, and void in the end. */
export function unseenClocks({ release }: Clocks, { seenBy, voidFrom }: LateBounds): Clocks {
  return {
    release,
    frozen: Number.POSITIVE_INFINITY,
    firstPrint: seenBy,
    deadline: voidFrom,
    seen: null,
  };
}

/** A report that was published in time for a first print, because of which the period keeps the scheduled clocks. */
export function onTime(
  state: ViewState,
  { rule, hash }: Version,
  period: number,
  before: number,
): ReportRow | undefined {
  const { firstPrint } = clocksOf(rule, period);
  return reportsOf(state, rule.ticker, formatDate(period)).find(
    ({ seq, report }) =>
      seq < before &&
      report.rule.hash === hash &&
      parseTime(report.published_at) <= firstPrint &&
      (report.status !== 'provisional' || report.reason === 'freeze_window'),
  );
}

/**
 * The first statements of the log, before the entry numbered `before`, by which a quorum of one set of co-signers saw a
 * publication; of each member the first one. Undefined while there are too few.
 */
export function sightingQuorum(
  state: ViewState,
  version: Version,
  period: number,
  before: number,
): readonly Sighting[] | undefined {
  const bounds = lateBounds(version.rule, period);
  if (bounds === undefined || isWithheld(version.rule)) return undefined;
  const clocks = unseenClocks(clocksOf(version.rule, period), bounds);
  const statements = reportsOf(state, version.rule.ticker, formatDate(period))
    .filter(({ seq, report }) => seq < before && isProvisional(report, version.hash))
    .flatMap((row) =>
      [...cosignsOf(state, row.hash), ...dissentsOf(state, row.hash)]
        .filter(({ seq }) => seq < before)
        .map((word) => ({ row, word })),
    )
    .sort((a, b) => a.word.seq - b.word.seq);
  const bySet = new Map<HashHex, Map<string, Sighting>>();
  for (const { row, word } of statements) {
    const { set } = row.report.cosigners;
    const members = set === null ? undefined : setByHash(state, set);
    const { cosigner } = word.statement;
    if (set === null || members?.cosigners.some(({ key }) => key === cosigner) !== true) continue;
    const found = bySet.get(set) ?? new Map<string, Sighting>();
    bySet.set(set, found);
    if (found.has(cosigner)) continue;
    const seen = seenAt(version, row, word, clocks);
    if (seen === undefined) continue;
    const { seq, hash } = row;
    found.set(cosigner, { seq: word.seq, reportSeq: seq, report: hash, cosigner, seen });
    if (found.size >= members.threshold) return [...found.values()];
  }
  return undefined;
}

function isProvisional({ status, rule }: ReportRow['report'], hash: HashHex): boolean {
  return status === 'provisional' && rule.hash === hash;
}

/**
 * When a statement's own reads showed a number with its quorum, in Unix seconds; undefined where they did not, or not
 * in time.
 */
function seenAt(
  { rule }: Version,
  { report }: ReportRow,
  { statement: { own } }: CosignRow | DissentRow,
  clocks: Clocks,
): number | undefined {
  if (own === null || own.reads.length === 0) return undefined;
  const seen = Math.max(...own.reads.map(({ read_at: at }) => parseTime(at)));
  if (seen > clocks.firstPrint) return undefined;
  const found = recount({ rule, report, reads: own.reads, open: null, clocks });
  const isSeen = found?.status === 'provisional' && found.value !== null && found.quorate;
  return isSeen ? seen : undefined;
}
