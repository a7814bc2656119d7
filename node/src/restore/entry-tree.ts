import { Fault } from '@assay/core/fault';
import { type Hash, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { levelLength, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import type { LedgerStore } from '../ledger/store/store.ts';
import type { TileHashes } from '../ledger/tree-reader.ts';

/**
 * The tree over entries in a store, with every tile of it. The hashes of leaves, which are nearly all of them,
 * are not held: a tile of them is hashed from its 256 entries when it is requested. So a log of a million
 * entries takes a megabyte.
 */
export class EntryTree {
  readonly #sha256: Sha256;
  readonly #store: Pick<LedgerStore, 'entries'>;
  readonly #tree: TileTree;
  /** Full tiles above the leaves. */
  readonly #upper = new Map<string, readonly Hash[]>();

  constructor(sha256: Sha256, store: Pick<LedgerStore, 'entries'>) {
    this.#sha256 = sha256;
    this.#store = store;
    this.#tree = new TileTree(sha256);
  }

  get size(): number {
    return this.#tree.size;
  }

  root(): Hash {
    return this.#tree.root();
  }

  /** Adds the leaf of an entry that the store has, or will have before its tile is requested. */
  append(leaf: Hash): void {
    for (const { level, index, hashes } of this.#tree.append(leaf)) {
      if (level > 0) this.#upper.set(`${level}/${index}`, hashes);
    }
  }

  /** Throws `not_found` for a tile that the tree does not have. */
  readonly hashes: TileHashes = async (level, index) => {
    const edge = Math.floor(levelLength(level, this.size) / TILE_WIDTH);
    if (index === edge) return this.#tree.partial(level);
    if (level === 0 && index < edge) return this.#leaves(index);
    const found = this.#upper.get(`${level}/${index}`);
    if (found !== undefined) return found;
    throw new Fault('not_found', 'hash tile', { at: `level ${level}, index ${index}` });
  };

  async #leaves(index: number): Promise<readonly Hash[]> {
    const leaves: Hash[] = [];
    const start = index * TILE_WIDTH;
    for await (const entry of this.#store.entries(start, start + TILE_WIDTH)) {
      leaves.push(leafHash(this.#sha256, entry));
    }
    return leaves;
  }
}
