import { basename } from 'node:path';
import { Fault } from '@assay/core/fault';
import { MAX_PRICE_DECIMALS } from '@assay/core/kind/asset';
import { parseSymbol } from '@assay/core/terminal/tick/asset-symbol';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { DAY_SECONDS, parseDate } from '@assay/core/time/time';
import { LineReader } from './line-reader.ts';
import { VolumeWindow } from './volume-window.ts';

/** How the rows of a class's files give their time, and which of them make its volume of a day. */
export interface MarketFormat {
  /** The name of the first column. */
  readonly column: string;
  /** The text after the time: `Z` for UTC. */
  readonly suffix: string;
  /** How many seconds the clock of a day, counted since 1970-01-01, is ahead of UTC. */
  readonly ahead: (day: number) => number;
  readonly grid: TickGrid;
  /** Over how many counts of the grid a day's volume is summed, and how many of them must be there. */
  readonly window: number;
  readonly least: number;
  /** What comes after the asset's symbol in a file's name. */
  readonly quote: string;
}

/** A summary of a whole file. */
export interface MarketSummary {
  readonly path: string;
  readonly symbol: string;
  /** The most decimals of any row. */
  readonly priceDecimals: number;
  readonly volumeDecimals: number;
  /** The unix seconds of the first and the last row. */
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

const TIME_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
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

/** Reads a whole file once and checks every row. Throws `malformed` with the line. */
export async function scanMarketFile(path: string, format: MarketFormat): Promise<MarketSummary> {
  const symbol = marketSymbol(path, format);
  if (symbol === undefined) throw new TypeError('scanMarketFile: not a market file');
  const rows = new MarketRows(path, format);
  let [priceDecimals, volumeDecimals, first, count] = [0, 0, Number.NaN, 0];
  try {
    while (rows.next() || (await rows.fill())) {
      if (count === 0) first = rows.ts;
      count += 1;
      if (rows.price.decimals > priceDecimals) priceDecimals = rows.price.decimals;
      if (rows.volume.decimals > volumeDecimals) volumeDecimals = rows.volume.decimals;
    }
    if (count === 0) throw rows.fault('a row', 'none');
    return { path, symbol, priceDecimals, volumeDecimals, first, last: rows.ts, rows: count };
  } finally {
    rows.close();
  }
}

/**
 * The rows of a file in turn, with the quote volume of the day up to each. It holds only a piece of the file in
 * memory. `ts` is NaN after the last row.
 */
export class MarketFile {
  readonly symbol: string;
  ts: number = Number.NaN;
  readonly #rows: MarketRows;
  readonly #volume: VolumeWindow;
  readonly #priceDecimals: number;
  readonly #volumeDecimals: number;

  constructor(
    { path, symbol, priceDecimals, volumeDecimals }: MarketSummary,
    format: MarketFormat,
  ) {
    this.symbol = symbol;
    this.#rows = new MarketRows(path, format);
    this.#volume = new VolumeWindow(priceDecimals + volumeDecimals, format.window, format.least);
    this.#priceDecimals = priceDecimals;
    this.#volumeDecimals = volumeDecimals;
  }

  /** The row's close, as it is written in the file. */
  get price(): string {
    return this.#rows.priceText;
  }

  /** Whole quote units over a day; null if too few of its rows are there. */
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
    const price = rows.units(rows.price, this.#priceDecimals);
    this.#volume.add(rows.index, price, rows.units(rows.volume, this.#volumeDecimals));
  }
}

/**
 * A plain decimal as it was scanned: its digits as one safe integer, and how many of them are after the point.
 */
interface Scanned {
  digits: number;
  decimals: number;
}

/** The rows of a file, scanned byte by byte: each on the grid, and later than the one before. */
class MarketRows {
  ts: number = Number.NEGATIVE_INFINITY;
  /** The count of `ts` in the grid. */
  index = 0;
  readonly price: Scanned = { digits: 0, decimals: 0 };
  readonly volume: Scanned = { digits: 0, decimals: 0 };
  readonly #lines: LineReader;
  readonly #format: MarketFormat;
  #priceStart = 0;
  #priceEnd = 0;
  /** The last day that was read: year, month and day as one number, and its first second in UTC. */
  #dayDigits = -1;
  #dayStart = 0;

  constructor(path: string, format: MarketFormat) {
    this.#lines = new LineReader(path);
    this.#format = format;
  }

  get priceText(): string {
    return this.#lines.bytes.toString('latin1', this.#priceStart, this.#priceEnd);
  }

