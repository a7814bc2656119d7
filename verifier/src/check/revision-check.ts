import type { HashHex } from '@assay/core/hash/hash';
import type { Revision } from '@assay/core/kind/revision';
import { readAnswer } from '@assay/core/read/reading';
import type { Report } from '@assay/core/report/report';
import type { ScaledSeries } from '@assay/core/rule/interpret';
import type { Rule } from '@assay/core/rule/rule';
import { parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import { revisionRows } from '@assay/core/round/vintage';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { isPeriod } from '@assay/core/rule/period';
import { firstDifference } from '../verdict/difference.ts';
import { checkRequest, type CheckContext } from './read-check.ts';
import { checkText } from './text-check.ts';

/**
 * Takes the source's series from the kept bytes again and demands exactly the rows that differ from the log before this
 * entry: every revision, and no other.
 */
export async function checkRevision(
  revision: Revision,
  at: TimeText,
  place: string,
  state: ViewState,
  context: CheckContext,
): Promise<void> {
  const { findings, notChecked, tally } = context;
  const row = ruleVersions(state, revision.ticker).find(({ hash }) => hash === revision.rule);
  const provider = row?.rule.providers.find(({ id }) => id === revision.provider);
  if (row === undefined || provider === undefined || provider.id !== row.rule.revision.provider) {
    findings.add(
      'rule_mismatch',
      place,
      `a rule of ${revision.ticker} and its revision provider`,
      `${revision.rule}, ${revision.provider}`,
    );
    return;
  }
  if (revision.read_at > at || revision.retain !== provider.retain) {
    findings.add(
      'report_times',
      place,
      `read before ${at}, retained as ${provider.retain}`,
      `${revision.read_at}, ${revision.retain}`,
    );
  }
  const evidence = await context.evidence.evidence(revision.snapshot);
  if (evidence === undefined) return;
  const { snapshot, pages, text } = evidence;
  const period = parseDate(revision.read_for);
  if (!isPeriod(row.rule.period, period)) {
    findings.add('report_period', place, `a ${row.rule.period}`, revision.read_for);
    return;
  }
  if (!checkRequest(snapshot, row.rule, provider, period, place, findings)) return;
  if (pages === undefined) {
    notChecked.add(
      'sources',
      'revisions',
      `the source's terms let the log keep no bytes (retain: ${snapshot.retain})`,
      'none',
      revision.ticker,
    );
    return;
  }
  const { tools, answers } = context.evidence;
  const readIn = (each: Uint8Array | null): string => {
    const made = readAnswer(row.rule, provider, pages, period, each, context.work);
    return [...(made.series ?? [])].map((figure) => figure.join(' ')).join(', ') || 'nothing';
  };
  await checkText(snapshot, { pages, text }, provider, place, {
    tools,
    findings,
    notChecked,
    readIn,
  });
  const bytes = { hash: revision.snapshot, pages, text };
  const { series } = await answers.read(row.rule, provider, bytes, period);
  const readAt = parseTime(revision.read_at);
  const expected = series === undefined ? [] : revisionRows(series, row.rule, state, readAt);
  tally.revisions += 1;
  const difference = firstDifference(expected, revision.rows);
  if (difference !== undefined) {
    findings.add(
      'revision_not_reproduced',
      `${place}, row ${difference.path.split('/')[1] ?? ''}`,
      difference.expected,
      difference.found,
    );
  }
}

/** Figures for other periods that a report's own bytes show. The log must record them. */
export interface Owed {
  readonly snapshot: HashHex;
  readonly series: ScaledSeries;
  readonly rule: Rule;
  /** Unix seconds. */
  readonly readAt: number;
  readonly place: string;
}

/**
 * What the log must record after a report. The publisher saw these figures when it printed, so the revisions must come
 * next, from the same bytes. Undefined where there is nothing to record.
 */
export async function owedBy(
  report: Report,
  rule: Rule,
  place: string,
  state: ViewState,
  { evidence }: CheckContext,
): Promise<Owed | undefined> {
  const provider = rule.providers.find(({ id }) => id === rule.revision.provider);
  const read = report.reads.find((each) => each.provider === rule.revision.provider);
  if (provider === undefined || read === undefined || read.snapshot === null) return undefined;
  const { snapshot: hash } = read;
  const found = await evidence.evidence(hash);
  if (found?.pages === undefined) return undefined;
  const bytes = { hash, pages: found.pages, text: found.text };
  const { series } = await evidence.answers.read(rule, provider, bytes, parseDate(report.period));
  if (series === undefined) return undefined;
  const readAt = parseTime(read.read_at);
  const owed: Owed = { snapshot: hash, series, rule, readAt, place };
  return isOwed(owed, state) ? owed : undefined;
}

/** Whether the rows so far still lack some of the figures that the log must record. */
export function isOwed({ series, rule, readAt }: Owed, state: ViewState): boolean {
  return revisionRows(series, rule, state, readAt, 1).length > 0;
}
