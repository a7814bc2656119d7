import { commitmentOf, SALT_BYTES } from '@assay/core/hash/commitment';
import {
  draftCorrection,
  type Draft,
  type DraftInput,
  draftReport,
  saysTheSame,
  type Withholding,
} from '@assay/core/round/draft';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { HashHex } from '@assay/core/hash/hash';
import type { Read, Report } from '@assay/core/report/report';
import type { ScaledSeries } from '@assay/core/rule/interpret';
import { isWithheld, type Provider, type Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, parseTime, type TimeText } from '@assay/core/time/time';
import { foldEntry } from '@assay/core/view/fold';
import { type LogRow, logRow } from '@assay/core/view/log';
import { OverlayViews } from '@assay/core/view/overlay';
import type { FoldedEntry, ViewState } from '@assay/core/view/view';
import { withheldFinals } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { reportCosigners } from '@assay/core/view/cosigner-sets';
import { newestBlock } from '@assay/core/view/beacons';
import { type RuleRow, ruleVersions } from '@assay/core/view/rules';
import { periodClocks } from '@assay/core/round/period-clocks';
import { governingRule } from '@assay/core/round/governing';
import { revisionRows } from '@assay/core/round/vintage';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { EntryDraft, Ledger } from '../ledger/ledger.ts';
import type { Opening, Openings } from '../data/openings.ts';
import { readProviders, type ReaderParts, type SourceRead } from './snapshot-reader.ts';

export interface RoundParts extends Omit<ReaderParts, 'salt'> {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  readonly openings: Openings;
  /** The key of the print messages. */
  readonly signer: Signer;
  /** So many bytes that nobody can guess. */
  readonly random: (length: number) => Uint8Array;
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
  return new Round(ticker, period, parts, draftReport, []).run();
}

/**
 * Reads the sources of a final period again, after an error of Assay's own, and publishes what they
 * give as a correction, with `why` in a note beside it. It never settles. Without a quorum, or where the
 * number is the one that stands, nothing is published.
 */
export async function runCorrection(
  ticker: Ticker,
  period: number,
  why: string,
  parts: RoundParts,
): Promise<RoundResult> {
  const text = `${ticker} ${formatDate(period)} corrected: ${why}`;
  const note: EntryDraft = { kind: 'note/1', body: { text } };
  return new Round(ticker, period, parts, draftCorrection, [note]).run();
}

/** The entries of a round: a report where there is news, and what its bytes show for other periods. */
interface RoundDrafts {
  readonly entries: readonly EntryDraft[];
  readonly report: Report | undefined;
  readonly revisions: number;
}

type Drafter = (input: DraftInput, state: ViewState) => Draft;

class Round {
  readonly #row: RuleRow;
  /** Whether the rule governs the period: what none does is never printed, and its source's figures are history. */
  readonly #isGoverned: boolean;
  readonly #period: number;
  readonly #parts: RoundParts;
  readonly #draft: Drafter;
  /** What goes with a report, after the revisions that it shows. */
  readonly #beside: readonly EntryDraft[];
  readonly #salt: Uint8Array;
  /** What opens the commitment of the newest draft. */
  #opening: (Opening & { readonly commitment: HashHex }) | undefined;

  constructor(
    ticker: Ticker,
    period: number,
    parts: RoundParts,
    draft: Drafter,
    beside: readonly EntryDraft[],
  ) {
    const { tip } = parts.ledger;
    const governing = governingRule(tip, ticker, period);
    this.#isGoverned = governing !== undefined;
    this.#row = governing ?? firstRule(tip, ticker, period);
    this.#period = period;
    this.#parts = parts;
    this.#draft = draft;
    this.#beside = beside;
    this.#salt = parts.random(SALT_BYTES);
  }

  async run(): Promise<RoundResult> {
    const { ledger, blobs: store, openings } = this.#parts;
    const { rule } = this.#row;
    const reads = await readProviders(rule, this.#period, {
      ...this.#parts,
      salt: this.#salt,
    });
    if (this.#drafts(reads, ledger.nextAt).entries.length === 0) {
      return { report: undefined, revisions: 0, reads };
    }
    // Durable before an entry names them; what no entry will name is not kept at all.
    await Promise.all(reads.flatMap(({ blobs }) => blobs.map((bytes) => store.put(bytes))));
    if (this.#opening !== undefined) await openings.put(this.#opening.commitment, this.#opening);
    let made: RoundDrafts | undefined;
    // Published and recorded at one time: between two, another set of co-signers might come into force.
    await ledger.write(({ at }) => {
      made = this.#drafts(reads, at);
      return made.entries;
    });
    return { report: made?.report, revisions: made?.revisions ?? 0, reads };
  }

