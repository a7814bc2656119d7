import { commitmentOf, SALT_BYTES } from '@assay/core/hash/commitment';
import {
  draftCorrection,
  type Draft,
  type DraftInput,
  type DraftOpening,
  draftReport,
  saysTheSame,
  type Withholding,
} from '@assay/core/round/draft';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { HashHex } from '@assay/core/hash/hash';
import type { Revision } from '@assay/core/kind/revision';
import type { Read, Report } from '@assay/core/report/report';
import type { ScaledSeries } from '@assay/core/rule/interpret';
import { isWithheld, type Provider, type Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, parseTime } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import { withheldFinals } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { reportCosigners } from '@assay/core/view/cosigner-sets';
import { newestBlock } from '@assay/core/view/beacons';
import { type RuleRow, ruleVersions } from '@assay/core/view/rules';
import { periodClocks } from '@assay/core/round/period-clocks';
import { governingRule } from '@assay/core/round/governing';
import { revisionRows } from '@assay/core/round/vintage';
import { formatWire } from '@assay/core/wire/wire';
import { draftInput, MAX_UNRECORDED_S } from '@assay/verifier/check/report-check';
import type { BlobStore } from '../blob/blob-store.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import type { EntryDraft, Ledger, LogTip } from '../ledger/ledger.ts';
import type { Openings } from '../data/openings.ts';
import { readProviders, type ReaderParts, type SourceRead } from './snapshot-reader.ts';

export interface RoundParts extends Omit<ReaderParts, 'salt'> {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  readonly openings: Openings;
  /** The key that signs print messages. */
  readonly signer: ReportSigner;
  /** Returns so many bytes that nobody can guess. */
  readonly random: (length: number) => Uint8Array;
}

/** The result of a round: the report that it published, if any, and the revisions that it recorded. */
export interface RoundResult {
  readonly report: Report | undefined;
  readonly revisions: number;
  readonly reads: readonly SourceRead[];
}

/**
 * Reads the sources of one period once:
 *
 *     source -> snapshot -> reading -> report -> signature -> entry
 *
 * and records what the source now shows for other periods. It is safe to repeat: a report without news is not
 * published, and a period whose round is over is left alone.
 */
export async function runRound(
  ticker: Ticker,
  period: number,
  parts: RoundParts,
): Promise<RoundResult> {
  return new Round(ticker, period, parts, draftReport, []).run();
}

/**
 * Reads the sources of a final period again, after an error of Assay's own, and publishes the result as a
 * correction, with a note that contains `why`. It never settles. Without a quorum, or if the number is the
 * same, nothing is published.
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

/** The draft that follows from the reads of a round and one tip. */
interface RoundDraft {
  readonly on: Pick<LogTip, 'prev' | 'at'>;
  /** Undefined if it would contain nothing new. */
  readonly report: Report | undefined;
  readonly opening: DraftOpening | null;
}

type Drafter = (input: DraftInput, state: ViewState) => Draft;

/** A report with the signature over its print message. */
interface SignedReport {
  readonly report: Report;
  readonly signature: string;
}

class Round {
  readonly #row: RuleRow;
  /**
   * Whether the rule governs the period. A period that no rule governs is never printed, and its source's
   * figures are history.
   */
  readonly #isGoverned: boolean;
  readonly #period: number;
  readonly #parts: RoundParts;
  readonly #draft: Drafter;
  /** Entries that go with a report, after the revisions. */
  readonly #beside: readonly EntryDraft[];
  readonly #salt: Uint8Array;

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
    const { ledger } = this.#parts;
    const { rule } = this.#row;
    const reads = await readProviders(rule, this.#period, { ...this.#parts, salt: this.#salt });
    let draft = this.#drafted(reads, ledger.end);
    if (draft.report === undefined && this.#revision(reads, ledger.tip) === undefined) {
      return { report: undefined, revisions: 0, reads };
    }
    for (;;) {
      const kept = draft.opening;
      await this.#keep(reads, kept);
      let revisions = 0;
      let signed: SignedReport | undefined;
      await ledger.writePrepared(
        async (tip) => {
          // Published and recorded at the same time, because another set of co-signers could come into force
          // between the two.
          if (tip.prev !== draft.on.prev || tip.at !== draft.on.at)
            draft = this.#drafted(reads, tip);
          if (!isOpenedBy(kept, draft)) return undefined;
          if (draft.report !== undefined) signed = await this.#signed(draft.report, tip);
          return draft;
        },
        (tip, fits) =>
          fits === undefined
            ? []
            : this.#entries(signed, reads, tip.views, (rows) => (revisions += rows)),
      );
      if (isOpenedBy(kept, draft)) return { report: signed?.report, revisions, reads };
    }
  }

