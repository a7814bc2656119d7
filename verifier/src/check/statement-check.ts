import { type Hash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { MAX_ANCHOR_LAG } from '@assay/core/kind/anchor';
import type { KnownBody } from '@assay/core/kind/kinds';
import { dissentMessage, formatPrint, printOf } from '@assay/core/report/print';
import { reportClocks } from '@assay/core/round/period-clocks';
import { groundFault, openBefore, recountKept } from '@assay/core/round/recount';
import type { Read, Report } from '@assay/core/report/report';
import type { Clocks } from '@assay/core/rule/clocks';
import { type Statement, statementMessage } from '@assay/core/report/statement';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { setByHash } from '@assay/core/view/cosigner-sets';
import { cosignsOf, statementEntryOf } from '@assay/core/view/cosigns';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference } from '../verdict/difference.ts';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import type { CheckContext } from './read-check.ts';

/** An agreement or a dissent, as its entry holds it. */
export type LoggedStatement = Extract<KnownBody, { readonly kind: 'cosign/1' | 'dissent/1' }>;

/** A report that names a co-signer set, and its entry. */
export interface Reported {
  readonly seq: number;
  readonly leaf: HashHex;
  readonly row: ReportRow;
}

/** The log before a statement's entry. */
export interface LogBeforeStatement {
  readonly log: HashHex;
  readonly state: ViewState;
  readonly reported: (report: HashHex) => Reported | undefined;
  /** The tree's root at a size of at most `MAX_ANCHOR_LAG` entries ago. */
  readonly rootAt: (size: number) => Hash | undefined;
  /**
   * The reads of a report as they follow from its kept bytes; undefined where they are what the report itself states.
   */
  readonly reread?: (report: HashHex) => readonly Read[] | undefined;
  /** The clocks of a report, where they do not follow from `state`. */
  readonly clocks?: (report: HashHex) => Clocks | undefined;
}

/**
 * Seconds by which the clocks of a co-signer and of the publisher may differ, as on chain. The times do not show which
 * came first; what shows it is that a statement names a head that holds the report, and comes after the report in the
 * log.
 */
const CLOCKS_APART_S = 120;

/**
 * Checks that a statement is about a report as this log holds it, under a head that the log had, by a member of the
 * report's own set. The co-signer's reads and the kept bytes must support its verdict under the report's rule, and the
 * co-signer must have made no other statement on the report. The check runs when the walk reaches the entry, on the
 * rows before it. Returns the report.
 */
export function checkStatement(
  logged: LoggedStatement,
  seq: number,
  at: TimeText,
  place: string,
  logBefore: LogBeforeStatement,
  sha256: Sha256,
  { findings, notChecked, tally }: CheckContext,
): Report | undefined {
  if (logged.kind === 'cosign/1') tally.cosignatures += 1;
  else tally.dissents += 1;
  const { statement } = logged.body;
  checkHead(statement, seq, place, logBefore, findings, notChecked);
  const reported = logBefore.reported(statement.report);
  if (reported === undefined) {
    const expected = 'a report before it that names a co-signer set';
    findings.add('statement_differs', place, expected, `report ${statement.report}`);
    return undefined;
  }
  const { row, leaf } = reported;
  const { report } = row;
  const differs = firstDifference(
    {
      log: logBefore.log,
      print: formatHex(formatPrint(printOf(sha256, report))),
      entry: { seq: reported.seq, leaf },
      set: report.cosigners.set,
    },
    {
      log: statement.log,
      print: statement.print,
      entry: { seq: statement.entry.seq, leaf: statement.entry.leaf },
      set: statement.set,
    },
  );
  if (differs !== undefined) {
    const { path, expected, found } = differs;
    findings.add('statement_differs', `${place}/statement${path}`, expected, found);
  }
  checkMember(statement, report, place, logBefore.state, findings);
  checkGround(statement, row, place, logBefore, findings, notChecked);
  checkSignedAt(statement, report, at, place, findings);
  checkOnce(statement, row, place, logBefore.state, findings);
  return report;
}

function checkHead(
  { head }: Statement,
  seq: number,
  place: string,
  { rootAt }: LogBeforeStatement,
  findings: Findings,
  notChecked: CheckContext['notChecked'],
): void {
  const at = `${place}/statement/head`;
  if (head.size > seq) {
    findings.add('statement_differs', at, `a head of ${seq} entries at most`, `${head.size}`);
    return;
  }
  if (head.size < seq - MAX_ANCHOR_LAG) {
    notChecked.add(
      'quorum',
      `heads that co-signers name, of over ${MAX_ANCHOR_LAG} entries before`,
      'no tree of that size is kept while the log is followed',
      'none',
    );
    return;
  }
  const root = rootAt(head.size);
  const expected = root === undefined ? 'no such head' : hashHex(root);
  if (expected === head.root) return;
  findings.add('statement_differs', at, `root ${expected} of ${head.size} entries`, head.root);
}

