import { printsEvidence, type SignedMessage } from '@assay/core/proof/evidence';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import { reportKeyAt } from '@assay/core/view/key/keys';
import type { ReportRow } from '@assay/core/view/reports';
import { printPlace } from '@assay/core/view/statements';
import { periodReports, type PublisherLog, reportName } from './publisher-log.ts';
import { type WatchFinding, watchFinding } from './watch-finding.ts';

/** The first report of a key in a place of a period. */
interface Held {
  readonly row: ReportRow;
  /** The report key of its time, hex. */
  readonly key: string;
  readonly signed: SignedMessage;
}

/**
 * The reports of a publisher by their places. Two reports in one place, each with the publisher's signature, are
 * reported for good. A print is hashed once, however often its log is polled, and compared with the first of each key
 * in its place.
 */
export class PublisherPrints {
  readonly #taken = new Set<number>();
  readonly #places = new Map<string, readonly Held[]>();
  readonly #findings: WatchFinding[] = [];

  /** Adds the reports that are new. `genesis` is entry 0, in Base64. */
  take(
    { state, owedSince }: Pick<PublisherLog, 'state' | 'owedSince'>,
    genesis: string,
    sha256: Sha256,
  ): readonly WatchFinding[] {
    for (const rows of periodReports(state)) {
      for (const row of rows) {
        if (this.#taken.has(row.seq) || owedSince(row.seq) === undefined) continue;
        this.#taken.add(row.seq);
        const key = reportKeyAt(state, row.seq);
        if (key !== undefined) this.#place(row, key, genesis, sha256);
      }
    }
    return this.#findings;
  }

  #place(row: ReportRow, key: string, genesis: string, sha256: Sha256): void {
    const print = printOf(sha256, row.report);
    const signed = { message: formatHex(formatPrint(print)), signature: row.signature };
    const place = printPlace(print);
    const here = this.#places.get(place) ?? [];
    const own = here.find((held) => held.key === key);
    if (own === undefined) this.#places.set(place, [...here, { row, key, signed }]);
    // Two prints by one key are evidence. Two prints by different keys, whose entries are in the log alone, are
    // reported without evidence.
    const before = [own, ...here].find(
      (held) => held !== undefined && held.signed.message !== signed.message,
    );
    if (before === undefined) return;
    const log = { genesis, ticker: row.report.ticker };
    const evidence =
      before.key === key
        ? (printsEvidence({ key, log, first: before.signed, second: signed }) ?? null)
        : null;
    const where = `entry ${row.seq}, ${reportName(row)}`;
    const found = `another in entry ${before.row.seq}`;
    const expected = 'one print in its place in a period';
    this.#findings.push(watchFinding('print_contradicts', where, expected, found, evidence));
  }
}
