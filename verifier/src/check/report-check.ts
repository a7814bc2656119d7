import { draftCorrection, type DraftInput, draftReport } from '@assay/core/round/draft';
import type { Genesis } from '@assay/core/kind/genesis';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { ReportEntry } from '@assay/core/kind/report-entry';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { Read, Report } from '@assay/core/report/report';
import { isPeriod } from '@assay/core/rule/period';
import { periodClocks } from '@assay/core/round/period-clocks';
import type { Clocks } from '@assay/core/rule/clocks';
import { releaseTime } from '@assay/core/rule/release';
import { governingRule } from '@assay/core/round/governing';
import { isWithheld, type Rule } from '@assay/core/rule/rule';
import { formatTime, parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import { checkReportSet } from './cosigner-set-check.ts';
import { reportDigest } from '@assay/core/view/report-digest';
import { reportCosigners } from '@assay/core/view/cosigner-sets';
import { newestBlock } from '@assay/core/view/beacons';
import type { ReportKey } from '@assay/core/view/key/keys';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference, isSame } from '../verdict/difference.ts';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import { signerOf } from './key-check.ts';
import { checkReads, type CheckContext } from './read-check.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** The log before the entry that is checked. */
export interface LogBeforeReport {
  readonly log: HashHex;
  readonly genesis: Genesis;
  readonly state: ViewState;
}

/**
 * Checks that a report follows from its log, its rule and its reads. It must be made for this log, under the one rule
 * for its period, with its times in a possible order; and drafting it again from its reads must make the same report,
 * with the same z and issue. The check runs when the walk reaches the entry, on the rows before it. Returns the rule,
 * for the checks that take longer.
 */
export function checkReport(
  { report }: ReportEntry,
  at: TimeText,
  place: string,
  logBefore: LogBeforeReport,
  { findings, notChecked }: CheckContext,
): Rule | undefined {
  if (report.log !== logBefore.log) {
    findings.add('report_log', place, logBefore.log, report.log);
  }
  const row = governingRule(logBefore.state, report.ticker, report.period);
  if (row?.hash !== report.rule.hash || row.rule.version !== report.rule.version) {
    findings.add(
      'rule_mismatch',
      place,
      row === undefined
        ? `a version of the rule of ${report.ticker} that governs ${report.period}`
        : `${row.hash} version ${row.rule.version}`,
      `${report.rule.hash} version ${report.rule.version}`,
    );
    return undefined;
  }
  const { rule } = row;
  if (!isPeriod(rule.period, parseDate(report.period))) {
    findings.add('report_period', place, `a ${rule.period}`, report.period);
    return undefined;
  }
  checkTimes(report, row, at, place, findings);
  // The rows are those before the entry, so every set in them comes before the entry.
  checkReportSet(report, { seq: Number.POSITIVE_INFINITY, at }, place, logBefore.state, findings);
  checkClaims(report, rule, notChecked);
  const published = parseTime(report.published_at);
  const input = draftInput(
    report,
    rule,
    periodClocks(logBefore.state, row, parseDate(report.period), published),
    reportCosigners(logBefore.state, published),
    newestBlock(logBefore.state),
  );
  const draft =
    report.status === 'corrected'
      ? draftCorrection(input, logBefore.state)
      : draftReport(input, logBefore.state);
  if (draft.kind !== 'report') {
    const expected =
      draft.kind === 'wait' ? 'no such report, by the rule' : 'no report that says nothing new';
    findings.add('report_not_due', place, expected, `a ${report.status} report`);
    return rule;
  }
  if (isSame(draft.report, report)) return rule;
  const difference = firstDifference(tellingFirst(draft.report), tellingFirst(report));
  if (difference !== undefined) {
    findings.add(
      'report_not_reproduced',
      `${place}${difference.path}`,
      difference.expected,
      difference.found,
    );
  }
  return rule;
}

/**
 * The input that a report was drafted from, as far as the report itself states it. `after` is the block of the newest
 * beacon before it.
 */
