import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { formatHashTile, parseHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import { rootOf } from '@assay/core/log/tree';
import { damagedEntry } from './derived/replay.ts';
import type { LedgerStore, TileRow } from './store/store.ts';
import type { TileHashes } from './tree-reader.ts';

const HASH_BYTES = 32;
/** How many checked tiles are cached: 256 hashes each, about 30 KB of memory. */
const MAX_KEPT = 128;

/** The hashes of a tile that is in memory and that the signed root depends on; undefined for any other. */
export type KnownTile = (level: number, index: number) => readonly Hash[] | undefined;

/**
 * The hash tiles of a log, each checked against the tree when it is read: a full tile's root is a hash of the
 * tile above it, up to the right edge, which is in memory and has the root of the head. A tile that does not
 * match is derived from what is below it, and reported. If that does not match either, it is refused.
 */
export class CheckedTiles {
  readonly #sha256: Sha256;
  readonly #store: Pick<LedgerStore, 'tile' | 'entries'>;
  readonly #known: KnownTile;
  readonly #onMended: (tile: TileRow) => void;
  /** The newest last. */
  readonly #kept = new Map<string, readonly Hash[]>();

  constructor(
    sha256: Sha256,
    store: Pick<LedgerStore, 'tile' | 'entries'>,
    known: KnownTile,
    onMended: (tile: TileRow) => void = () => undefined,
  ) {
    this.#sha256 = sha256;
    this.#store = store;
    this.#known = known;
    this.#onMended = onMended;
  }

  /** Throws `ledger_corrupt` if neither the tile nor what is below it matches. */
  readonly read: TileHashes = async (level, index) => {
    const known = this.#known(level, index);
    if (known !== undefined) return known;
    const name = `${level}/${index}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept;
    }
    const hashes = await this.check(level, index);
    this.#kept.set(name, hashes);
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return hashes;
  };

  /** The same for a full tile, read from the store whether or not it was checked before. */
  async check(level: number, index: number): Promise<readonly Hash[]> {
    const above = await this.read(level + 1, Math.floor(index / TILE_WIDTH));
    const expected = above[index % TILE_WIDTH];
    if (expected === undefined) throw badTile(level, index, 'a tile of the tree', 'none such');
    const stored = await this.#store.tile(level, index);
    if (stored?.length === TILE_WIDTH * HASH_BYTES) {
      const hashes = parseHashTile(stored, TILE_WIDTH);
      if (equalBytes(rootOf(this.#sha256, hashes), expected)) return hashes;
    }
    const derived = await this.#derive(level, index * TILE_WIDTH);
    if (derived.length === TILE_WIDTH && equalBytes(rootOf(this.#sha256, derived), expected)) {
      this.#onMended({ level, index, bytes: formatHashTile(derived) });
      return derived;
    }
    throw badTile(
      level,
      index,
      `the root ${hashHex(expected)}, which the tile above has`,
      stored === undefined
        ? 'no tile, and other entries below it'
        : 'another, also of what lies below',
    );
  }

  async #derive(level: number, start: number): Promise<readonly Hash[]> {
    const hashes: Hash[] = [];
    if (level === 0) {
      for await (const entry of this.#store.entries(start, start + TILE_WIDTH)) {
        hashes.push(leafHash(this.#sha256, entry));
      }
      return hashes;
    }
    for (let i = start; i < start + TILE_WIDTH; i += 1) {
      const below = await this.#store.tile(level - 1, i);
      const whole = below?.length === TILE_WIDTH * HASH_BYTES;
      const children = whole
        ? parseHashTile(below, TILE_WIDTH)
        : await this.#derive(level - 1, i * TILE_WIDTH);
      if (children.length !== TILE_WIDTH) break;
      hashes.push(rootOf(this.#sha256, children));
    }
    return hashes;
  }
}

/**
 * Entries `start` to `end - 1`, each checked against its leaf in the tree. Throws `ledger_corrupt` with the
 * number of the first one that is missing or differs.
 */
export async function* checkedEntries(
  sha256: Sha256,
  store: Pick<LedgerStore, 'entries'>,
  tiles: TileHashes,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let seq = start;
  let leaves: readonly Hash[] = [];
  let from = -1;
  for await (const bytes of store.entries(start, end)) {
    const index = Math.floor(seq / TILE_WIDTH);
    if (index !== from) {
      leaves = await leavesOf(tiles, index, seq);
      from = index;
    }
    const expected = leaves[seq % TILE_WIDTH];
    if (expected === undefined || !equalBytes(leafHash(sha256, bytes), expected)) {
      throw damagedEntry(seq, 'another, or bytes that changed');
    }
    yield bytes;
    seq += 1;
  }
  if (seq < end) throw damagedEntry(seq, 'none');
}

/** Entry `seq`, checked against its leaf in the tree. Throws `ledger_corrupt`. */
export async function checkedEntry(
  sha256: Sha256,
  store: Pick<LedgerStore, 'entry'>,
  tiles: TileHashes,
  seq: number,
): Promise<Uint8Array> {
  const leaves = await leavesOf(tiles, Math.floor(seq / TILE_WIDTH), seq);
  const bytes = await store.entry(seq);
  const expected = leaves[seq % TILE_WIDTH];
  if (bytes === undefined) throw damagedEntry(seq, 'none');
  if (expected !== undefined && equalBytes(leafHash(sha256, bytes), expected)) return bytes;
  throw damagedEntry(seq, 'another, or bytes that changed');
}

/**
 * The leaves of a tile. If they cannot be read because entries below are not those of the tree, `seq` is the
 * first one that was requested.
 */
async function leavesOf(tiles: TileHashes, index: number, seq: number): Promise<readonly Hash[]> {
  try {
    return await tiles(0, index);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault('ledger_corrupt', 'ledger', {
      at: `entry ${seq}`,
      expected: 'a leaf in a sound hash tile',
      found: cause.message,
      cause,
    });
  }
}

function badTile(level: number, index: number, expected: string, found: string): Fault {
  return new Fault('ledger_corrupt', 'hash tile', {
    at: `level ${level}, index ${index}`,
    expected,
    found,
  });
}
