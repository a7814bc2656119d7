import { DigestTable } from '@assay/core/bytes/digest-table';
import { parseHex } from '@assay/core/bytes/hex';
import type { HashHex } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, parseDate } from '@assay/core/time/time';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import type { ViewState } from '@assay/core/view/view';

/** The entry, the number of the index and the day of the period. */
const PLACE_BYTES = 8 + 4 + 4;

/** Where the reports of a log are, by their hashes: of a report that is there twice, the one that was added first. */
export class ReportPlaces {
  readonly #places = new DigestTable(PLACE_BYTES);
  readonly #tickers: Ticker[] = [];

  /** Adds a report; false where one with its hash was added before. */
  add({ hash, seq, report: { ticker, period } }: ReportRow): boolean {
    if (this.#tickers.at(-1) !== ticker) this.#tickers.push(ticker);
    const place = new DataView(new ArrayBuffer(PLACE_BYTES));
    place.setFloat64(0, seq);
    place.setUint32(8, this.#tickers.length - 1);
    place.setInt32(12, parseDate(period));
    const before = this.#places.size;
    this.#places.add(parseHex(hash), new Uint8Array(place.buffer));
    return this.#places.size > before;
  }

  /** The entry of a report; undefined for one that was not added. */
  seqOf(hash: HashHex): number | undefined {
    return this.#placeOf(hash)?.getFloat64(0);
  }

  /** The row of a report in the log that it was added from; undefined for one that was not added. */
  rowOf(state: ViewState, hash: HashHex): ReportRow | undefined {
    const place = this.#placeOf(hash);
    const ticker = place === undefined ? undefined : this.#tickers[place.getUint32(8)];
    if (place === undefined || ticker === undefined) return undefined;
    const rows = reportsOf(state, ticker, formatDate(place.getInt32(12)));
    return rows.find(({ seq }) => seq === place.getFloat64(0));
  }

  #placeOf(hash: HashHex): DataView | undefined {
    const bytes = this.#places.get(parseHex(hash));
    if (bytes === undefined) return undefined;
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
