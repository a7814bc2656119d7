import { constants, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { BITS_AT, blockId, HEADER_BYTES, headerHash, PREV_AT } from '@assay/core/bitcoin/header';
import { type HeaderChain, HeaderChecker, PAGE_HEADERS } from './header-checker.ts';
import { workOf } from '@assay/core/bitcoin/work';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import type { Hash } from '@assay/core/hash/hash';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { requireMined } from './header-clock.ts';
import {
  AFTER_TABLE,
  checkHeaders,
  firstHeight,
  isFirstPart,
  openHeaders,
  readBytes,
} from './headers-file.ts';

/** The events of a sync. */
export interface SyncEvents {
  /** `total` is a claim of the source. */
  readonly progress: (done: number, total: number, what: string) => void;
  /** Something that the reader should know, as a sentence. */
  readonly note: (line: string) => void;
  /** This machine's clock, Unix seconds. */
  readonly now: () => number;
}

export interface SyncSource {
  readonly source: HeaderSource;
  /** The headers of one request. */
  readonly batch: number;
}

/** How many times a source may change its chain while it is read. */
const MAX_TURNS = 16;

/**
 * A raw headers file that grows. It contains a checked chain at every moment, except for an incomplete last
 * piece, which the next `open` removes. What a reorganisation removes is replaced by headers that were read and
 * checked before.
 */
export class HeadersSync {
  readonly #file: FileHandle;
  readonly #network: BitcoinNetwork;
  readonly #events: SyncEvents;
  readonly #first: number;
  #checker: HeaderChecker;
  #count: number;
  /** The hash of the newest header; while there is none, what the first one must link to. */
  #tip: Uint8Array;

  private constructor(
    file: FileHandle,
    network: BitcoinNetwork,
    events: SyncEvents,
    first: number,
    checker: HeaderChecker,
    tip: Uint8Array,
  ) {
    this.#file = file;
    this.#network = network;
    this.#events = events;
    this.#first = first;
    this.#checker = checker;
    this.#count = checker.count;
    this.#tip = tip;
  }

  /**
   * Opens a file or creates it. With `fromTable`, a new one begins at height 832,608. Throws `bad_header` for a
   * file of another network, or one with a bad header that is not in its last 2016, and `refused` for what is
   * no plain file.
   */
  static async open(
    path: string,
    network: BitcoinNetwork,
    fromTable: boolean,
    events: SyncEvents,
  ): Promise<HeadersSync> {
    const file = await openHeaders(path, constants.O_RDWR | constants.O_CREAT);
    if (file === undefined) {
      const expected = 'a plain file, in a folder that exists';
      throw new Fault('refused', 'headers file', { at: path, expected });
    }
    try {
      const { size } = await file.stat();
      if (size === 0) {
        const { syncFolder } = await import('@assay/node/platform/durable-file');
        await syncFolder(dirname(path));
      }
      const whole = size - (size % HEADER_BYTES);
      await requireOurs(file, size, network);
      if (whole < size) await file.truncate(whole);
      const sound = await cutBadTail(file, whole, network, events);
      const { checker, first } = sound;
      if (checker !== undefined) {
        const tip = headerHash(
          nodeSha256,
          await readBytes(file, (checker.count - 1) * HEADER_BYTES, HEADER_BYTES),
        );
        return new HeadersSync(file, network, events, first, checker, tip);
      }
      const start = fromTable ? AFTER_TABLE : 0;
      const link = fromTable ? LAST_EPOCH.hash : new Uint8Array(32);
      const fresh = new HeaderChecker(nodeSha256, network, start);
      return new HeadersSync(file, network, events, start, fresh, link);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get count(): number {
    return this.#count;
  }

  /** The height of the newest header; one below the first while there is none. */
  get height(): number {
    return this.#first + this.#count - 1;
  }

  /**
   * Reads new headers from a source, and switches to its chain if that has more work. Throws a Fault because of
   * the source; what was written until then stays.
   */
  async follow({ source, batch }: SyncSource): Promise<void> {
    let total = await source.tip();
    for (let turns = 0; turns < MAX_TURNS;) {
      const next = await source.headers(this.height + 1, batch);
      const [head] = next;
      if (head !== undefined && equalBytes(prevOf(head), this.#tip)) {
        await this.#append(next);
        total = Math.max(total, this.height);
        this.#events.progress(this.height - this.#first + 1, total - this.#first + 1, 'headers');
        continue;
      }
      turns += 1;
      if (head === undefined) {
        const theirs = await source.tip();
        if (theirs > this.height) continue;
        const same = await this.#sameAt(source, theirs);
        if (same) {
          const late = this.height - theirs;
          if (late > 0) this.#events.note(`${source.name} is ${late} blocks behind`);
          return;
        }
      }
      if (!(await this.#switchTo(source, batch))) return;
    }
    throw new Fault('refused', source.name, { found: 'a chain that changes while it is read' });
  }

  /** Closes the file and returns its chain. Throws `bad_header` if it contains none. */
  async end(): Promise<HeaderChain> {
    await this.close();
    return this.#checker.end();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #append(headers: readonly Uint8Array[]): Promise<void> {
    const bytes = concatBytes(...headers);
    requireMined(bytes, this.height + 1, this.#events.now());
    try {
      this.#checker.add(bytes);
    } catch (error) {
      // The checker takes no more after a bad header, but the file may, from another source.
      this.#checker = await this.#checkerTo(this.#count);
      throw error;
    }
    await this.#write(bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const at = this.#count * HEADER_BYTES;
    const { size } = await this.#file.stat();
    if (size !== at) throw new Fault('refused', 'headers file', { found: 'another writer' });
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
    await this.#file.datasync();
    this.#count += bytes.length / HEADER_BYTES;
    this.#tip = headerHash(nodeSha256, bytes.slice(-HEADER_BYTES));
  }

  /** A checker that has taken the first `count` headers of the file. */
  async #checkerTo(count: number): Promise<HeaderChecker> {
    if (count === 0) return new HeaderChecker(nodeSha256, this.#network, this.#first);
    return checkHeaders(this.#file, count * HEADER_BYTES, this.#network, {
      now: this.#events.now(),
    });
  }

  #headerAt(height: number): Promise<Uint8Array> {
    return readBytes(this.#file, (height - this.#first) * HEADER_BYTES, HEADER_BYTES);
  }

  /** Whether a source has the same header at a height. A missing header is not the same. */
  async #sameAt(source: HeaderSource, height: number): Promise<boolean> {
    if (height < this.#first) return true;
    const [theirs] = await source.headers(height, 1);
    return theirs !== undefined && equalBytes(theirs, await this.#headerAt(height));
  }

  /** The newest height that both have; one below the first if they share none. */
  async #lastCommon(source: HeaderSource): Promise<number> {
    let same = this.#first - 1;
    let other = Math.min(this.height, await source.tip()) + 1;
    for (let step = 1, at = other - 1; at > same; at -= step, step *= 2) {
      if (await this.#sameAt(source, at)) same = at;
      else other = at;
    }
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (await this.#sameAt(source, middle)) same = middle;
      else other = middle;
    }
    return same;
  }

  /** Switches to the chain of a source if that has more work; false if it does not. */
  async #switchTo(source: HeaderSource, batch: number): Promise<boolean> {
    const common = await this.#lastCommon(source);
    if (common < this.#first) {
      throw new Fault('refused', source.name, {
        expected: `headers that follow on ${blockId(this.#link())}`,
        found: 'a chain that shares none with the file',
      });
    }
    const kept = common - this.#first + 1;
    const ours = await this.#workFrom(kept);
    const checker = await this.#checkerTo(kept);
    const fresh: Uint8Array[] = [];
    for (let work = 0n; work <= ours;) {
      const headers = await source.headers(common + 1 + fresh.length, batch);
      if (headers.length === 0) {
        const words = `${source.name} shows another chain after block ${common}, with no more work: it is ignored`;
        this.#events.note(words);
        return false;
      }
      const bytes = concatBytes(...headers);
      requireMined(bytes, common + 1 + fresh.length, this.#events.now());
      checker.add(bytes);
      for (const header of headers) work += workOf(bitsOf(header));
      fresh.push(...headers);
    }
    const dropped = this.#count - kept;
    await this.#file.truncate(kept * HEADER_BYTES);
    this.#count = kept;
    this.#checker = checker;
    await this.#write(concatBytes(...fresh));
    this.#events.note(
      `${dropped} blocks after ${common} were reorganised: the chain with more work is kept`,
    );
    return true;
  }

  /** What the first header links to. */
  #link(): Hash {
    return (this.#first === 0 ? new Uint8Array(32) : LAST_EPOCH.hash) as Hash;
  }

  /** The work of the headers of the file after the first `kept`. */
  async #workFrom(kept: number): Promise<bigint> {
    let work = 0n;
    for (let i = kept; i < this.#count; i += 1) {
      work += workOf(bitsOf(await this.#headerAt(this.#first + i)));
    }
    return work;
  }
}

/** Ensures that nothing is removed from a file that is something else. Throws `bad_header`. */
async function requireOurs(file: FileHandle, size: number, network: BitcoinNetwork): Promise<void> {
  const start = await readBytes(file, 0, Math.min(size, HEADER_BYTES));
  if (size >= HEADER_BYTES) firstHeight(start, network);
  else if (!isFirstPart(start, network)) {
    throw new Fault('bad_header', 'first header', { expected: `that of ${network.name}` });
  }
}

/**
 * A checker over a file's headers. A power failure may leave bytes at the end that never were headers, so bad
 * ones among the last 2016 are removed.
 */
async function cutBadTail(
  file: FileHandle,
  size: number,
  network: BitcoinNetwork,
  events: SyncEvents,
): Promise<{ readonly checker: HeaderChecker | undefined; readonly first: number }> {
  if (size === 0) return { checker: undefined, first: 0 };
  const first = firstHeight(await readBytes(file, 0, HEADER_BYTES), network);
  const { progress } = events;
  const now = events.now();
  try {
    return { checker: await checkHeaders(file, size, network, { now, progress }), first };
  } catch (error) {
    const bad = badHeight(error);
    if (bad === undefined || bad <= first) throw error;
    const kept = bad - first;
    const dropped = size / HEADER_BYTES - kept;
    if (dropped > PAGE_HEADERS) throw error;
    await file.truncate(kept * HEADER_BYTES);
    events.note(`the last ${dropped} headers of the file were damaged, and are read again`);
    return { checker: await checkHeaders(file, kept * HEADER_BYTES, network, { now }), first };
  }
}

/** The height that a `bad_header` names. */
function badHeight(error: unknown): number | undefined {
  if (faultCode(error) !== 'bad_header') return undefined;
  const height = /^height ([0-9]+)$/.exec((error as Fault).at ?? '')?.[1];
  return height === undefined ? undefined : Number(height);
}

function prevOf(header: Uint8Array): Uint8Array {
  return header.subarray(PREV_AT, PREV_AT + 32);
}

function bitsOf(header: Uint8Array): number {
  return new DataView(header.buffer, header.byteOffset, HEADER_BYTES).getUint32(BITS_AT, true);
}
