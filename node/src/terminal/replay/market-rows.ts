import { Fault } from '@assay/core/fault';
import { MAX_NUMBER_DIGITS } from '@assay/core/limits';
import { DAY_SECONDS, parseDate } from '@assay/core/time/time';
import { type FileDecimal, formatFileDecimal, parseFileDecimal } from './file-decimal.ts';
import { LineReader } from './line-reader.ts';
import type { MarketFormat } from './market-formats.ts';
import type { FileRow } from './outlier-guard.ts';

/** There are no ticks from this day on (docs/spec/tick.md). */
const TICKS_END = '9999-01-01';
const TIME_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;

/**
 * The rows of a file, scanned byte by byte: each on the grid, and later than the one before. Lines that are to
 * be left out are scanned too.
 */
export class MarketRows implements FileRow {
  ts: number = Number.NEGATIVE_INFINITY;
  /** The count of `ts` in the grid. */
  index = 0;
  readonly price: FileDecimal = { digits: 0, decimals: 0 };
  readonly volume: FileDecimal = { digits: 0, decimals: 0 };
  readonly #lines: LineReader;
  readonly #format: MarketFormat;
  readonly #without: ReadonlySet<number>;
  /** The last day that was read: year, month and day as one number, and its first second in UTC. */
  #dayDigits = -1;
  #dayStart = 0;

  constructor(path: string, format: MarketFormat, without: ReadonlySet<number> = new Set()) {
    this.#lines = new LineReader(path);
    this.#format = format;
    this.#without = without;
  }

  get line(): number {
    return this.#lines.number;
  }

  /** The close as a plain decimal: as it is in the file, but for an exponent. */
  get priceText(): string {
    return formatFileDecimal(this.price);
  }

  /** Moves to the next row in memory; false if `fill` is needed. */
  next(): boolean {
    while (this.#next()) if (!this.#without.has(this.line)) return true;
    return false;
  }

  /** Continues to read after `next` was false, and moves; false after the last row. */
  async fill(): Promise<boolean> {
    while (await this.#lines.fill()) if (this.next()) return true;
    return false;
  }

  close(): void {
    this.#lines.close();
  }

  /** `malformed` at the line of the row. */
  fault(expected: string, found: string = this.#line()): Fault {
    const { path, number } = this.#lines;
    return new Fault('malformed', 'market file', {
      at: `${path}: line ${number}`,
      expected,
      found,
    });
  }

  #next(): boolean {
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
    const behind = this.#decimal(this.price, comma + 1, end, 'close');
    if (bytes[behind] !== COMMA || behind === end) throw this.fault('a comma behind the close');
    if (this.#decimal(this.volume, behind + 1, end, 'volume') !== end) {
      throw this.fault('the end of the line behind the volume');
    }
    this.ts = ts;
    this.index = index;
    return true;
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
    if (text >= TICKS_END) throw this.fault(`a time before ${TICKS_END}`);
    return day * DAY_SECONDS - this.#format.ahead(day);
  }

  /** Scans a decimal without a sign. Returns where it ends. */
  #decimal(into: FileDecimal, start: number, end: number, what: string): number {
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
    const plain = whole > 0 && (whole === 1 || bytes[start] !== ZERO) && point !== at - 1;
    const isShort = digits <= Number.MAX_SAFE_INTEGER && at - start <= MAX_NUMBER_DIGITS;
    if (!plain || !isShort || (at < end && bytes[at] !== COMMA)) {
      return this.#rareDecimal(into, start, end, what);
    }
    into.digits = digits;
    into.decimals = point < 0 ? 0 : at - point - 1;
    return at;
  }

  /** The same for a number with an exponent or many digits, and for what is no number. */
  #rareDecimal(into: FileDecimal, start: number, end: number, what: string): number {
    const { bytes } = this.#lines;
    const comma = bytes.indexOf(COMMA, start);
    const stop = comma < 0 || comma > end ? end : comma;
    const read = parseFileDecimal(bytes.toString('latin1', start, stop));
    if (read === undefined) {
      throw this.fault(
        `a decimal without a sign as its ${what}, which may have an exponent, and at most ${MAX_NUMBER_DIGITS} characters without it`,
      );
    }
    into.digits = read.digits;
    into.decimals = read.decimals;
    return stop;
  }
}

/** The number that two ASCII digits represent; NaN if there are other characters. */
function two(bytes: Buffer, at: number): number {
  const [high, low] = [(bytes[at] ?? 0) - ZERO, (bytes[at + 1] ?? 0) - ZERO];
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? 10 * high + low : Number.NaN;
}
