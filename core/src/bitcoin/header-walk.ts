import { equalBytes } from '../bytes/bytes.ts';
import { Fault } from '../fault.ts';
import { type Hash, type Sha256, toHash } from '../hash/hash.ts';
import type { BitcoinNetwork } from './bitcoin-network.ts';
import { bitsAt, LAST_EPOCH } from './epochs.ts';
import {
  BITS_AT,
  blockId,
  HEADER_BYTES,
  MAX_FUTURE_BLOCK_SECONDS,
  PREV_AT,
  TIME_AT,
} from './header.ts';
import { EPOCH_HEADERS, EPOCH_SECONDS, retarget } from './retarget.ts';
import { compactOf, formatBits, isAtMost, targetBytes, targetOf, workOf } from './work.ts';

/** A header's time must be after the median of this many headers before it (BIP 113, `GetMedianTimePast`). */
const MEDIAN_SPAN = 11;

/**
 * The least time of a header after the table. At least half of the headers before it are older, and the table's
 * last one may have been ahead of its time.
 */
const LEAST_AFTER_TABLE = LAST_EPOCH.lastTime - MAX_FUTURE_BLOCK_SECONDS;

/**
 * One pass over headers, each of which is checked against the ones before it and the facts of the network. What
 * is not known is not checked: a walk that begins within the chain learns its first link, and the bits after
 * the end of the table, from the headers themselves.
 */
export class HeaderWalk {
  readonly #sha256: Sha256;
  readonly #network: BitcoinNetwork;
  readonly #hasTable: boolean;
  /** The height of the next header. */
  height: number;
  /**
   * The hash of the last header, or the one that the next header must link to; `undefined` while nothing is
   * known.
   */
  hash: Hash | undefined;
  time = 0;
  #bits: number | undefined;
  #target: Uint8Array = new Uint8Array(32);
  /** The time of the first header of the epoch, once it is known. */
  #firstTime: number | undefined;
  #work = 0n;
  /** The number of headers since the last change of bits, whose work is not yet in `#work`. */
  #uncounted = 0;
  readonly #times = new Uint32Array(MEDIAN_SPAN);
  #seen = 0;

  constructor(sha256: Sha256, network: BitcoinNetwork, height: number) {
    if (!Number.isSafeInteger(height) || height < 0) throw new TypeError('HeaderWalk: height');
    this.#sha256 = sha256;
    this.#network = network;
    this.#hasTable = network.name === 'bitcoin';
    this.height = height;
    if (height === 0) this.hash = toHash(new Uint8Array(32));
    if (this.#hasTable && height === LAST_EPOCH.height + 1) {
      this.hash = LAST_EPOCH.hash;
      this.time = LAST_EPOCH.lastTime;
      this.#setBits(LAST_EPOCH.bits);
      this.#firstTime = LAST_EPOCH.firstTime;
    }
  }

  /** The work of the headers so far, in hashes. */
  get work(): bigint {
    const bits = this.#bits;
    return bits === undefined ? 0n : this.#work + BigInt(this.#uncounted) * workOf(bits);
  }

