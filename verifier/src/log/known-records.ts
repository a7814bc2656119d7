import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { DigestTable } from '@assay/core/bytes/digest-table';
import { type Hash, type HashHex, type Sha256, toHashHex } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, parseDate } from '@assay/core/time/time';
import { type Due, dueAt, dueBack } from '@assay/core/view/onchain';
import { reportDigest } from '@assay/core/view/report-digest';
import { reportsOf } from '@assay/core/view/reports';
import type { ViewState } from '@assay/core/view/view';
import type { Reported } from '../check/statement-check.ts';

/** What stands under the digest of a report: seq f64 | leaf hash 32 | period i32, days since 1970-01-01 | index u32. */
const REPORT_BYTES = 8 + 32 + 4 + 4;
/** What stands under the digest of what belongs on chain: seq f64. */
const DUE_BYTES = 8;

/** What `KnownRecords` remembers. */
export interface KeptRecords {
  /** As `DigestTable` has them. */
  readonly reports: Uint8Array;
  readonly due: Uint8Array;
  readonly tickers: readonly Ticker[];
}

/**
 * What statements and the chain may refer to, by its digest. The rows of a log are not indexed by digest, and there may be as
 * many as it has reports.
 */
export class KnownRecords {
  readonly #sha256: Sha256;
  readonly #reports = new DigestTable(REPORT_BYTES);
  readonly #due = new DigestTable(DUE_BYTES);
  /** The indexes of these reports, each once, with its number. */
  readonly #tickers = new Map<Ticker, number>();
  readonly #byNumber: Ticker[] = [];

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get kept(): KeptRecords {
    return { reports: this.#reports.bytes, due: this.#due.bytes, tickers: this.#byNumber };
  }

  /** Goes on as the one that was kept. */
  resume({ reports, due, tickers }: KeptRecords): void {
    this.#reports.addAll(reports);
    this.#due.addAll(due);
    for (const each of tickers) this.#numberOf(each);
  }

  /** Records an entry that has just been folded into `state`. */
  note(known: KnownBody, seq: number, leaf: Hash, state: ViewState): void {
    if (known.kind !== 'report/1' && known.kind !== 'close/1') return;
    if (known.kind === 'report/1' && known.body.report.cosigners.set !== null) {
      const { ticker, period } = known.body.report;
      const under = new Uint8Array(REPORT_BYTES);
      const view = new DataView(under.buffer);
      view.setFloat64(0, seq);
      under.set(leaf, 8);
      view.setInt32(40, parseDate(period));
      view.setUint32(44, this.#numberOf(ticker));
      this.#reports.add(parseHex(reportDigest(this.#sha256, known.body), 32), under);
    }
    const [newest] = dueBack(state);
    if (newest?.seq !== seq) return;
    const under = new Uint8Array(DUE_BYTES);
    new DataView(under.buffer).setFloat64(0, seq);
    this.#due.add(parseHex(newest.digest, 32), under);
  }

  /** A report that names a set of co-signers; undefined where the log has no report with that hash. */
  reported(hash: HashHex, state: ViewState): Reported | undefined {
    const under = this.#reports.get(parseHex(hash, 32));
    if (under === undefined) return undefined;
    const view = new DataView(under.buffer, under.byteOffset);
    const period = formatDate(view.getInt32(40));
    const ticker = this.#byNumber[view.getUint32(44)] as Ticker;
    const row = reportsOf(state, ticker, period).find((each) => each.hash === hash);
    const leaf = toHashHex(formatHex(under.subarray(8, 40)));
    return row === undefined ? undefined : { seq: view.getFloat64(0), leaf, row };
  }

  /** What belongs on chain under a digest, in hex; undefined for nothing. */
  due(digest: HashHex, state: ViewState): Due | undefined {
    const under = this.#due.get(parseHex(digest, 32));
    if (under === undefined) return undefined;
    return dueAt(state, new DataView(under.buffer, under.byteOffset).getFloat64(0));
  }

  #numberOf(ticker: Ticker): number {
    const known = this.#tickers.get(ticker);
    if (known !== undefined) return known;
    this.#tickers.set(ticker, this.#byNumber.length);
    return this.#byNumber.push(ticker) - 1;
  }
}