function checkMember(
  { cosigner }: Statement,
  report: Report,
  place: string,
  state: ViewState,
  findings: Findings,
): void {
  const { set } = report.cosigners;
  const members = (set === null ? undefined : setByHash(state, set))?.cosigners ?? [];
  if (members.some(({ key }) => key === cosigner)) return;
  const expected = `a key of set ${set}`;
  findings.add('statement_differs', `${place}/statement/cosigner`, expected, cosigner);
}

/** A statement's verdict must follow from what it states about its own reads and the kept bytes. */
function checkGround(
  statement: Statement,
  row: ReportRow,
  place: string,
  { state, reread, clocks: given }: LogBeforeStatement,
  findings: Findings,
  notChecked: CheckContext['notChecked'],
): void {
  const { hash, report } = row;
  if (report.withheld) {
    const expected = 'no statement on a withheld level, which only the publisher knows';
    findings.add('statement_differs', `${place}/statement/verdict`, expected, statement.verdict);
    return;
  }
  const rule = ruleVersions(state, report.ticker).find((each) => each.hash === report.rule.hash);
  // A report under a rule that the log does not have already has a finding.
  if (rule === undefined) return;
  const clocks = given?.(hash) ?? reportClocks(state, rule, row);
  const of = { rule: rule.rule, clocks, report, open: openBefore(report) };
  const kept = recountKept({ ...of, reads: reread?.(hash) ?? report.reads });
  if (kept === undefined && statement.kept !== null) {
    notChecked.add(
      'sources',
      'what co-signers say of kept bytes',
      "the sources' terms do not let the log keep all of them",
      'none',
      rule.rule.display,
    );
  }
  const fault = groundFault(statement, of, kept);
  if (fault === undefined) return;
  const path = fault.at.replaceAll(/[.[]/g, '/').replaceAll(']', '');
  findings.add('statement_differs', `${place}/statement/${path}`, fault.expected, fault.found);
}

function checkSignedAt(
  { signed_at: signed }: Statement,
  report: Report,
  at: TimeText,
  place: string,
  findings: Findings,
): void {
  const time = parseTime(signed);
  const from = parseTime(report.published_at) - CLOCKS_APART_S;
  if (time >= from && time <= parseTime(at) + CLOCKS_APART_S) return;
  const expected = `a time from ${report.published_at} to ${at}, within ${CLOCKS_APART_S} s`;
  findings.add('statement_differs', `${place}/statement/signed_at`, expected, signed);
}

/** Each co-signer makes one statement on a report, and agrees with one print for each place of a period. */
function checkOnce(
  { cosigner, verdict }: Statement,
  { hash, report }: ReportRow,
  place: string,
  state: ViewState,
  findings: Findings,
): void {
  const before = statementEntryOf(state, hash, cosigner);
  if (before !== undefined) {
    const expected = `one statement of ${cosigner} on a report`;
    findings.add('cosigner_contradicts', place, expected, `another in entry ${before}`);
  }
  if (verdict !== 'agree') return;
  const { ticker, period } = report;
  for (const other of reportsOf(state, ticker, period)) {
    if (other.hash === hash || placeOf(other.report) !== placeOf(report)) continue;
    if (!cosignsOf(state, other.hash).some(({ statement }) => statement.cosigner === cosigner)) {
      continue;
    }
    const expected = `one ${placeOf(report)} print of ${ticker} ${period} that ${cosigner} signs`;
    findings.add('cosigner_contradicts', place, expected, `another, of entry ${other.seq}`);
  }
}

/** Which of a period's prints a report is. A period has one final or void, and one print of each issue. */
function placeOf({ status, issue }: Report): string {
  return status === 'final' || status === 'void' ? 'settled' : `${status} ${issue}`;
}

/** Checks the co-signer's two signatures: over its statement, and over the message that the chain checks. */
export async function checkStatementSignatures(
  logged: LoggedStatement,
  report: Report | undefined,
  place: string,
  environment: Environment,
  { findings, tally }: CheckContext,
): Promise<void> {
  const { statement, signature } = logged.body;
  const verified = async (message: Uint8Array, by: string, what: string): Promise<void> => {
    const key = parseHex(statement.cosigner, 32);
    const good = await environment.verifySignature(key, message, parseHex(by, 64));
    tally.signatures += 1;
    if (good) return;
    const expected = `a signature of ${what} by ${statement.cosigner}`;
    findings.add('statement_bad_signature', place, expected, 'one that does not verify');
  };
  await verified(statementMessage(statement), signature, 'the statement');
  if (report === undefined) return;
  const print = printOf(environment.sha256, report);
  if (logged.kind === 'cosign/1') {
    await verified(formatPrint(print), logged.body.print_signature, 'the print');
  } else {
    await verified(dissentMessage(print), logged.body.dissent_signature, 'the dissent');
  }
}
