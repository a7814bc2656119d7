import { type Hash, nodeHash, type Sha256 } from '../hash/hash.ts';
import { emptyRoot, foldRight, rangeNodes } from './tree.ts';
import { MAX_TILE_LEVEL, TILE_WIDTH } from './tile.ts';

/** A hash tile with all of its 256 hashes, which never changes again. */
export interface FullTile {
  readonly level: number;
  readonly index: number;
  readonly hashes: readonly Hash[];
}

/** Levels of the binary tree in one level of tiles: 256 = 2^8. */
const TILE_HEIGHT = 8;

/** What a tree keeps of its leaves: the arguments of `TileTree.restore`. */
export interface KeptTree {
  readonly size: number;
  readonly peaks: readonly Hash[];
  readonly partial: readonly (readonly Hash[])[];
}

/**
 * A growing Merkle tree that keeps its right edge and the tiles that are not full yet. Appending costs one leaf hash
 * and on average one node hash. Full tiles are returned once and not kept.
 */
export class TileTree {
  readonly #sha256: Sha256;
  readonly #peaks: Hash[] = [];
  readonly #partial: Hash[][] = Array.from({ length: MAX_TILE_LEVEL + 1 }, () => []);
  #size = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a leaf. Returns the tiles that it filled, lowest level first. */
  append(leaf: Hash): readonly FullTile[] {
    const filled: FullTile[] = [];
    let hash = leaf;
    let height = 0;
    this.#record(0, hash, filled);
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      hash = nodeHash(this.#sha256, this.#peaks.pop() as Hash, hash);
      height += 1;
      if (height % TILE_HEIGHT === 0) this.#record(height / TILE_HEIGHT, hash, filled);
    }
    this.#peaks.push(hash);
    this.#size += 1;
    return filled;
  }

  /** Another tree of the same leaves, which grows by itself. */
  copy(): TileTree {
    const tree = new TileTree(this.#sha256);
    tree.#size = this.#size;
    tree.#peaks.push(...this.#peaks);
    for (const [level, hashes] of this.#partial.entries()) tree.#partial[level] = [...hashes];
    return tree;
  }

  /** Its parts, from which `restore` makes the same tree. They are the tree's own: copy them before it grows. */
  get kept(): KeptTree {
    return { size: this.#size, peaks: this.#peaks, partial: this.#partial };
  }

  root(): Hash {
    return this.#size === 0 ? emptyRoot(this.#sha256) : foldRight(this.#sha256, this.#peaks);
  }

  /** The hashes of the tile at the right edge of `level`, which is not full and may be empty. */
  partial(level: number): readonly Hash[] {
    return this.#partial[level] ?? [];
  }

  #record(level: number, hash: Hash, filled: FullTile[]): void {
    const hashes = this.#partial[level];
    if (hashes === undefined) return;
    hashes.push(hash);
    if (hashes.length < TILE_WIDTH) return;
    const index = (this.#size + 1) / TILE_WIDTH ** (level + 1) - 1;
    filled.push({ level, index, hashes });
    this.#partial[level] = [];
  }

  /**
   * A tree of `size` leaves from its stored parts: the root hashes of its largest perfect subtrees
   * (as `rangeNodes` cuts them, left to right) and its partial tiles by level.
   */
  static restore(
    sha256: Sha256,
    size: number,
    peaks: readonly Hash[],
    partial: readonly (readonly Hash[])[],
  ): TileTree {
    if (peaks.length !== rangeNodes({ start: 0, end: size }).length) {
      throw new TypeError('TileTree.restore: another number of peaks');
    }
    const tree = new TileTree(sha256);
    tree.#size = size;
    tree.#peaks.push(...peaks);
    for (const [level, hashes] of partial.entries()) tree.#partial[level] = [...hashes];
    return tree;
  }
}
