import type { HashHex } from '@assay/core/hash/hash';
import {
  formatPackPath,
  MAX_PART_BYTES,
  MAX_PARTS,
  type PackContents,
  parsePack,
} from '@assay/core/log/pack';
import { TILE_WIDTH } from '@assay/core/log/tile';
import type { BlobReader } from './blobs.ts';
import type { LogReader } from './log-reader.ts';

/** How many packs are fetched before the walk reaches their bundles. */
const AHEAD = 3;
/** What a blob takes in memory beside its bytes, so that a great many empty ones count too. */
const RECORD_BYTES = 512;
/** Bytes of packs in memory, beyond which nothing more is fetched ahead. */
const MAX_AHEAD_BYTES = 50_331_648;
/** Bytes of packs in memory, beyond which the rest of a pack is left. */
const MAX_HELD_BYTES = 134_217_728;
/** Packs that were of no use, after which a server is asked for no more of them. */
const MAX_USELESS = 3;
/** Bytes of a pack that may remain unused before any pack has been of use. */
const MAX_FIRST_UNUSED_BYTES = 262_144;
/**
 * Bytes by which those that remain unused may exceed those that are used: a whole pack. A bundle that was begun on an
 * earlier visit needs a part of its pack only, and what a bundle names may have come with the one before it.
 */
const MAX_UNUSED_BYTES = MAX_PARTS * MAX_PART_BYTES;

/** The pack of one bundle, as far as it has come. */
interface Pack {
  readonly index: number;
  readonly width: number;
  /** The parts in their order: each resolves when its blobs are held, or when it is known that there are none. */
  readonly parts: Promise<void>[];
  readonly blobs: Map<HashHex, Uint8Array>;
  readonly used: Set<HashHex>;
  /** Bytes in memory, and those of them that were asked for. */
  bytes: number;
  usedBytes: number;
  isUseless: boolean;
}

/**
 * Reads blobs from the packs of a log (docs/spec/pack.md), and alone where no pack has them. The caller hashes what it
 * gets, and reads a blob `alone` where a pack had other bytes. So a pack can only cost time, and `MAX_USELESS` of them
 * end the use of packs, as do more unused bytes than used ones and `MAX_UNUSED_BYTES`.
 */
export class PackedBlobs {
  readonly #get: LogReader['get'];
  /** The packs around the place of the walk, by the index of their bundle. */
  readonly #packs = new Map<number, Pack>();
  /** The bundle whose entries name what is asked for now. */
  #current = 0;
  #size = 0;
  #useless = 0;
  /** Bytes of the packs that were dropped, by whether they were asked for. */
  #usedBytes = 0;
  #unusedBytes = 0;
  /** Whether a pack has been of use, so that those of the next bundles are worth fetching ahead. */
  #isUseful = false;

  constructor(reader: LogReader) {
    this.#get = (path) => reader.get(path);
    if (reader.local === true) this.#useless = MAX_USELESS;
  }

  /**
   * Announces that what is asked for from now on is named by the entries of this bundle, in a log of `size`. The packs
   * of bundles before the last one are dropped.
   */
  open(index: number, size: number): void {
    this.#current = index;
    this.#size = size;
    for (const [at, pack] of this.#packs)
      if (at < index - 1 || at > index + AHEAD) this.#drop(pack);
    if (this.#isUseful) this.#fetchAhead();
  }

  /** The bytes that a pack has under a hash, or else those that the server has. They are not checked. */
  readonly read: BlobReader = async (hash) => {
    const current = this.#current;
    const found = this.#held(hash);
    if (found !== undefined) return found;
    const parts = this.#useless < MAX_USELESS ? this.#fetch(current).parts : [];
    // The number of parts is known with the first, which adds the others.
    for (const part of parts) {
      await part;
      const bytes = this.#held(hash);
      if (bytes === undefined) continue;
      this.#isUseful = true;
      this.#fetchAhead();
      return bytes;
    }
    return this.#single(hash);
  };

  /** The bytes that the server has under a hash, where those of a pack were others. */
  readonly alone: BlobReader = async (hash) => {
    for (const pack of this.#packs.values()) {
      if (pack.blobs.delete(hash)) this.#note(pack);
    }
    return this.#single(hash);
  };

  async #single(hash: HashHex): Promise<Uint8Array | undefined> {
    const { status, body } = await this.#get(`/blob/${hash}`);
    return status === 200 ? body : undefined;
  }

  #held(hash: HashHex): Uint8Array | undefined {
    for (const pack of this.#packs.values()) {
      const bytes = pack.blobs.get(hash);
      if (bytes === undefined) continue;
      if (!pack.used.has(hash)) {
        pack.used.add(hash);
        pack.usedBytes += bytes.length + RECORD_BYTES;
      }
      // A copy, so that whoever keeps it does not keep the whole part.
      return bytes.slice();
    }
    return undefined;
  }

