import type { Checkpoint } from '@assay/core/log/checkpoint';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import {
  formatTilePath,
  hasTile,
  levelLength,
  MAX_TILE_LEVEL,
  parseHashTile,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import { rootOf } from '@assay/core/log/tree';
import { rangeHash, type TileHashes } from '../ledger/tree-reader.ts';

/** Fetches the bytes of a tile from a server. */
export type FetchTile = (tile: Tile) => Promise<Uint8Array>;

/** How many tiles of leaves are remembered: more than are requested at a time. */
const MAX_LEAF_TILES = 64;

/**
 * The hash tiles of one signed head, each checked before it is returned: those at the right edge make the
 * head's root, and every full one hashes to its entry in the level above. So everything that is taken from them
 * was signed by the head's signer. Those above the leaves are fetched once; of the leaves, which are nearly all
 * of a log's hashes, only the newest are remembered.
 */
export class HeadTiles {
  readonly #sha256: Sha256;
  readonly #fetch: FetchTile;
  readonly #size: number;
  readonly #checked = new Map<string, Promise<readonly Hash[]>>();
  /** The full tiles of leaves in it, the oldest first. */
  readonly #leaves: string[] = [];

  private constructor(sha256: Sha256, fetch: FetchTile, size: number) {
    this.#sha256 = sha256;
    this.#fetch = fetch;
    this.#size = size;
  }

  /** Fetches the edge. Throws `bad_proof` if it does not make the root, `bad_length` and `out_of_range`. */
  static async open(
    sha256: Sha256,
    fetch: FetchTile,
    { size, root }: Pick<Checkpoint, 'size' | 'root'>,
  ): Promise<HeadTiles> {
    if (levelLength(MAX_TILE_LEVEL, size) >= TILE_WIDTH) {
      throw new Fault('out_of_range', 'checkpoint size', {
        expected: 'below 2^48',
        found: `${size}`,
      });
    }
    const tiles = new HeadTiles(sha256, fetch, size);
    await tiles.#edge(root);
    return tiles;
  }

  /** The hashes of a tile in its width under the head. Throws `bad_proof`, `bad_length`, `out_of_range`. */
  readonly hashes: TileHashes = (level, index) => {
    const known = this.#checked.get(keyOf(level, index));
    if (known !== undefined) return known;
    if (!hasTile({ level, index, width: TILE_WIDTH }, this.#size)) {
      return Promise.reject(
        new Fault('out_of_range', 'hash tile', { found: `level ${level}, index ${index}` }),
      );
    }
    const made = this.#full(level, index);
    this.#checked.set(keyOf(level, index), made);
    if (level === 0) this.#keepLeaves(keyOf(level, index));
    // A server may give a better answer the next time.
    made.catch(() => this.#checked.delete(keyOf(level, index)));
    return made;
  };

  /** The root of the 256 leaves of a full tile of leaves, from the level above. */
  async leavesRoot(index: number): Promise<Hash> {
    const above = await this.hashes(1, Math.floor(index / TILE_WIDTH));
    return above[index % TILE_WIDTH] as Hash;
  }

  #keepLeaves(key: string): void {
    this.#leaves.push(key);
    if (this.#leaves.length > MAX_LEAF_TILES) this.#checked.delete(this.#leaves.shift() as string);
  }

  async #edge(root: Hash): Promise<void> {
    const edge = new Map<string, readonly Hash[]>();
    const fetched: Promise<void>[] = [];
    for (let level = 0; level <= MAX_TILE_LEVEL; level += 1) {
      const length = levelLength(level, this.#size);
      const width = length % TILE_WIDTH;
      if (width === 0) continue;
      const tile: Tile = { level, index: Math.floor(length / TILE_WIDTH), width };
      fetched.push(
        this.#parse(tile).then((hashes) => void edge.set(keyOf(level, tile.index), hashes)),
      );
    }
    await Promise.all(fetched);
    const found = await rangeHash(
      this.#sha256,
      async (level, index) => edge.get(keyOf(level, index)) ?? [],
      { start: 0, end: this.#size },
    );
    if (!equalBytes(found, root)) throw unproven(`size ${this.#size}`, root, found);
    for (const [key, hashes] of edge) this.#checked.set(key, Promise.resolve(hashes));
  }

  async #full(level: number, index: number): Promise<readonly Hash[]> {
    const tile: Tile = { level, index, width: TILE_WIDTH };
    const [hashes, above] = await Promise.all([
      this.#parse(tile),
      this.hashes(level + 1, Math.floor(index / TILE_WIDTH)),
    ]);
    const expected = above[index % TILE_WIDTH] as Hash;
    const found = rootOf(this.#sha256, hashes);
    if (!equalBytes(found, expected)) throw unproven(formatTilePath(tile), expected, found);
    return hashes;
  }

  async #parse(tile: Tile): Promise<readonly Hash[]> {
    return parseHashTile(await this.#fetch(tile), tile.width);
  }
}

function keyOf(level: number, index: number): string {
  return `${level}/${index}`;
}

/** The fault for a server's answer that is not what the head's signer signed. */
export function unproven(at: string, expected: Hash, found: Hash): Fault {
  return new Fault('bad_proof', 'log tiles', {
    at,
    expected: `hash ${hashHex(expected)}`,
    found: hashHex(found),
  });
}
