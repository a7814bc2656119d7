import { type Hash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { type Due, dueBack } from '@assay/core/view/onchain';
import { reportDigest } from '@assay/core/view/report-digest';
import { reportsOf } from '@assay/core/view/reports';
import type { ViewState } from '@assay/core/view/view';
import type { Reported } from '../check/statement-check.ts';

interface Place {
  readonly seq: number;
  readonly leaf: HashHex;
  readonly ticker: Ticker;
  readonly period: DateText;
}

/** What `KnownRecords` remembers, by digest. */
export interface KeptRecords {
  readonly reports: ReadonlyMap<HashHex, Place>;
  readonly due: ReadonlyMap<string, Due>;
}

/** What statements and the chain may refer to, by its digest. The rows of a log are not indexed by digest. */
export class KnownRecords {
  readonly #sha256: Sha256;
  readonly #reports = new Map<HashHex, Place>();
  readonly #due = new Map<string, Due>();

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get kept(): KeptRecords {
    return { reports: this.#reports, due: this.#due };
  }

  /** Goes on as the one that was kept. */
  resume({ reports, due }: KeptRecords): void {
    for (const [hash, place] of reports) this.#reports.set(hash, place);
    for (const [digest, each] of due) this.#due.set(digest, each);
  }

  /** Records an entry that has just been folded into `state`. */
  note(known: KnownBody, seq: number, leaf: Hash, state: ViewState): void {
    if (known.kind !== 'report/1' && known.kind !== 'close/1') return;
    if (known.kind === 'report/1' && known.body.report.cosigners.set !== null) {
      const { ticker, period } = known.body.report;
      const hash = reportDigest(this.#sha256, known.body);
      if (!this.#reports.has(hash)) {
        this.#reports.set(hash, { seq, leaf: hashHex(leaf), ticker, period });
      }
    }
    const [newest] = dueBack(state);
    if (newest?.seq === seq && !this.#due.has(newest.digest)) this.#due.set(newest.digest, newest);
  }

  /** A report that names a set of co-signers; undefined where the log has no report with that hash. */
  reported(hash: HashHex, state: ViewState): Reported | undefined {
    const place = this.#reports.get(hash);
    if (place === undefined) return undefined;
    const { seq, leaf, ticker, period } = place;
    const row = reportsOf(state, ticker, period).find((each) => each.hash === hash);
    return row === undefined ? undefined : { seq, leaf, row };
  }

  /** What belongs on chain under a digest. */
  readonly due = (digest: string): Due | undefined => this.#due.get(digest);
}