  /** Makes durable what entries will name. What none will name is not stored at all. */
  async #keep(reads: readonly SourceRead[], opening: DraftOpening | null): Promise<void> {
    const { blobs: store, openings } = this.#parts;
    await Promise.all(reads.flatMap(({ blobs }) => blobs.map((bytes) => store.put(bytes))));
    if (opening === null) return;
    const { commitment, value } = opening;
    await openings.put(commitment, { value, salt: this.#salt });
  }

  /**
   * The signed report, and what its bytes show for other periods. They are neighbours in one commit, so that no
   * checkpoint contains the one without the others. `views` are the rows with those that were given before.
   */
  *#entries(
    signed: SignedReport | undefined,
    reads: readonly SourceRead[],
    views: ViewState,
    onRevised: (rows: number) => void,
  ): Generator<EntryDraft> {
    if (signed !== undefined) yield { kind: 'report/1', body: signed };
    for (;;) {
      const body = this.#revision(reads, views);
      if (body === undefined) break;
      yield { kind: 'revision/1', body };
      onRevised(body.rows.length);
    }
    if (signed !== undefined) for (const draft of this.#beside) yield draft;
  }

  /**
   * Signs a report. Where its place was signed for another one, which an interrupted write did not bring into the log,
   * that one is taken up if it still follows from the log. Throws what the signer throws.
   */
  async #signed(report: Report, tip: LogTip): Promise<SignedReport> {
    const { signer, sha256 } = this.#parts;
    const sign = async (each: Report): Promise<SignedReport> => {
      const message = formatPrint(printOf(sha256, each));
      const signature = await signer.sign(message, { of: 'print', report: each });
      return { report: each, signature: formatHex(signature) };
    };
    try {
      return await sign(report);
    } catch (error) {
      if (faultCode(error) !== 'signed_otherwise') throw error;
      const earlier = await signer.signedInPlaceOf?.(report);
      if (earlier === undefined || !this.#stillFollows(earlier, tip)) throw error;
      return sign(earlier);
    }
  }

  /** Whether a report that was signed before follows from its own reads and the log that ends at `tip`. */
  #stillFollows(report: Report, { at, views }: LogTip): boolean {
    const age = parseTime(at) - parseTime(report.published_at);
    if (age < 0 || age > MAX_UNRECORDED_S) return false;
    const { rule } = this.#row;
    const published = parseTime(report.published_at);
    const clocks = periodClocks(views, this.#row, this.#period, published);
    // A set that came into force since would be the one that the report has to name.
    const cosigners = reportCosigners(views, parseTime(at));
    const input = draftInput(report, rule, clocks, cosigners, newestBlock(views));
    const again = this.#draft(input, views);
    return again.kind === 'report' && equalBytes(formatWire(again.report), formatWire(report));
  }

  /** The draft from these reads for a log that ends at `tip`. */
  #drafted(reads: readonly SourceRead[], tip: LogTip): RoundDraft {
    const { prev, at, views } = tip;
    const nothing = { on: { prev, at }, report: undefined, opening: null };
    const { rule, hash } = this.#row;
    if (!this.#isGoverned) return nothing;
    const log = logRow(views);
    if (log === undefined) throw new TypeError('runRound: a log without genesis');
    // Not before an entry of the log, which may name a block, because a clock may go back during a restart.
    const publishedAt = parseTime(at);
    const input: DraftInput = {
      log: log.log,
      rule,
      ruleHash: hash,
      period: this.#period,
      clocks: periodClocks(views, this.#row, this.#period, publishedAt),
      reads: reads.map(({ read }) => read),
      publishedAt,
      cosigners: reportCosigners(views, publishedAt),
      after: newestBlock(views),
      withheld: isWithheld(rule) ? this.#withholding(views) : null,
    };
    const draft = this.#draft(input, views);
    if (draft.kind !== 'report') return nothing;
    const last = reportsOf(views, rule.ticker, draft.report.period).at(-1);
    if (last !== undefined && saysTheSame(last.report, draft.report)) return nothing;
    return { ...nothing, report: draft.report, opening: draft.opening };
  }

  /** How a withheld level is kept out of the log: only its opening contains the figure. */
  #withholding(views: ViewState): Withholding {
    const { openings, sha256 } = this.#parts;
    const { ticker, baseline } = this.#row.rule;
    const date = formatDate(this.#period);
    const { split, window } = baseline;
    const finals = withheldFinals(views, ticker, date, split, window);
    return {
      kind: 'open',
      commit: (value) => commitmentOf(sha256, this.#salt, value),
      history: finals.map((commitment) => opened(openings, commitment)),
    };
  }

  /**
   * What the revision provider shows for other periods and `views` do not have, up to what fits into one entry.
   */
  #revision(reads: readonly SourceRead[], views: ViewState): Revision | undefined {
    const { rule, hash } = this.#row;
    const shown = shownSeries(rule, reads);
    if (shown === undefined) return undefined;
    const { series, provider, read } = shown;
    const rows = revisionRows(series, rule, views, parseTime(read.read_at));
    if (rows.length === 0) return undefined;
    return {
      ticker: rule.ticker,
      rule: hash,
      provider: provider.id,
      snapshot: read.snapshot,
      retain: provider.retain,
      read_at: read.read_at,
      read_for: formatDate(this.#period),
      rows,
    };
  }
}

/** Whether the opening of a draft's commitment has been stored, if it has one. */
function isOpenedBy(kept: DraftOpening | null, { opening }: RoundDraft): boolean {
  return opening === null || opening.commitment === kept?.commitment;
}

/** The level behind a commitment. Without it, z would be measured against other levels than the log's. */
function opened(openings: Openings, commitment: HashHex): bigint {
  const opening = openings.get(commitment);
  if (opening !== undefined) return opening.value;
  const expected = `what opens ${commitment}, from a back-up of the openings`;
  throw new Fault('not_found', 'opening', { expected });
}

/** The first version of the rule, for a period that it covers and that was released before it was recorded. */
function firstRule(state: ViewState, ticker: Ticker, period: number): RuleRow {
  const date = formatDate(period);
  const [row] = ruleVersions(state, ticker);
  if (row === undefined || row.rule.applies_from > date) {
    throw new Fault('not_found', 'rule', { expected: `a rule of ${ticker} for ${date}` });
  }
  return row;
}

/** What the revision provider shows for every period, and the read that it comes from. */
interface Shown {
  readonly series: ScaledSeries;
  readonly provider: Provider;
  readonly read: Read & { readonly snapshot: HashHex };
}

/** Undefined if the revision provider gave no series. */
function shownSeries(rule: Rule, reads: readonly SourceRead[]): Shown | undefined {
  const found = reads.find(({ provider }) => provider.id === rule.revision.provider);
  if (found === undefined || found.read.snapshot === null) return undefined;
  const { provider, read, series } = found;
  return series && { series, provider, read: { ...read, snapshot: found.read.snapshot } };
}
