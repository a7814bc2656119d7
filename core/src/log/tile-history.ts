import { type Hash, type Sha256, toHash } from '../hash/hash.ts';
import { formatHashTile, levelLength, MAX_TILE_LEVEL, TILE_WIDTH } from './tile.ts';
import type { FullTile, TileTree } from './tile-tree.ts';
import { foldRight, rangeNodes, rootOf, type TreeNode } from './tree.ts';

/** Levels of the binary tree in one level of tiles: 256 = 2^8. */
const TILE_HEIGHT = 8;

/**
 * The root of a growing tree at any of its recent sizes. It keeps the tiles that were filled since, 8 kB for each 256
 * leaves, and drops those that no recent size needs at its edge.
 */
export class TileHistory {
  readonly #sha256: Sha256;
  readonly #tree: TileTree;
  readonly #depth: number;
  /** Full tiles by level, then by index. */
  readonly #full: Map<number, Uint8Array>[] = Array.from(
    { length: MAX_TILE_LEVEL + 1 },
    () => new Map(),
  );

  /** `depth` is how many leaves back a size may lie. */
  constructor(sha256: Sha256, tree: TileTree, depth: number) {
    this.#sha256 = sha256;
    this.#tree = tree;
    this.#depth = depth;
  }

  /** Adds the tiles that the tree has just filled, each of them once. */
  keep(filled: readonly FullTile[]): void {
    for (const { level, index, hashes } of filled) {
      const tiles = this.#full[level];
      if (tiles === undefined) continue;
      tiles.set(index, formatHashTile(hashes));
      tiles.delete(index - Math.ceil(this.#depth / TILE_WIDTH ** (level + 1)) - 1);
    }
  }

  /** The full tiles that it has, by level and index, which `resume` takes over. */
  get kept(): readonly ReadonlyMap<number, Uint8Array>[] {
    return this.#full;
  }

  /** Goes on with the tiles of another history of the same tree. */
  resume(full: readonly ReadonlyMap<number, Uint8Array>[]): void {
    for (const [level, tiles] of full.entries()) {
      for (const [index, bytes] of tiles) this.#full[level]?.set(index, bytes);
    }
  }

  /** The bytes of a full tile that is still kept. The caller must not write to them. */
  tile(level: number, index: number): Uint8Array | undefined {
    return this.#full[level]?.get(index);
  }

  /** The root of the first `size` leaves; `undefined` for a size that lies too far back or ahead. */
  root(size: number): Hash | undefined {
    const { size: now } = this.#tree;
    if (!Number.isSafeInteger(size) || size < 1 || size > now || size < now - this.#depth) {
      return undefined;
    }
    if (size === now) return this.#tree.root();
    const peaks: Hash[] = [];
    for (const node of rangeNodes({ start: 0, end: size })) {
      const hash = this.#node(node, size);
      if (hash === undefined) return undefined;
      peaks.push(hash);
    }
    return foldRight(this.#sha256, peaks);
  }

  /** The root of a subtree whose hashes are in the tile at the edge of a tree of `size`. */
  #node(node: TreeNode, size: number): Hash | undefined {
    const level = Math.floor(node.level / TILE_HEIGHT);
    const span = 2 ** (node.level % TILE_HEIGHT);
    const first = (node.index * span) % TILE_WIDTH;
    const index = Math.floor(levelLength(level, size) / TILE_WIDTH);
    const isEdge = index === Math.floor(levelLength(level, this.#tree.size) / TILE_WIDTH);
    const hashes: Hash[] = [];
    const tile = isEdge ? undefined : this.#full[level]?.get(index);
    const partial = this.#tree.partial(level);
    for (let i = first; i < first + span; i += 1) {
      const hash = isEdge ? partial[i] : tile?.subarray(32 * i, 32 * i + 32);
      if (hash === undefined) return undefined;
      hashes.push(toHash(hash));
    }
    return rootOf(this.#sha256, hashes);
  }
}
