import { draftReport, saysTheSame } from '@assay/core/draft';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/hex';
import { formatPrint, printOf } from '@assay/core/print';
import type { HashHex } from '@assay/core/hash';
import type { RevisionRow } from '@assay/core/kind/revision';
import type { Read, Report } from '@assay/core/report';
import { interpretSeries, type ScaledSeries } from '@assay/core/rule/interpret';
import type { Provider, Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/ticker';
import { formatDate, parseTime } from '@assay/core/time';
import { logRow } from '@assay/core/view/log';
import { reportsOf } from '@assay/core/view/reports';
import { type RuleRow, ruleFor } from '@assay/core/view/rules';
import { revisionRows } from '@assay/core/vintage';
import type { BlobStore } from './blob-store.ts';
import type { Signer } from './ledger/checkpoint-signer.ts';
import type { Ledger } from './ledger/ledger.ts';
import { readProvider, type ReaderParts, type SourceRead } from './snapshot-reader.ts';

export interface RoundParts extends ReaderParts {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  /** The key of the print messages. */
  readonly signer: Signer;
}

/** What a round did: the report it published, if any, and the revisions it recorded. */
export interface RoundResult {
  readonly report: Report | undefined;
  readonly revisions: number;
  readonly reads: readonly SourceRead[];
}

/**
 * One look at the sources of one period:
 *
 *     source -> snapshot -> reading -> report -> signature -> entry
 *
 * and beside it what the source now shows for other periods. Safe to repeat: a report that says
 * nothing new is not published, and a period whose round is over is left alone.
 */
export async function runRound(
  ticker: Ticker,
  period: number,
  parts: RoundParts,
): Promise<RoundResult> {
  const row = ruleOf(ticker, period, parts.ledger);
  const reads = await Promise.all(
    row.rule.providers.map((provider) => readProvider(row.rule, provider, period, parts)),
  );
  const shown = shownSeries(row.rule, reads);
  const revised = shown !== undefined && rowsOf(row.rule, shown, parts.ledger).length > 0;
  if (draftNews(row, period, reads, parts) === undefined && !revised) {
    return { report: undefined, revisions: 0, reads };
  }
  // Durable before an entry names them; what no entry will name is not kept at all.
  for (const { blobs } of reads) for (const bytes of blobs) await parts.blobs.put(bytes);
  const report = await publish(row, period, reads, parts);
  const revisions = shown === undefined ? 0 : await recordRevisions(row, period, shown, parts);
  return { report, revisions, reads };
}

function ruleOf(ticker: Ticker, period: number, ledger: Ledger): RuleRow {
  const date = formatDate(period);
  const row = ruleFor(ledger.tip, ticker, date);
  if (row === undefined) {
    throw new Fault('not_found', 'rule', { expected: `a rule of ${ticker} for ${date}` });
  }
  return row;
}

/** The report that these reads make now on the newest rows; undefined when it would say nothing new. */
function draftNews(
  { rule, hash }: RuleRow,
  period: number,
  reads: readonly SourceRead[],
  { ledger, now }: RoundParts,
): Report | undefined {
  const log = logRow(ledger.tip);
  if (log === undefined) throw new TypeError('runRound: a log without genesis');
  const draft = draftReport(
    {
      log: log.log,
      rule,
      ruleHash: hash,
      period,
      reads: reads.map(({ read }) => read),
      publishedAt: now(),
      cosigners: { set: null, required: log.policies.cosigners_required },
      after: null,
    },
    ledger.tip,
  );
  if (draft.kind !== 'report') return undefined;
  const last = reportsOf(ledger.tip, rule.ticker, draft.report.period).at(-1);
  return last !== undefined && saysTheSame(last.report, draft.report) ? undefined : draft.report;
}

/** Drafts on the newest rows, signs, and appends on top of just those. */
async function publish(
  row: RuleRow,
  period: number,
  reads: readonly SourceRead[],
  parts: RoundParts,
): Promise<Report | undefined> {
  const { ledger, signer, sha256 } = parts;
  const builtOn = ledger.nextSeq;
  const report = draftNews(row, period, reads, parts);
  if (report === undefined) return undefined;
  const signature = formatHex(signer.sign(formatPrint(printOf(sha256, report))));
  await ledger.append([{ kind: 'report/1', body: { report, signature } }], builtOn);
  return report;
}

/** What the revision provider shows for every period, and the read that it comes from. */
interface Shown {
  readonly series: ScaledSeries;
  readonly provider: Provider;
  readonly read: Read & { readonly snapshot: HashHex };
}

/** Undefined where the revision provider gave no series. */
function shownSeries(rule: Rule, reads: readonly SourceRead[]): Shown | undefined {
  const found = reads.find(({ provider }) => provider.id === rule.revision.provider);
  if (found === undefined || found.read.snapshot === null) return undefined;
  const { provider, read, pages } = found;
  if (pages.some(({ status }) => status !== 200)) return undefined;
  const series = interpretSeries(
    rule,
    pages.map(({ bytes }) => bytes),
  );
  return series && { series, provider, read: { ...read, snapshot: found.read.snapshot } };
}

function rowsOf(rule: Rule, { series, read }: Shown, ledger: Ledger): readonly RevisionRow[] {
  return revisionRows(series, rule, ledger.tip, parseTime(read.read_at));
}

/** Records what that series shows beyond the log, an entry at a time until nothing is left. */
async function recordRevisions(
  { rule, hash }: RuleRow,
  period: number,
  shown: Shown,
  { ledger }: RoundParts,
): Promise<number> {
  const { provider, read } = shown;
  let count = 0;
  for (;;) {
    const rows = rowsOf(rule, shown, ledger);
    if (rows.length === 0) return count;
    count += rows.length;
    const body = {
      ticker: rule.ticker,
      rule: hash,
      provider: provider.id,
      snapshot: read.snapshot,
      retain: provider.retain,
      read_at: read.read_at,
      read_for: formatDate(period),
      rows,
    };
    await ledger.append([{ kind: 'revision/1', body }], ledger.nextSeq);
  }
}