  /**
   * Drafts a round on the newest rows, at `at`. Report and revisions are neighbours in one commit, so that no
   * checkpoint shows the one without the others.
   */
  #drafts(reads: readonly SourceRead[], at: TimeText): RoundDrafts {
    const { ledger, signer, sha256 } = this.#parts;
    const entries: EntryDraft[] = [];
    const ahead = new OverlayViews(ledger.tip);
    const add = (draft: EntryDraft): void => {
      const { log } = logRow(ledger.tip) as LogRow;
      const seq = ledger.nextSeq + entries.length;
      const entry = { ...draft, seq, at, log } as FoldedEntry;
      ahead.write(foldEntry(entry, ahead, sha256));
      entries.push(draft);
    };
    const report = this.#news(reads, at);
    if (report !== undefined) {
      const signature = formatHex(signer.sign(formatPrint(printOf(sha256, report))));
      add({ kind: 'report/1', body: { report, signature } });
    }
    const revisions = addRevisions(this.#row, this.#period, reads, ahead, add);
    if (report !== undefined) for (const draft of this.#beside) add(draft);
    return { entries, report, revisions };
  }

  /** The report that these reads make at `at` on the newest rows; undefined when it would say nothing new. */
  #news(reads: readonly SourceRead[], at: TimeText): Report | undefined {
    const { ledger } = this.#parts;
    const { rule, hash } = this.#row;
    if (!this.#isGoverned) return undefined;
    const log = logRow(ledger.tip);
    if (log === undefined) throw new TypeError('runRound: a log without genesis');
    // Never before an entry of the log, which may name a block: a clock may go back over a restart.
    const publishedAt = parseTime(at);
    const input: DraftInput = {
      log: log.log,
      rule,
      ruleHash: hash,
      period: this.#period,
      clocks: periodClocks(ledger.tip, this.#row, this.#period, publishedAt),
      reads: reads.map(({ read }) => read),
      publishedAt,
      cosigners: reportCosigners(ledger.tip, publishedAt),
      after: newestBlock(ledger.tip),
      withheld: isWithheld(rule) ? this.#withholding() : null,
    };
    const draft = this.#draft(input, ledger.tip);
    if (draft.kind !== 'report') return undefined;
    const last = reportsOf(ledger.tip, rule.ticker, draft.report.period).at(-1);
    return last !== undefined && saysTheSame(last.report, draft.report) ? undefined : draft.report;
  }

  /** The keeper of a withheld level: the figure goes no further than its opening. */
  #withholding(): Withholding {
    const { ledger, openings, sha256 } = this.#parts;
    const { ticker, baseline } = this.#row.rule;
    const date = formatDate(this.#period);
    const { split, window } = baseline;
    const finals = withheldFinals(ledger.tip, ticker, date, split, window);
    return {
      kind: 'open',
      commit: (value) => {
        const commitment = commitmentOf(sha256, this.#salt, value);
        this.#opening = { commitment, salt: this.#salt, value };
        return commitment;
      },
      history: finals.map((commitment) => opened(openings, commitment)),
    };
  }
}

/** The level behind a commitment. Without it z would be measured against other levels than the log's. */
function opened(openings: Openings, commitment: HashHex): bigint {
  const opening = openings.get(commitment);
  if (opening !== undefined) return opening.value;
  const expected = `what opens ${commitment}, from a back-up of the openings`;
  throw new Fault('not_found', 'opening', { expected });
}

/** The first version, of a period that it covers and that was released before it was recorded. */
function firstRule(state: ViewState, ticker: Ticker, period: number): RuleRow {
  const date = formatDate(period);
  const [row] = ruleVersions(state, ticker);
  if (row === undefined || row.rule.applies_from > date) {
    throw new Fault('not_found', 'rule', { expected: `a rule of ${ticker} for ${date}` });
  }
  return row;
}

/** Adds what the revision provider shows for other periods; how many rows there were. */
function addRevisions(
  { rule, hash }: RuleRow,
  period: number,
  reads: readonly SourceRead[],
  ahead: ViewState,
  add: (draft: EntryDraft) => void,
): number {
  const shown = shownSeries(rule, reads);
  if (shown === undefined) return 0;
  const { series, provider, read } = shown;
  let revisions = 0;
  for (;;) {
    const rows = revisionRows(series, rule, ahead, parseTime(read.read_at));
    if (rows.length === 0) return revisions;
    revisions += rows.length;
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
function shownSeries(rule: Rule, reads: readonly SourceRead[]): Shown | undefined {
  const found = reads.find(({ provider }) => provider.id === rule.revision.provider);
  if (found === undefined || found.read.snapshot === null) return undefined;
  const { provider, read, series } = found;
  return series && { series, provider, read: { ...read, snapshot: found.read.snapshot } };
}
