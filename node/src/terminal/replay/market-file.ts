import { basename } from 'node:path';
import { parseSymbol } from '@assay/core/terminal/tick/asset-symbol';
import { type DayVolume, dayVolume, Extent } from './day-volume.ts';
import type { MarketFormat } from './market-formats.ts';
import { MarketRows } from './market-rows.ts';
import { type Outlier, OutlierGuard } from './outlier-guard.ts';
import { isFine, isPrice, LEAST_UNITS, PriceDecimals } from './price-decimals.ts';

/** A summary of a whole file, but for the rows that are left out. */
export interface MarketSummary {
  readonly path: string;
  readonly symbol: string;
  /** Those of its asset. */
  readonly decimals: number;
  readonly extent: Extent;
  /** The unix seconds of the first and the last row. */
  readonly first: number;
  readonly last: number;
  readonly rows: number;
  /** What is left out, in the order of the file. */
  readonly outliers: readonly Outlier[];
}

const SUFFIX = /\.15m\.csv(\.gz)?$/;

/**
 * The symbol in a file's name, such as `1000PEPE` for `1000PEPEUSDT.15m.csv.gz`; undefined for another name.
 */
export function marketSymbol(path: string, { quote }: MarketFormat): string | undefined {
  const name = basename(path);
  if (!SUFFIX.test(name)) return undefined;
  const stem = name.replace(SUFFIX, '');
  const symbol = quote !== '' && stem.endsWith(quote) ? stem.slice(0, -quote.length) : stem;
  return parseSymbol(symbol, path);
}

/**
 * Reads a whole file and checks every row, so that nothing of it is refused later. Throws `malformed` with the
 * line.
 */
export async function scanMarketFile(path: string, format: MarketFormat): Promise<MarketSummary> {
  const symbol = marketSymbol(path, format);
  if (symbol === undefined) throw new TypeError('scanMarketFile: not a market file');
  const rows = new MarketRows(path, format);
  const [prices, extent] = [new PriceDecimals(), new Extent()];
  let [first, count] = [Number.NaN, 0];
  const guard = new OutlierGuard(({ ts, price, volume }) => {
    if (count === 0) first = ts;
    count += 1;
    prices.take(price);
    extent.take(price, volume);
  });
  try {
    while (rows.next() || (await rows.fill())) {
      if (!isPrice(rows.price)) throw rows.fault('a close below 2^53');
      guard.take(rows);
    }
    guard.end();
    if (count === 0) throw rows.fault('a row', 'none');
  } finally {
    rows.close();
  }
  const [decimals, last] = [prices.value, rows.ts];
  const { outliers } = guard;
  const summary = { path, symbol, decimals, extent, first, last, rows: count, outliers };
  if (prices.isRounding) await requireFine(summary, format);
  return summary;
}

/** Throws `malformed` for the first close that has too few units for rounding. */
async function requireFine(summary: MarketSummary, format: MarketFormat): Promise<void> {
  const { decimals } = summary;
  const rows = keptRows(summary, format);
  try {
    while (rows.next() || (await rows.fill())) {
      if (isFine(rows.price, decimals)) continue;
      throw rows.fault(
        `a close of 0 or of ${LEAST_UNITS} units or more: at most ${decimals} decimals leave the file's highest close below 2^53 units`,
      );
    }
  } finally {
    rows.close();
  }
}

/** The rows that are not left out. */
function keptRows({ path, outliers }: MarketSummary, format: MarketFormat): MarketRows {
  return new MarketRows(path, format, new Set(outliers.map(({ line }) => line)));
}

/**
 * The rows of a file in turn, but for outliers, with the quote volume of the day up to each. It holds only a
 * piece of the file in memory. `ts` is NaN after the last row.
 */
export class MarketFile {
  readonly symbol: string;
  ts: number = Number.NaN;
  readonly #rows: MarketRows;
  readonly #volume: DayVolume;

  constructor(summary: MarketSummary, format: MarketFormat) {
    this.symbol = summary.symbol;
    this.#rows = keptRows(summary, format);
    this.#volume = dayVolume(summary.extent, format);
  }

  /** The row's close as a plain decimal. */
  get price(): string {
    return this.#rows.priceText;
  }

  get volume24h(): number | null {
    return this.#volume.value;
  }

  /** Moves to the next row in memory; false if `fill` is needed. */
  next(): boolean {
    if (!this.#rows.next()) return false;
    this.#take();
    return true;
  }

  /** Continues to read after `next` was false, and moves. After the last row `ts` is NaN. */
  async fill(): Promise<void> {
    if (await this.#rows.fill()) this.#take();
    else this.ts = Number.NaN;
  }

  close(): void {
    this.#rows.close();
  }

  #take(): void {
    const rows = this.#rows;
    this.ts = rows.ts;
    this.#volume.add(rows.index, rows.price, rows.volume);
  }
}
