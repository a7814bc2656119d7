import { parseEntry } from '@assay/core/log/entry';
import type { HashHex } from '@assay/core/hash/hash';
import { parseReportEntry } from '@assay/core/kind/report-entry';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { type Quorum, quorumOf } from '@assay/core/round/quorum';
import type { Status } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText, TimeText } from '@assay/core/time/time';
import { setByHash } from '@assay/core/view/cosigner-sets';
import { cosignsOf, dissentsOf } from '@assay/core/view/cosigns';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { stampRow } from '@assay/core/view/stamps';
import type { ViewState } from '@assay/core/view/view';
import type { Ledger } from '../ledger/ledger.ts';
import { entryOf } from './statement-entry.ts';

/** A statement in a log. */
export interface LoggedStatement {
  readonly seq: number;
  readonly at: TimeText;
  readonly word: StatementEntry;
}

/** The statements on a report that a log holds, oldest first. */
export function statementsOn(state: ViewState, report: HashHex): readonly LoggedStatement[] {
  const agreements = cosignsOf(state, report).map(({ seq, at, ...body }) => {
    return { seq, at, word: entryOf({ kind: 'agree', body }) };
  });
  const dissents = dissentsOf(state, report).map(({ seq, at, ...body }) => {
    return { seq, at, word: entryOf({ kind: 'dissent', body }) };
  });
  return [...agreements, ...dissents].sort((a, b) => a.seq - b.seq);
}

/** The statements on a report. */
export interface ReportStatements {
  readonly report: HashHex;
  /** The entry that holds it. */
  readonly seq: number;
  readonly ticker: Ticker;
  readonly period: DateText;
  readonly status: Status;
  readonly quorum: Quorum;
  /** The statements in the log, oldest first. A name is null for a key that the report's set does not have. */
  readonly words: readonly (LoggedStatement & { readonly name: string | null })[];
  /** The abstentions that are remembered. */
  readonly abstentions: readonly {
    readonly name: string;
    readonly key: string;
    readonly reason: string;
  }[];
}

/** The statements in a published log on the report with a hash; undefined if it has no such report. */
export async function reportStatements(
  ledger: Pick<Ledger, 'shown' | 'entry'>,
  hash: HashHex,
  abstention: (cosigner: string) => string | undefined,
): Promise<ReportStatements | undefined> {
  const { shown } = ledger;
  const row = await reportRow(ledger, hash);
  if (row === undefined) return undefined;
  const { seq, report } = row;
  const { ticker, period, status, cosigners } = report;
  const members = cosigners.set === null ? [] : (setByHash(shown, cosigners.set)?.cosigners ?? []);
  const nameOf = (key: string): string | null =>
    members.find((member) => member.key === key)?.name ?? null;
  return {
    report: hash,
    seq,
    ticker,
    period,
    status,
    quorum: quorumOf(shown, row),
    words: statementsOn(shown, hash).map((each) => ({
      name: nameOf(each.word.statement.cosigner),
      ...each,
    })),
    abstentions: members.flatMap(({ name, key }) => {
      const reason = abstention(key);
      return reason === undefined ? [] : [{ name, key, reason }];
    }),
  };
}

/** The report with a hash, which the log finds because it stamps each report. */
async function reportRow(
  ledger: Pick<Ledger, 'shown' | 'entry'>,
  hash: HashHex,
): Promise<ReportRow | undefined> {
  const { shown } = ledger;
  const stamp = stampRow(shown, hash);
  const bytes = stamp?.of === 'report' ? await ledger.entry(stamp.seq) : undefined;
  if (bytes === undefined) return undefined;
  const { report } = parseReportEntry(parseEntry(bytes).body, 'body');
  return reportsOf(shown, report.ticker, report.period).find((row) => row.hash === hash);
}
