import { messageOf } from '@assay/core/fault';
import { equalBytes } from '@assay/core/bytes/bytes';
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

/** Brings a log's entries from where they are served to the walk, and compares the tiles that the entries make. */
export class EntryStream {
  readonly #session: Session;
  readonly #reader: LogReader;
  readonly #walk: LogWalk;
  readonly #atSize: () => void;

  /** `atSize` is called after each entry. */
  constructor(session: Session, reader: LogReader, walk: LogWalk, atSize: () => void = () => {}) {
    this.#session = session;
    this.#reader = reader;
    this.#walk = walk;
    this.#atSize = atSize;
  }

  /** Walks on to a size; false with a finding where an entry is missing. */
  async walkTo(size: number): Promise<boolean> {
    const { environment, findings, limits, notChecked } = this.#session;
    const first = Math.floor(this.#walk.size / TILE_WIDTH);
    let ahead = this.bundle(first, size);
    for (let index = first; this.#walk.size < size; index += 1) {
      const entries = await ahead;
      if (entries === undefined) return false;
      const more = (index + 1) * TILE_WIDTH < size;
      if (more) {
        ahead = this.bundle(index + 1, size);
        // The next iteration awaits it; until then its rejection is handled here.
        ahead.catch(() => undefined);
      }
      const fresh = entries.slice(this.#walk.size - index * TILE_WIDTH);
      this.#walk.prefetch(fresh);
      for (const entry of fresh) {
        const taken = this.#walk.entry(entry);
        // Awaiting each entry would cost as much as its hash.
        const filled = taken instanceof Promise ? await taken : taken;
        this.#atSize();
        if (filled.length > 0) await this.#fullTiles(filled);
        requireWithin(limits, { entries: size, foldedBytes: this.#walk.foldedBytes });
      }
      environment.progress?.(this.#walk.size, size, 'entries');
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

  async body(path: string): Promise<Uint8Array | undefined> {
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
