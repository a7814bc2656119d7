import { printsEvidence, type SignedMessage } from '@assay/core/proof/evidence';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import { reportKeyAt } from '@assay/core/view/key/keys';
import type { ReportRow } from '@assay/core/view/reports';
import { printPlace } from '@assay/core/view/statements';
import type { ViewState } from '@assay/core/view/view';
import { periodReports, type PublisherLog, reportName } from './publisher-log.ts';
import { type WatchFinding, watchFinding } from './watch-finding.ts';

/** The first report of a key in a place of a period. */
interface Held {
  readonly row: ReportRow;
  /** The report key of its time, hex. */
  readonly key: string;
  readonly signed: SignedMessage;
}

/** A log whose reports are taken. */
type Printed = Pick<PublisherLog, 'state' | 'owedSince'>;

/**
 * The reports of a publisher by their places. Two reports in one place, each with the publisher's signature, are
 * reported for good. All reports of a place are of one period, so that nothing but the entries of those that were taken is
 * held: a period with a new report is compared as a whole.
 */
export class PublisherPrints {
  #state: ViewState | undefined;
  /** The entries that were taken of `#state`. */
  readonly #taken = new Set<number>();
  /** By the two entries. */
  readonly #found = new Map<string, WatchFinding>();

  /** What the reports have shown so far. */
  get findings(): readonly WatchFinding[] {
    return [...this.#found.values()];
  }

  /** Adds the reports that are new. `genesis` is entry 0, in Base64. Where it throws, the next call goes on from there. */
  take(log: Printed, genesis: string, sha256: Sha256): readonly WatchFinding[] {
    // A walk that has begun anew has none of its reports at first.
    if (this.#state !== log.state) this.#taken.clear();
    this.#state = log.state;
    for (const rows of periodReports(log.state)) {
      const isSigned = ({ seq }: ReportRow): boolean =>
        this.#taken.has(seq) || log.owedSince(seq) !== undefined;
      const signed = rows.filter(isSigned);
      if (signed.every(({ seq }) => this.#taken.has(seq))) continue;
      this.#compare(signed, log.state, genesis, sha256);
      for (const { seq } of signed) this.#taken.add(seq);
    }
    return this.findings;
  }

  /** Compares the reports of a period, each with the first of each key in its place. */
  #compare(rows: readonly ReportRow[], state: ViewState, genesis: string, sha256: Sha256): void {
    const places = new Map<string, Held[]>();
    for (const row of rows) {
      const key = reportKeyAt(state, row.seq);
      if (key === undefined) continue;
      const print = printOf(sha256, row.report, row.hash);
      const signed = { message: formatHex(formatPrint(print)), signature: row.signature };
      const place = printPlace(print);
      const here = places.get(place) ?? [];
      places.set(place, here);
      const own = here.find((held) => held.key === key);
      // Two prints by one key are evidence. Two prints by different keys, whose entries are in the log alone, are
      // reported without evidence.
      const before = [own, ...here].find(
        (held) => held !== undefined && held.signed.message !== signed.message,
      );
      const held = { row, key, signed };
      if (own === undefined) here.push(held);
      if (before !== undefined) this.#contradicts(before, held, genesis);
    }
  }

  #contradicts(before: Held, { row, key, signed }: Held, genesis: string): void {
    const name = `${before.row.seq}/${row.seq}`;
    if (this.#found.has(name)) return;
    const log = { genesis, ticker: row.report.ticker };
    const evidence =
      before.key === key
        ? (printsEvidence({ key, log, first: before.signed, second: signed }) ?? null)
        : null;
    const where = `entry ${row.seq}, ${reportName(row)}`;
    const found = `another in entry ${before.row.seq}`;
    const expected = 'one print in its place in a period';
    this.#found.set(name, watchFinding('print_contradicts', where, expected, found, evidence));
  }
}
