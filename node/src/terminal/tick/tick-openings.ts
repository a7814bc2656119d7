import { appendFileSync } from 'node:fs';
import { constants, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { SALT_BYTES } from '@assay/core/hash/commitment';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { ASSET_BYTES, symbolBytes } from '@assay/core/terminal/tick/asset-symbol';
import { isSampled } from '@assay/core/terminal/study/ordinary-sample';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { DAY_SECONDS, formatDate, isDate, parseDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { ensureFolder, errorCode, syncFolder, writeDurable } from '../../platform/durable-file.ts';
import { Semaphore } from '../../platform/semaphore.ts';

/** For how many days every tick is stored. Of older ones one per hour is. */
export const WHOLE_DAYS = 45;

const MAGIC_TEXT = 'assayTO1';
const MAGIC = formatUtf8(MAGIC_TEXT);
const HEADER_BYTES = 20;
const HASH_BYTES = 32;
/** The names of a day's file: with every tick, and thinned. */
const WHOLE = '.ticks';
const THINNED = '.hours';

export interface TickOpeningsOptions {
  readonly sha256: Sha256;
  /** The unix seconds from which on old days are thinned at all; null for never. */
  readonly thinFrom: number | null;
  /** False on a development network: a power failure may undo the last write. */
  readonly sync?: boolean;
}

/** One tick of a day's file. */
export class TickOfDay {
  readonly ts: number;
  readonly #body: Uint8Array;

  constructor(ts: number, body: Uint8Array) {
    this.ts = ts;
    this.#body = body;
  }

  /** Read from the record's bytes each time, because most ticks of a day are skipped. */
  get openings(): readonly TickOpening[] {
    return parseBody(this.#body);
  }
}

/** The contents of a day's file. */
export interface DayOfTicks {
  readonly ticks: ReadonlyMap<number, TickOfDay>;
  /** False for a day that was thinned. */
  readonly isWhole: boolean;
  readonly bytes: number;
}

/** Whether what opens an asset's leaf at `ts` (unix seconds) survives the thinning of its day. */
export type IsKept = (ts: number, symbol: string) => boolean;

/**
 * What opens the leaves of a class's ticks: the vendor values, which only the publisher has; nothing serves or
 * exports them. There is one file for each day (UTC), `YYYY-MM-DD.ticks`, of records one after the other:
 *
 *     0   8  "assayTO1"
 *      8   8  ts i64 LE, unix seconds
 *     16   4  length u32 LE of what follows, up to the hash
 *     20   n  for each asset: symbol 16, salt 32, length u32 LE, values
 *   20+n  32  sha256 of all before
 *
 * An incomplete record is the last one, and is removed before the next is written. Old days are rewritten as
 * `YYYY-MM-DD.hours`. Only one process may write at a time.
 */
export class TickOpenings {
  readonly #folder: string;
  readonly #options: TickOpeningsOptions;
  readonly #semaphore = new Semaphore(1);
  /** Days whose file ends with a complete record. */
  readonly #sound = new Set<string>();

  private constructor(folder: string, options: TickOpeningsOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Creates the folder if it is missing, for its owner alone. */
  static async open(folder: string, options: TickOpeningsOptions): Promise<TickOpenings> {
    await ensureFolder(folder, { mode: 0o700 });
    return new TickOpenings(folder, options);
  }

  /** Opens a folder that somebody else may write, only for reading. */
  static reader(folder: string, sha256: Sha256): Pick<TickOpenings, 'at' | 'get' | 'since'> {
    return new TickOpenings(folder, { sha256, thinFrom: null });
  }

  /**
   * Durable when it resolves, which is before the tick's entry is appended. Of two puts for one time, which a
   * tick that was begun again makes, the later counts. Throws `read_only` for a day that was thinned.
   */
  put(ts: number, openings: readonly TickOpening[]): Promise<void> {
    return this.#semaphore.run(() => this.#put(ts, openings));
  }

  /**
   * What opens an asset's leaf at `ts` (unix seconds); undefined if it is not stored. Throws `ledger_corrupt`.
   */
  async get(ts: number, symbol: string): Promise<TickOpening | undefined> {
    return (await this.at(ts)).find((each) => each.symbol === symbol);
  }

  /** All openings of a tick; none if it is not stored, and only those that are cited if it was thinned. */
  at(ts: number): Promise<readonly TickOpening[]> {
    return this.#semaphore.run(async () => {
      const records = (await this.#read(dayOf(ts))) ?? [];
      return records.findLast((each) => each.ts === ts)?.openings ?? [];
    });
  }

  /** The days for which something is stored, rising, each `YYYY-MM-DD`. */
  async days(): Promise<readonly string[]> {
    const names = await readdir(this.#folder);
    const days = names.flatMap((name) => {
      const day = name.slice(0, 10);
      return isDate(day) && [WHOLE, THINNED].includes(name.slice(10)) ? [day] : [];
    });
    return [...new Set(days)].sort();
  }

  /**
   * The ticks of a day as each was last put, by their times, whether all ticks must be among them, and the
   * bytes of its file; undefined for a day without a file. Throws `ledger_corrupt`.
   */
  day(day: string): Promise<DayOfTicks | undefined> {
    return this.#semaphore.run(async () => {
      for (const kind of [WHOLE, THINNED]) {
        const path = this.#pathOf(day, kind);
        const bytes = await readIfThere(path);
        if (bytes === undefined) continue;
        const { records } = this.#parse(bytes, path);
        const ticks = new Map(records.map((each) => [each.ts, each]));
        return { ticks, isWhole: kind === WHOLE, bytes: bytes.length };
      }
      return undefined;
    });
  }

  /** The ticks of all days from that of `from` (unix seconds) on, oldest first, each as it was last put. */
  async *since(from: number): AsyncGenerator<TickOfDay> {
    const first = dayOf(from);
    const days = (await readdir(this.#folder)).flatMap((name) => {
      const day = name.slice(0, 10);
      return isDate(day) && day >= first ? [day] : [];
    });
    for (const day of [...new Set(days)].sort()) {
      const records = await this.#semaphore.run(() => this.#read(day));
      yield* new Map(records?.map((each) => [each.ts, each])).values();
    }
  }

  /**
   * Thins the days that ended `WHOLE_DAYS` before `now` (unix seconds) to the ticks at minute 00, and to every
   * other opening that is still needed: what an event, a receipt or a benchmark depends on. `keptOf` is called
   * with the times of a day's ticks. Returns how many days it thinned.
   */
  async thin(
    now: number,
    keptOf: (times: readonly number[]) => Promise<IsKept> | IsKept,
  ): Promise<number> {
    const { thinFrom } = this.#options;
    if (thinFrom === null || now < thinFrom) return 0;
    let thinned = 0;
    for (const name of (await readdir(this.#folder)).sort()) {
      const day = name.endsWith(WHOLE) ? name.slice(0, -WHOLE.length) : '';
      if (!isDate(day)) continue;
      const ended = (parseDate(day) + 1) * DAY_SECONDS;
      if (now < ended + WHOLE_DAYS * DAY_SECONDS) continue;
      await this.#semaphore.run(() => this.#thin(day, keptOf));
      thinned += 1;
    }
    return thinned;
  }

  async #put(ts: number, openings: readonly TickOpening[]): Promise<void> {
    const day = dayOf(ts);
    const path = this.#pathOf(day, WHOLE);
    if (!this.#sound.has(day)) await this.#mend(day);
    this.#sound.delete(day);
    const record = formatRecord(this.#options.sha256, ts, openings);
    if (this.#options.sync === false) {
      // Without a sync there is little to wait for, and handing it to a thread costs more.
      appendFileSync(path, record, { mode: 0o600 });
    } else await this.#append(path, record);
    this.#sound.add(day);
  }

  /** Durable when it resolves. */
  async #append(path: string, record: Uint8Array): Promise<void> {
    const file = await open(
      path,
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
      0o600,
    );
    try {
      const isNew = (await file.stat()).size === 0;
      await file.writeFile(record);
      await file.datasync();
      if (isNew) await syncFolder(this.#folder);
    } finally {
      await file.close();
    }
  }

  /** Removes an incomplete record that a process left at the end of a day's file. */
  async #mend(day: string): Promise<void> {
    if ((await readIfThere(this.#pathOf(day, THINNED))) !== undefined) {
      throw new Fault('read_only', 'tick openings', { at: day, found: 'a day that was thinned' });
    }
    const path = this.#pathOf(day, WHOLE);
    const bytes = await readIfThere(path);
    if (bytes === undefined) return;
    const { end } = this.#parse(bytes, path);
    if (end === bytes.length) return;
    const file = await open(path, 'r+');
    try {
      await file.truncate(end);
      if (this.#options.sync !== false) await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #thin(
    day: string,
    keptOf: (times: readonly number[]) => Promise<IsKept> | IsKept,
  ): Promise<void> {
    const path = this.#pathOf(day, WHOLE);
    const newest = new Map<number, TickOfDay>();
    for (const each of (await this.#read(day)) ?? []) newest.set(each.ts, each);
    const isKept = await keptOf([...newest.keys()]);
    const kept: Uint8Array[] = [];
    for (const { ts, openings } of newest.values()) {
      const some = isSampled(ts) ? openings : openings.filter(({ symbol }) => isKept(ts, symbol));
      if (some.length > 0) kept.push(formatRecord(this.#options.sha256, ts, some));
    }
    const sync = this.#options.sync !== false;
    // Until the other file is removed, that one counts.
    await writeDurable(this.#pathOf(day, THINNED), concatBytes(...kept), { mode: 0o600, sync });
    await rm(path);
    if (sync) await syncFolder(this.#folder);
    this.#sound.delete(day);
  }

  /** The records of a day, in the order in which they were put; undefined for a day without a file. */
  async #read(day: string): Promise<readonly TickOfDay[] | undefined> {
    for (const kind of [WHOLE, THINNED]) {
      const path = this.#pathOf(day, kind);
      const bytes = await readIfThere(path);
      if (bytes !== undefined) return this.#parse(bytes, path).records;
    }
    return undefined;
  }

  /**
   * The complete records, and where they end: what follows is incomplete. Throws `ledger_corrupt` if a record
   * that others follow is broken.
   */
  #parse(bytes: Uint8Array, path: string): { records: readonly TickOfDay[]; end: number } {
    const { sha256 } = this.#options;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const records: TickOfDay[] = [];
    let at = 0;
    while (at + HEADER_BYTES <= bytes.length) {
      const body = at + HEADER_BYTES;
      const end = body + view.getUint32(at + 16, true);
      const next = end + HASH_BYTES;
      const whole =
        next <= bytes.length &&
        equalBytes(bytes.subarray(at, at + MAGIC.length), MAGIC) &&
        equalBytes(sha256(bytes.subarray(at, end)), bytes.subarray(end, next));
      if (!whole) {
        // Incomplete, or a file that grew before its bytes were there.
        if (!holdsMagic(bytes, at + 1)) break;
        throw new Fault('ledger_corrupt', 'tick openings', {
          at: `${path}: byte ${at}`,
          expected: 'a whole record',
        });
      }
      const ts = Number(view.getBigInt64(at + 8, true));
      records.push(new TickOfDay(ts, bytes.subarray(body, end)));
      at = next;
    }
    return { records, end: at };
  }

  #pathOf(day: string, kind: string): string {
    return join(this.#folder, `${day}${kind}`);
  }
}

function dayOf(ts: number): string {
  return formatDate(Math.floor(ts / DAY_SECONDS));
}

/** Whether a record may begin at `from` or later. */
function holdsMagic(bytes: Uint8Array, from: number): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
    MAGIC_TEXT,
    from,
    'latin1',
  );
}

function formatRecord(sha256: Sha256, ts: number, openings: readonly TickOpening[]): Uint8Array {
  const body = concatBytes(
    ...openings.flatMap(({ symbol, salt, bytes }) => {
      const length = new Uint8Array(4);
      new DataView(length.buffer).setUint32(0, bytes.length, true);
      return [symbolBytes(symbol), salt, length, bytes];
    }),
  );
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setBigInt64(8, BigInt(ts), true);
  view.setUint32(16, body.length, true);
  const record = concatBytes(header, body);
  return concatBytes(record, sha256(record));
}

/** The openings of a record whose hash is right. */
function parseBody(body: Uint8Array): readonly TickOpening[] {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const openings: TickOpening[] = [];
  let at = 0;
  while (at < body.length) {
    let end = at + ASSET_BYTES;
    while (body[end - 1] === 0) end -= 1;
    const symbol = String.fromCharCode(...body.subarray(at, end));
    const salted = at + ASSET_BYTES;
    const values = salted + SALT_BYTES + 4;
    const next = values + view.getUint32(salted + SALT_BYTES, true);
    const salt = body.slice(salted, salted + SALT_BYTES);
    openings.push({ symbol, salt, bytes: body.slice(values, next) });
    at = next;
  }
  return openings;
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