  /**
   * Checks the header at byte `at` of `view` and takes it as the last one. Throws `bad_header` at `height N`,
   * after which the walk must not be used any more.
   */
  step(bytes: Uint8Array, view: DataView, at: number): void {
    const { height } = this;
    const time = view.getUint32(at + TIME_AT, true);
    const bits = view.getUint32(at + BITS_AT, true);
    const header = bytes.subarray(at, at + HEADER_BYTES);
    if (height === 0 && !equalBytes(header, this.#network.genesis)) {
      throw this.bad(`the first header of ${this.#network.name}`, 'another');
    }
    this.#checkLink(header);
    if (bits !== this.#bits || height % EPOCH_HEADERS === 0) this.#turn(bits, time);
    this.#checkTime(time);
    const hash = this.#sha256(this.#sha256(header)) as Hash;
    if (!isAtMost(hash, this.#target)) {
      throw this.bad(`an id of at most ${blockId(toHash(this.#target))}`, blockId(hash));
    }
    if (this.#hasTable && height === LAST_EPOCH.height && !equalBytes(hash, LAST_EPOCH.hash)) {
      throw this.bad(`the table's block ${blockId(LAST_EPOCH.hash)}`, blockId(hash));
    }
    this.hash = hash;
    this.time = time;
    this.#uncounted += 1;
    this.height = height + 1;
  }

  #checkLink(header: Uint8Array): void {
    const { hash } = this;
    if (hash === undefined) return;
    for (let i = 0; i < 32; i += 1) {
      if (header[PREV_AT + i] !== hash[i]) {
        const found = blockId(toHash(header.slice(PREV_AT, PREV_AT + 32)));
        throw this.bad(`previous block ${blockId(hash)}`, found);
      }
    }
  }

  /** A median of fewer than 11 times counts only right after genesis, where there are no more. */
  #checkTime(time: number): void {
    if (this.#hasTable && this.height > LAST_EPOCH.height && time < LEAST_AFTER_TABLE) {
      throw this.bad(`a time after ${LEAST_AFTER_TABLE}, where the table ends`, `${time}`);
    }
    const known = Math.min(this.#seen, MEDIAN_SPAN);
    if (known === MEDIAN_SPAN || known === this.height) {
      let earlier = 0;
      for (let i = 0; i < known; i += 1) if ((this.#times[i] as number) < time) earlier += 1;
      // Bitcoin Core takes number floor(n / 2) of n sorted times as the median.
      if (known > 0 && earlier <= known >> 1) {
        const median = this.#times.slice(0, known).sort()[known >> 1] as number;
        throw this.bad(`a time after ${median}, the median of the ${known} before`, `${time}`);
      }
    }
    this.#times[this.#seen % MEDIAN_SPAN] = time;
    this.#seen += 1;
  }

  /** Handles the first header of an epoch, or one whose bits differ from those before it. */
  #turn(bits: number, time: number): void {
    this.#checkBits(bits);
    if (bits !== this.#bits) this.#setBits(bits);
    if (this.height % EPOCH_HEADERS === 0) this.#firstTime = time;
  }

  #checkBits(bits: number): void {
    const { height } = this;
    const { limit, retargets } = this.#network;
    const demand = (expected: number, why: string): void => {
      if (bits !== expected)
        throw this.bad(`bits ${formatBits(expected)}, ${why}`, formatBits(bits));
    };
    const before = this.#bits;
    if (!retargets) return demand(limit, 'which never change');
    if (before !== undefined && height % EPOCH_HEADERS !== 0) {
      return demand(before, 'as in all of its epoch');
    }
    const known = this.#hasTable ? bitsAt(height) : undefined;
    if (known !== undefined) demand(known, 'as the table says');
    if (height === 0) return demand(limit, 'the first');
    if (before !== undefined && this.#firstTime !== undefined) {
      const next = retarget(before, this.#firstTime, this.time, limit);
      return demand(next, 'as the epoch before it took');
    }
    if (known === undefined) this.#checkRange(bits, before);
  }

  /** Checks the range of the bits if the header that they follow from is not known. */
  #checkRange(bits: number, before: number | undefined): void {
    const { limit } = this.#network;
    let easiest = limit;
    let hardest = 1n;
    if (before !== undefined) {
      easiest = retarget(before, 0, EPOCH_SECONDS * 4, limit);
      hardest = targetOf(retarget(before, 0, EPOCH_SECONDS / 4, limit));
    } else if (this.#hasTable) {
      easiest = easiestAfterTable(this.height, limit);
    }
    let target: bigint;
    try {
      target = targetOf(bits);
    } catch (cause) {
      throw this.bad('bits of a target', formatBits(bits), cause);
    }
    if (compactOf(target) !== bits) {
      throw this.bad(`bits ${formatBits(compactOf(target))} for this target`, formatBits(bits));
    }
    if (target > targetOf(easiest) || target < hardest) {
      const range = before === undefined ? '' : ` and ${formatBits(compactOf(hardest))} or easier`;
      throw this.bad(`bits ${formatBits(easiest)} or harder${range}`, formatBits(bits));
    }
  }

  #setBits(bits: number): void {
    this.#work = this.work;
    this.#uncounted = 0;
    this.#bits = bits;
    this.#target = targetBytes(bits);
  }

  /** The fault for what is wrong with the next header. */
  bad(expected: string, found: string, cause?: unknown): Fault {
    const at = `height ${this.height}`;
    return new Fault('bad_header', 'Bitcoin header', { at, expected, found, cause });
  }
}

/**
 * The easiest bits that an epoch after the table can have: those that follow if every one before it took four
 * times too long.
 */
function easiestAfterTable(height: number, limit: number): number {
  let { bits } = LAST_EPOCH;
  const epochs = Math.floor((height - LAST_EPOCH.height - 1) / EPOCH_HEADERS) + 1;
  for (let i = 0; i < epochs && bits !== limit; i += 1) {
    bits = retarget(bits, 0, EPOCH_SECONDS * 4, limit);
  }
  return bits;
}