  #fetchAhead(): void {
    for (let index = this.#current + 1; index <= this.#current + AHEAD; index += 1) {
      if (this.#heldBytes() > MAX_AHEAD_BYTES || this.#useless >= MAX_USELESS) return;
      if (index * TILE_WIDTH < this.#size) this.#fetch(index);
    }
  }

  #fetch(index: number): Pack {
    const width = Math.min(TILE_WIDTH, this.#size - index * TILE_WIDTH);
    const known = this.#packs.get(index);
    if (known?.width === width) return known;
    if (known !== undefined) this.#drop(known);
    const pack: Pack = {
      index,
      width,
      parts: [],
      blobs: new Map(),
      used: new Set(),
      bytes: 0,
      usedBytes: 0,
      isUseless: false,
    };
    this.#packs.set(index, pack);
    pack.parts.push(this.#fetchPart(pack, 0));
    return pack;
  }

  /** Fetches a part, and the others when the first has said how many there are. Never rejects. */
  async #fetchPart(pack: Pack, part: number): Promise<void> {
    const { index, width } = pack;
    let contents: PackContents;
    try {
      const { status, body } = await this.#get(`/${formatPackPath({ part, index, width })}`);
      // A server without packs has none at all: there is no use in asking again.
      if (status === 404 && !this.#isUseful) this.#useless = MAX_USELESS;
      if (status !== 200) return this.#note(pack);
      contents = parsePack(body);
    } catch {
      // Whoever asks for the blob alone gets the error of a server that does not answer.
      return this.#note(pack);
    }
    if (contents.part !== part || (part > 0 && contents.parts !== pack.parts.length)) {
      return this.#note(pack);
    }
    let added = 0;
    for (const { hash, bytes } of contents.blobs) {
      if (!pack.blobs.has(hash)) pack.blobs.set(hash, bytes);
      added += bytes.length + RECORD_BYTES;
    }
    pack.bytes += added;
    // A pack may be dropped before all of it has come.
    if (this.#packs.get(index) !== pack) return this.#leave(0, added);
    if (part > 0) return;
    for (let next = 1; next < contents.parts; next += 1) {
      // One after the other, so that the walk can begin with the first while the others come.
      const before = pack.parts[next - 1] as Promise<void>;
      pack.parts.push(next === 1 ? this.#fetchPart(pack, 1) : this.#after(before, pack, next));
    }
  }

  async #after(before: Promise<void>, pack: Pack, part: number): Promise<void> {
    await before;
    const isDropped = this.#packs.get(pack.index) !== pack;
    if (pack.isUseless || isDropped || this.#heldBytes() > MAX_HELD_BYTES) return;
    await this.#fetchPart(pack, part);
  }

  #heldBytes(): number {
    let held = 0;
    for (const { bytes } of this.#packs.values()) held += bytes;
    return held;
  }

  /** Counts a pack that was of no use, once. */
  #note(pack: Pack): void {
    if (pack.isUseless) return;
    pack.isUseless = true;
    this.#useless += 1;
  }

  #drop(pack: Pack): void {
    this.#packs.delete(pack.index);
    const unused = pack.bytes - pack.usedBytes;
    if (!this.#isUseful && unused > MAX_FIRST_UNUSED_BYTES) this.#note(pack);
    this.#leave(pack.usedBytes, unused);
  }

  /** Counts bytes that are no longer held. */
  #leave(used: number, unused: number): void {
    this.#usedBytes += used;
    this.#unusedBytes += unused;
    if (this.#unusedBytes > this.#usedBytes + MAX_UNUSED_BYTES) this.#useless = MAX_USELESS;
  }
}
