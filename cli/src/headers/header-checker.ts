import type { Hash, HashHex, Sha256 } from '@assay/core/hash/hash';
import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { blockId, HEADER_BYTES } from '@assay/core/bitcoin/header';
import { HeaderWalk } from '@assay/core/bitcoin/header-walk';

/** The number of headers in a page. A chain is stored in pages, so that it can grow without being copied. */
export const PAGE_HEADERS = 2016;

/** Consecutive headers that were checked, beginning with a known block. */
export interface HeaderChain {
  readonly network: BitcoinNetwork;
  /** The height of the first header: 0, or one after the end of the table. */
  readonly first: number;
  readonly count: number;
  /** The work on these headers alone, in hashes. */
  readonly work: bigint;
  /** The last header; `time` in seconds since 1970. */
  readonly tip: { readonly height: number; readonly id: HashHex; readonly time: number };
  /**
   * The 80 bytes of the header at `height`, a view that must not be written to; `undefined` if it is not one of
   * these.
   */
  readonly header: (height: number) => Uint8Array | undefined;
}

/**
 * Checks a chain of headers as its bytes arrive, in pieces of any length, and stores a copy of them.
 *
 * Every header must link to the one before it, meet its target, have the bits that the retarget rule (on
 * `BITCOIN` also the table) demands, and a time after the median of the 11 before it. The chain begins with the
 * network's first header, or on `BITCOIN` with the one after the end of the table.
 */
export class HeaderChecker {
  readonly #network: BitcoinNetwork;
  readonly #first: number;
  readonly #walk: HeaderWalk;
  readonly #pages: Uint8Array[] = [];
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** The number of bytes that were taken. */
  #taken = 0;
  #fault: unknown;

  /** `first` is 0 or, on `BITCOIN`, 832608; any other throws a TypeError. */
  constructor(sha256: Sha256, network: BitcoinNetwork, first: number) {
    if (first !== 0 && !(network.name === 'bitcoin' && first === LAST_EPOCH.height + 1)) {
      throw new TypeError('HeaderChecker: first is 0, or the height after the table');
    }
    this.#network = network;
    this.#first = first;
    this.#walk = new HeaderWalk(sha256, network, first);
  }

  /** The number of headers checked so far. */
  get count(): number {
    return this.#walk.height - this.#first;
  }

  /**
   * Takes the next bytes, which may begin and end within a header. Throws `bad_header` at `height N`, and again
   * at each later call.
   */
  add(bytes: Uint8Array): void {
    if (this.#fault !== undefined) throw this.#fault;
    try {
      this.#take(bytes);
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  #take(bytes: Uint8Array): void {
    const pageBytes = PAGE_HEADERS * HEADER_BYTES;
    for (let from = 0; from < bytes.length;) {
      const filled = this.#taken % pageBytes;
      if (filled === 0) this.#turnPage(pageBytes);
      const page = this.#pages[this.#pages.length - 1] as Uint8Array;
      const length = Math.min(bytes.length - from, pageBytes - filled);
      page.set(bytes.subarray(from, from + length), filled);
      from += length;
      this.#taken += length;
      const end = filled + length - HEADER_BYTES;
      for (let at = filled - (filled % HEADER_BYTES); at <= end; at += HEADER_BYTES) {
        this.#walk.step(page, this.#view, at);
      }
    }
  }

  #turnPage(length: number): void {
    const page = new Uint8Array(length);
    this.#pages.push(page);
    this.#view = new DataView(page.buffer);
  }

  /** Returns the chain. Throws `bad_header` if there is no header at all, or bytes after the last one. */
  end(): HeaderChain {
    if (this.#fault !== undefined) throw this.#fault;
    const { count } = this;
    const left = this.#taken - count * HEADER_BYTES;
    if (left > 0 || count === 0) {
      throw this.#walk.bad(`${HEADER_BYTES} bytes`, `${left} bytes`);
    }
    const first = this.#first;
    const pages = this.#pages;
    const { hash, height, time, work } = this.#walk;
    const header = (at: number): Uint8Array | undefined => {
      if (!Number.isInteger(at) || at < first || at >= first + count) return undefined;
      const from = ((at - first) % PAGE_HEADERS) * HEADER_BYTES;
      return pages[Math.floor((at - first) / PAGE_HEADERS)]?.subarray(from, from + HEADER_BYTES);
    };
    const tip = { height: height - 1, id: blockId(hash as Hash), time };
    this.#fault = new TypeError('HeaderChecker: ended');
    return { network: this.#network, first, count, work, tip, header };
  }
}