export function draftInput(
  report: Report,
  rule: Rule,
  clocks: Clocks,
  cosigners: Report['cosigners'],
  after: Report['after'],
): DraftInput {
  return {
    log: report.log,
    rule,
    ruleHash: report.rule.hash,
    period: parseDate(report.period),
    clocks,
    reads: report.reads,
    publishedAt: parseTime(report.published_at),
    cosigners,
    after,
    withheld: isWithheld(rule) ? { kind: 'claimed', report } : null,
  };
}

/** The report with its results moved to the front, so that the first difference is the most informative one. */
function tellingFirst(report: Report): Report {
  const { status, reason, value } = report;
  return Object.assign({ status, reason, value }, report);
}

/** Seconds that may pass between a report's publication and its entry. A node appends what it signs at once. */
export const MAX_UNRECORDED_S = 3600;

/**
 * Checks the order of times. The rule was recorded by the release of the period, because a later rule may have been
 * made for a number that was already known. The reads, the publication and the recording `at` follow in this order, and
 * the recording follows the publication at once.
 */
export function checkTimes(
  report: Report,
  { rule, at: ruleAt }: { readonly rule: Rule; readonly at: TimeText },
  at: TimeText,
  place: string,
  findings: Findings,
): void {
  const release = releaseTime(rule.release, rule.period, parseDate(report.period));
  if (parseTime(ruleAt) >= release) {
    const expected = `a rule recorded before the release of its period, ${formatTime(release)}`;
    findings.add('rule_mismatch', place, expected, `recorded ${ruleAt}`);
  }
  const late = report.reads.find(({ read_at: readAt }) => readAt > report.published_at);
  if (late === undefined && report.published_at <= at) {
    const least = formatTime(parseTime(at) - MAX_UNRECORDED_S);
    if (report.published_at >= least) return;
    const expected = `published at ${least} or later, for it was recorded ${at}`;
    findings.add('report_times', place, expected, `published ${report.published_at}`);
    return;
  }
  findings.add(
    'report_times',
    place,
    'read, then published, then recorded',
    `read ${late?.read_at ?? 'before'}, published ${report.published_at}, recorded ${at}`,
  );
}

/** Names what a report claims and this version cannot check. */
export function checkClaims(report: Report, rule: Rule, notChecked: NotCheckedList): void {
  if (isWithheld(rule)) {
    notChecked.add(
      'sources',
      'not_reexecutable: levels and z',
      'the terms of the source keep the level out of the log: it has a commitment',
      'none',
      rule.display,
    );
  }
  if (report.status === 'corrected') {
    notChecked.add(
      'sources',
      "whether the errors were the publisher's own, in corrected finals",
      'a log shows that the sources give another number later, and not why; the first final settles',
      'none',
      rule.display,
    );
  }
}

/**
 * Checks the publisher's signature over the print message that the report makes. `keys` are the report keys of the log.
 */
export async function checkReportSignature(
  entry: ReportEntry,
  reportKey: string,
  keys: readonly ReportKey[],
  place: string,
  environment: Environment,
  { findings, tally }: CheckContext,
): Promise<boolean> {
  const { report, signature } = entry;
  const digest = reportDigest(environment.sha256, entry);
  const message = formatPrint(printOf(environment.sha256, report, digest));
  const good = await environment.verifySignature(
    parseHex(reportKey, 32),
    message,
    parseHex(signature, 64),
  );
  tally.signatures += 1;
  if (!good) {
    findings.add(
      'report_bad_signature',
      place,
      `a signature by ${reportKey}`,
      await signerOf(message, signature, keys, environment),
    );
  }
  return good;
}

/**
 * Runs the rule again on the bytes behind a report. Returns the reads that follow from the bytes, where all of them are
 * kept.
 */
export async function checkReportReads(
  { report }: ReportEntry,
  rule: Rule,
  place: string,
  context: CheckContext,
): Promise<readonly Read[] | undefined> {
  return checkReads(report, rule, parseDate(report.period), place, context);
}
