import { draftReport, saysTheSame } from '@assay/core/draft';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/hex';
import { formatPrint, printOf } from '@assay/core/print';
import type { HashHex } from '@assay/core/hash';
import type { Read, Report } from '@assay/core/report';
import { readSeries } from '@assay/core/reading';
import type { ScaledSeries } from '@assay/core/rule/interpret';
import type { Provider, Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/ticker';
import { formatDate, formatTime, parseTime } from '@assay/core/time';
import { foldEntry } from '@assay/core/view/fold';
import { type LogRow, logRow } from '@assay/core/view/log';
import { OverlayViews } from '@assay/core/view/overlay';
import type { FoldedEntry } from '@assay/core/view/view';
import { reportsOf } from '@assay/core/view/reports';
import { type RuleRow, ruleFor } from '@assay/core/view/rules';
import { revisionRows } from '@assay/core/vintage';
import type { BlobStore } from './blob-store.ts';
import type { Signer } from './ledger/checkpoint-signer.ts';
import type { EntryDraft, Ledger } from './ledger/ledger.ts';
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
  if (draftRound(row, period, reads, parts).entries.length === 0) {
    return { report: undefined, revisions: 0, reads };
  }
  // Durable before an entry names them; what no entry will name is not kept at all.
  for (const { blobs } of reads) for (const bytes of blobs) await parts.blobs.put(bytes);
  const { entries, report, revisions } = draftRound(row, period, reads, parts);
  if (entries.length > 0) await parts.ledger.append(entries, parts.ledger.nextSeq);
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

/** The entries of a round: a report where there is news, and what its bytes show for other periods. */
interface RoundDrafts {
  readonly entries: readonly EntryDraft[];
  readonly report: Report | undefined;
  readonly revisions: number;
}

/**
 * Drafts a round on the newest rows. Report and revisions are neighbours in one commit, so that no
 * checkpoint shows the one without the others.
 */
function draftRound(
  row: RuleRow,
  period: number,
  reads: readonly SourceRead[],
  parts: RoundParts,
): RoundDrafts {
  const { ledger, signer, sha256, now } = parts;
  const entries: EntryDraft[] = [];
  const ahead = new OverlayViews(ledger.tip);
  const add = (draft: EntryDraft): void => {
    const { log } = logRow(ledger.tip) as LogRow;
    const seq = ledger.nextSeq + entries.length;
    const entry = { ...draft, seq, at: formatTime(now()), log } as FoldedEntry;
    ahead.write(foldEntry(entry, ahead, sha256));
    entries.push(draft);
  };
  const report = draftNews(row, period, reads, parts);
  if (report !== undefined) {
    const signature = formatHex(signer.sign(formatPrint(printOf(sha256, report))));
    add({ kind: 'report/1', body: { report, signature } });
  }
  const shown = shownSeries(row.rule, period, reads);
  let revisions = 0;
  if (shown === undefined) return { entries, report, revisions };
  const { series, provider, read } = shown;
  for (;;) {
    const rows = revisionRows(series, row.rule, ahead, parseTime(read.read_at));
    if (rows.length === 0) return { entries, report, revisions };
    revisions += rows.length;
    const body = {
      ticker: row.rule.ticker,
      rule: row.hash,
      provider: provider.id,
      snapshot: read.snapshot,
      retain: provider.retain,
      read_at: read.read_at,
      read_for: formatDate(period),
      rows,
    };
    add({ kind: 'revision/1', body });
  }
}

/** What the revision provider shows for every period, and the read that it comes from. */
interface Shown {
  readonly series: ScaledSeries;
  readonly provider: Provider;
  readonly read: Read & { readonly snapshot: HashHex };
}

/** Undefined where the revision provider gave no series. */
function shownSeries(rule: Rule, period: number, reads: readonly SourceRead[]): Shown | undefined {
  const found = reads.find(({ provider }) => provider.id === rule.revision.provider);
  if (found === undefined || found.read.snapshot === null) return undefined;
  const { provider, read, pages } = found;
  const series = readSeries(rule, pages, period);
  return series && { series, provider, read: { ...read, snapshot: found.read.snapshot } };
}