  next(): boolean {
    const lines = this.#lines;
    if (!lines.next()) return false;
    if (lines.number === 1) {
      this.#header();
      if (!lines.next()) return false;
    }
    const { bytes, start, end } = lines;
    const ts = this.#time(bytes, start);
    const { suffix, grid } = this.#format;
    const comma = start + TIME_LENGTH + suffix.length;
    if (suffix === 'Z' && bytes[comma - 1] !== 0x5a) throw this.fault('a time that ends in Z');
    if (bytes[comma] !== COMMA) throw this.fault('a comma behind the time');
    const index = grid.indexOf(ts);
    if (index === undefined) throw this.fault('a time of a tick');
    if (ts <= this.ts) throw this.fault('a time after the one before');
    this.#priceStart = comma + 1;
    this.#priceEnd = this.#decimal(this.price, comma + 1, end, 'close');
    if (bytes[this.#priceEnd] !== COMMA || this.#priceEnd === end) {
      throw this.fault('a comma behind the close');
    }
    if (this.price.decimals > MAX_PRICE_DECIMALS) {
      throw this.fault(`a close of at most ${MAX_PRICE_DECIMALS} decimals`);
    }
    if (this.#decimal(this.volume, this.#priceEnd + 1, end, 'volume') !== end) {
      throw this.fault('the end of the line behind the volume');
    }
    this.ts = ts;
    this.index = index;
    return true;
  }

  /** Continues to read after `next` was false, and moves; false after the last row. */
  async fill(): Promise<boolean> {
    while (await this.#lines.fill()) if (this.next()) return true;
    return false;
  }

  close(): void {
    this.#lines.close();
  }

  /**
   * A scanned number in units of 10^-decimals; it has no more decimals than that. Throws `malformed` above
   * 2^53.
   */
  units({ digits, decimals: own }: Scanned, decimals: number): number {
    const units = own === decimals ? digits : digits * 10 ** (decimals - own);
    if (units > Number.MAX_SAFE_INTEGER)
      throw this.fault(`a number below 2^53 at ${decimals} decimals`);
    return units;
  }

  fault(expected: string, found = this.#line()): Fault {
    const { path, number } = this.#lines;
    return new Fault('malformed', 'market file', {
      at: `${path}: line ${number}`,
      expected,
      found,
    });
  }

  #line(): string {
    const { bytes, start, end } = this.#lines;
    return JSON.stringify(bytes.toString('latin1', start, Math.min(end, start + 80)));
  }

  #header(): void {
    const { bytes, start, end } = this.#lines;
    const expected = `${this.#format.column},close,volume`;
    if (bytes.toString('latin1', start, end) !== expected)
      throw this.fault(`the header ${expected}`);
  }

  /** The unix seconds of the time that begins at `at`. */
  #time(bytes: Buffer, at: number): number {
    const year = 100 * two(bytes, at) + two(bytes, at + 2);
    const digits = 10_000 * year + 100 * two(bytes, at + 5) + two(bytes, at + 8);
    const hour = two(bytes, at + 11);
    const minute = two(bytes, at + 14);
    const second = two(bytes, at + 17);
    const shaped =
      bytes[at + 4] === 0x2d &&
      bytes[at + 7] === 0x2d &&
      bytes[at + 10] === 0x54 &&
      bytes[at + 13] === 0x3a &&
      bytes[at + 16] === 0x3a;
    // An invalid digit made it NaN.
    if (!shaped || !(hour < 24 && minute < 60 && second < 60) || Number.isNaN(digits)) {
      throw this.fault(`a time YYYY-MM-DDTHH:MM:SS${this.#format.suffix}`);
    }
    if (digits !== this.#dayDigits) {
      this.#dayStart = this.#day(bytes.toString('latin1', at, at + 10));
      this.#dayDigits = digits;
    }
    return this.#dayStart + 3600 * hour + 60 * minute + second;
  }

  #day(text: string): number {
    let day: number;
    try {
      day = parseDate(text);
    } catch {
      throw this.fault('a day of the calendar');
    }
    return day * DAY_SECONDS - this.#format.ahead(day);
  }

  /** Scans a plain decimal without a sign whose digits are a safe integer. Returns where it ends. */
  #decimal(into: Scanned, start: number, end: number, what: string): number {
    const { bytes } = this.#lines;
    let digits = 0;
    let point = -1;
    let at = start;
    for (; at < end; at += 1) {
      const byte = bytes[at] as number;
      const digit = byte - ZERO;
      if (digit >= 0 && digit <= 9) digits = digits * 10 + digit;
      else if (byte === POINT && point < 0) point = at;
      else break;
    }
    const whole = (point < 0 ? at : point) - start;
    const decimals = point < 0 ? 0 : at - point - 1;
    const plain = whole > 0 && (whole === 1 || bytes[start] !== ZERO) && point !== at - 1;
    if (!plain || digits > Number.MAX_SAFE_INTEGER) {
      throw this.fault(`a plain decimal below 2^53 digit by digit as its ${what}`);
    }
    into.digits = digits;
    into.decimals = decimals;
    return at;
  }
}

/** The number that two ASCII digits represent; NaN if there are other characters. */
function two(bytes: Buffer, at: number): number {
  const [high, low] = [(bytes[at] ?? 0) - ZERO, (bytes[at + 1] ?? 0) - ZERO];
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? 10 * high + low : Number.NaN;
}
