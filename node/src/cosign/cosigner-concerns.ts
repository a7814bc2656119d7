import { quorumOf } from '@assay/core/round/quorum';
import type { HashHex } from '@assay/core/hash/hash';
import { recountUntil } from '@assay/core/round/recount';
import { parseTime } from '@assay/core/time/time';
import { dissentsOf, statementEntryOf } from '@assay/core/view/cosigns';
import type { ViewState } from '@assay/core/view/view';
import type { Concern } from '../health/concern.ts';
import { abstentionText } from './abstention-text.ts';
import { lacksQuorum, type OpenReport, type OpenReports } from './open-reports.ts';

/** What was received from co-signers. */
export interface Heard {
  /** What readers are shown. */
  readonly shown: ViewState;
  /** The same with what is not published yet. */
  readonly tip: ViewState;
  /** Why a co-signer has abstained from a report; undefined if it has not. */
  readonly abstained: (report: HashHex, cosigner: string) => string | undefined;
}

/** What is too late, in seconds, at the time `now`. */
export interface CosignerLimits {
  readonly silentAfterS: number;
  readonly quorumAfterS: number;
  readonly now: number;
}

/**
 * The reports that somebody has still to state something about, or that lack their quorum, newest first. The
 * others are dropped.
 */
export function waitingReports(open: OpenReports, heard: Heard): readonly OpenReport[] {
  return open.list().filter((each) => {
    if (lacksQuorum(heard.shown, each)) return true;
    const isSilent = each.set.cosigners.some(({ key }) => !hasStated(heard, each, key));
    if (isSilent && open.isRecent(each)) return true;
    open.close(each.row.hash);
    return false;
  });
}

/**
 * Who is silent about one of these reports, and which of them have no quorum and why: for each index the
 * newest.
 */
export function cosignerConcerns(
  reports: readonly OpenReport[],
  isRecent: (open: OpenReport) => boolean,
  heard: Heard,
  limits: CosignerLimits,
): readonly Concern[] {
  const reasons: string[] = [];
  const looked = reports.filter((open) => isLookedFor(open, isRecent, limits));
  for (const [name, silent] of silentOn(looked, heard)) {
    const [newest] = silent;
    if (newest === undefined) continue;
    const others = silent.length - 1;
    const seconds = limits.now - parseTime(newest.row.report.published_at);
    const more = others === 0 ? '' : `, nor about ${others} more`;
    reasons.push(
      `Co-signer ${name} has said nothing about ${aboutOf(newest)} for ${seconds} s${more}.`,
    );
  }
  const lacking = new Map<string, OpenReport[]>();
  for (const open of reports) {
    const { ticker, published_at: at } = open.row.report;
    if (limits.now - parseTime(at) <= limits.quorumAfterS || !lacksQuorum(heard.shown, open)) {
      continue;
    }
    const known = lacking.get(ticker);
    if (known === undefined) lacking.set(ticker, [open]);
    else known.push(open);
  }
  for (const each of lacking.values()) {
    const [newest] = each;
    if (newest !== undefined) reasons.push(lackOf(newest, each.length - 1, heard, limits.now));
  }
  return reasons.map((reason) => ({ level: 'degraded', reason }));
}

/** Whether everybody should have made a statement on a report by now. */
function isLookedFor(
  open: OpenReport,
  isRecent: (open: OpenReport) => boolean,
  { now, silentAfterS }: CosignerLimits,
): boolean {
  const { report } = open.row;
  if (now - parseTime(report.published_at) <= silentAfterS) return false;
  // The report is old, and it is too late to read anything that counts, so it is reported for lack of its
  // quorum instead.
  return (
    now <= recountUntil({ rule: open.rule.rule, clocks: open.clocks, report }) || isRecent(open)
  );
}

/** The co-signers of these reports by name, with the reports that each has made no statement on. */
function silentOn(
  reports: readonly OpenReport[],
  heard: Heard,
): ReadonlyMap<string, readonly OpenReport[]> {
  const silent = new Map<string, OpenReport[]>();
  for (const open of reports) {
    for (const { name, key } of open.set.cosigners) {
      if (hasStated(heard, open, key)) continue;
      const known = silent.get(name);
      if (known === undefined) silent.set(name, [open]);
      else known.push(open);
    }
  }
  return silent;
}

function hasStated(
  { tip, abstained }: Heard,
  { row: { hash } }: Pick<OpenReport, 'row'>,
  key: string,
): boolean {
  return abstained(hash, key) !== undefined || statementEntryOf(tip, hash, key) !== undefined;
}

/** That a report has no quorum, who has made no statement on it, and how many others of its index have none. */
function lackOf(open: OpenReport, others: number, heard: Heard, now: number): string {
  const { row, rule, set, clocks } = open;
  const { have, required } = quorumOf(heard.shown, row);
  const { status, published_at: at } = row.report;
  const over = now > recountUntil({ rule: rule.rule, clocks, report: row.report });
  const why = set.cosigners.flatMap(({ name, key }) => {
    const words = whyNot(open, key, over, heard);
    return words === undefined ? [] : [` ${name} ${words}.`];
  });
  const [report, lack] = others === 1 ? ['report', 'lacks'] : ['reports', 'lack'];
  const more = others === 0 ? '' : ` ${others} earlier ${report} of it ${lack} them too.`;
  const reason = `${aboutOf(open)}, ${status} since ${at}, has ${have} of ${required} co-signatures.`;
  return `${reason}${why.join('')}${more}`;
}

/** Why a co-signer's agreement is missing; undefined if it is there. */
function whyNot(
  { row: { hash } }: OpenReport,
  key: string,
  over: boolean,
  { tip, abstained }: Heard,
): string | undefined {
  const reason = abstained(hash, key);
  if (reason !== undefined) return `abstained: ${abstentionText(reason)}`;
  if (statementEntryOf(tip, hash, key) !== undefined) {
    const dissents = dissentsOf(tip, hash).some(({ statement }) => statement.cosigner === key);
    return dissents ? 'dissents' : undefined;
  }
  return `has said nothing${over ? ', and the time for reads is over' : ''}`;
}

function aboutOf({ row, rule }: OpenReport): string {
  return `${rule.rule.display} ${row.report.period}`;
}
