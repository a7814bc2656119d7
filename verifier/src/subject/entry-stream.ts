import { messageOf } from '@assay/core/fault';
import { equalBytes } from '@assay/core/bytes/bytes';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import {
  formatHashTile,
  formatTilePath,
  levelLength,
  MAX_TILE_LEVEL,
  parseEntryBundle,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import type { FullTile } from '@assay/core/log/tile-tree';
import { requireWithin } from '../verdict/limits.ts';
import type { LogReader } from '../reader/log-reader.ts';
import type { LogWalk } from '../log/log-walk.ts';
import type { Session } from './session.ts';

/** How many bundles are asked for before the walk reaches them, with the tiles that their entries fill. */
const AHEAD = 4;
/** Bytes of bundles that have come and are not walked yet, beyond which no more are asked for. */
const MAX_AHEAD_BYTES = 16_777_216;

/** What is called on the way through the entries. */
export interface OnWay {
  /** Called before the first entry of a bundle that is walked, in a log of `size`. */
  readonly onBundle?: (index: number, size: number) => void;
  /** Called after each entry. */
  readonly atSize?: () => void;
}

/** Brings a log's entries from where they are served to the walk, and compares the tiles that the entries make. */
export class EntryStream {
  readonly #session: Session;
  readonly #reader: LogReader;
  readonly #walk: LogWalk;
  readonly #onWay: OnWay;
  /** Answers that were asked for before they are needed, by their paths. */
  readonly #asked = new Map<string, Promise<Uint8Array | undefined>>();
  /** Bytes of the bundles among them that have come. */
  #aheadBytes = 0;

  constructor(session: Session, reader: LogReader, walk: LogWalk, onWay: OnWay = {}) {
    this.#session = session;
    this.#reader = reader;
    this.#walk = walk;
    this.#onWay = onWay;
  }

  /** Walks on to a size, until every check has ended; false with a finding where an entry is missing. */
  async walkTo(size: number): Promise<boolean> {
    try {
      const isWhole = await this.#walkTo(size);
      // What a verdict counts and finds must not depend on how many checks have ended so far.
      await this.#walk.drain();
      return isWhole;
    } finally {
      // The next checkpoint may have other tiles of these.
      this.#asked.clear();
      this.#aheadBytes = 0;
    }
  }

  async #walkTo(size: number): Promise<boolean> {
    const { environment, findings, limits, notChecked } = this.#session;
    const first = Math.floor(this.#walk.size / TILE_WIDTH);
    for (let index = first; this.#walk.size < size; index += 1) {
      this.#askAhead(index, size);
      const entries = await this.bundle(index, size);
      if (entries === undefined) return false;
      const begun = this.#walk.size - index * TILE_WIDTH;
      if (!this.#areWalked(entries.slice(0, begun), index)) return false;
      const fresh = entries.slice(begun);
      this.#onWay.onBundle?.(index, size);
      this.#walk.prefetch(fresh);
      for (const entry of fresh) {
        const taken = this.#walk.entry(entry);
        // Awaiting each entry would cost as much as its hash.
        const filled = taken instanceof Promise ? await taken : taken;
        this.#onWay.atSize?.();
        if (filled.length > 0) await this.#fullTiles(filled);
        requireWithin(limits, { ...this.#walk.reached, entries: size });
      }
      environment.progress?.(this.#walk.size, size, 'entries');
      // How many there are must not depend on which check ends first. Where there are none, those that are still under
      // way are too few for a flood.
      if (findings.count > 0) await this.#walk.drain();
      if (findings.flooded && this.#walk.size < size) {
        notChecked.add(
          'completeness',
          `entries from ${this.#walk.size} on`,
          'there were too many findings already',
          'again',
        );
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the newest bundle, which is not full, has the entries that were walked, as the log serves it now; false with a
   * finding where it has not.
   */
  async isNewestSame(): Promise<boolean> {
    const { size } = this.#walk;
    if (size % TILE_WIDTH === 0) return true;
    const index = Math.floor(size / TILE_WIDTH);
    const entries = await this.bundle(index, size);
    return entries !== undefined && this.#areWalked(entries, index);
  }

  /** Whether the first entries of a bundle are those that were walked before; adds a finding where they are not. */
  #areWalked(entries: readonly Uint8Array[], index: number): boolean {
    const leaves = this.#walk.tree.partial(0);
    const { sha256 } = this.#session.environment;
    const other = entries.findIndex(
      (entry, i) => !equalBytes(leafHash(sha256, entry), leaves[i] as Hash),
    );
    if (other < 0) return true;
    const at = `entry ${index * TILE_WIDTH + other}`;
    this.#session.findings.add('bundle_differs', at, 'the entry that was there before', 'another');
    return false;
  }

  /** Asks for the bundles from `index` on, and for the tiles that they fill. */
  #askAhead(index: number, size: number): void {
    for (let next = index; next <= index + AHEAD && next * TILE_WIDTH < size; next += 1) {
      if (next > index && this.#aheadBytes > MAX_AHEAD_BYTES) return;
      const width = Math.min(TILE_WIDTH, size - next * TILE_WIDTH);
      this.#ask(`/${formatTilePath({ level: 'entries', index: next, width })}`);
      if (width === TILE_WIDTH) this.#ask(`/${formatTilePath({ level: 0, index: next, width })}`);
    }
  }

  #ask(path: string): void {
    if (this.#asked.has(path)) return;
    const body = this.#get(path);
    this.#asked.set(path, body);
    // Whoever needs it gets the error.
    void body.then(
      (bytes) => {
        if (this.#asked.get(path) === body) this.#aheadBytes += bytes?.length ?? 0;
      },
      () => undefined,
    );
  }

  /** The entries of a bundle, of a log of `size`; undefined with a finding where they are missing. */
  async bundle(index: number, size: number): Promise<readonly Uint8Array[] | undefined> {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    const path = `/${formatTilePath({ level: 'entries', index, width })}`;
    const body = await this.body(path);
    const { findings } = this.#session;
    if (body === undefined) {
      findings.add('entry_missing', path, `${width} entries`, 'nothing');
      return undefined;
    }
    try {
      return parseEntryBundle(body, width);
    } catch (error) {
      findings.add('bundle_differs', path, `${width} entries`, messageOf(error));
      return undefined;
    }
  }

  async #fullTiles(filled: readonly FullTile[]): Promise<void> {
    for (const tile of filled) {
      await this.#tile(tile.level, tile.index, this.#walk.tileBytes(tile));
    }
  }

  async edgeTiles(size: number): Promise<void> {
    for (let level = 0; level <= MAX_TILE_LEVEL; level += 1) {
      const hashes = this.#walk.tree.partial(level);
      if (hashes.length === 0) continue;
      const index = Math.floor(levelLength(level, size) / TILE_WIDTH);
      await this.#tile(level, index, formatHashTile(hashes));
    }
  }

  async #tile(level: number, index: number, expected: Uint8Array): Promise<void> {
    const path = `/${formatTilePath({ level, index, width: expected.length / 32 })}`;
    const body = await this.body(path);
    const { findings, tally } = this.#session;
    tally.tiles += 1;
    if (body === undefined) {
      findings.add('tile_missing', path, `${expected.length / 32} hashes`, 'nothing');
    } else if (!equalBytes(body, expected)) {
      const at = level === 0 ? firstOther(expected, body) : undefined;
      const found =
        at === undefined
          ? 'other bytes'
          : `another hash of entry ${index * TILE_WIDTH + at}: that entry was changed, or the tile was`;
      findings.add('tile_differs', path, 'the hashes of the entries', found);
    }
  }

  /** The bytes of an answer; undefined where its status is not 200. */
  async body(path: string): Promise<Uint8Array | undefined> {
    const asked = this.#asked.get(path);
    if (asked === undefined) return this.#get(path);
    const bytes = await asked;
    if (this.#asked.delete(path)) this.#aheadBytes -= bytes?.length ?? 0;
    return bytes;
  }

  async #get(path: string): Promise<Uint8Array | undefined> {
    const { status, body } = await this.#reader.get(path);
    return status === 200 ? body : undefined;
  }
}

const HASH_BYTES = 32;

/** The first of the hashes that another tile of the same width does not have; undefined where it has another width. */
function firstOther(hashes: Uint8Array, others: Uint8Array): number | undefined {
  if (hashes.length !== others.length) return undefined;
  const at = hashes.findIndex((byte, i) => byte !== others[i]);
  return at < 0 ? undefined : Math.floor(at / HASH_BYTES);
}
