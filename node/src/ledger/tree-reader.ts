import { Fault } from '@assay/core/fault';
import { type Hash, leafHash, type Sha256, toHash } from '@assay/core/hash/hash';
import { levelLength, MAX_TILE_LEVEL, parseHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import {
  emptyRoot,
  foldRight,
  type LeafRange,
  rangeNodes,
  rootOf,
  type TreeNode,
} from '@assay/core/log/tree';
import type { LedgerStore } from './store/store.ts';

const TILE_HEIGHT = 8;
const HASH_BYTES = 32;

/** The hashes of one tile as far as they are known. Throws if the tile is missing. */
export type TileHashes = (level: number, index: number) => Promise<readonly Hash[]>;

/** The hash of a perfect subtree, from the tile that contains it or what is below it. */
export async function subtreeHash(
  sha256: Sha256,
  tiles: TileHashes,
  node: TreeNode,
): Promise<Hash> {
  const tileLevel = Math.floor(node.level / TILE_HEIGHT);
  const width = 2 ** (node.level % TILE_HEIGHT);
  const first = node.index * width;
  const hashes = await tiles(tileLevel, Math.floor(first / TILE_WIDTH));
  const start = first % TILE_WIDTH;
  const under = hashes.slice(start, start + width);
  if (under.length !== width) {
    throw new Fault('ledger_corrupt', 'hash tile', {
      at: `level ${tileLevel}, index ${Math.floor(first / TILE_WIDTH)}`,
      expected: `${start + width} hashes`,
      found: `${hashes.length}`,
    });
  }
  return rootOf(sha256, under);
}

/** The root over any range of leaves that a proof or a tree's edge needs. */
export async function rangeHash(
  sha256: Sha256,
  tiles: TileHashes,
  range: LeafRange,
): Promise<Hash> {
  const nodes = rangeNodes(range);
  if (nodes.length === 0) return emptyRoot(sha256);
  const hashes: Hash[] = [];
  for (const node of nodes) hashes.push(await subtreeHash(sha256, tiles, node));
  return foldRight(sha256, hashes);
}

/**
 * The tiles of a store with `size` entries: full ones as stored, the edge from what is below it. The edge is
 * derived once, which may take 65,280 hashes per level.
 */
export function storedTiles(sha256: Sha256, store: LedgerStore, size: number): TileHashes {
  const edge = new Map<number, readonly Hash[]>();
  const read: TileHashes = async (level, index) => {
    const stored = await store.tile(level, index);
    if (stored?.length === TILE_WIDTH * HASH_BYTES) return parseHashTile(stored, TILE_WIDTH);
    const width = levelLength(level, size) - index * TILE_WIDTH;
    if (stored !== undefined || width <= 0 || width >= TILE_WIDTH) {
      throw new Fault('ledger_corrupt', 'hash tile', {
        at: `level ${level}, index ${index}`,
        expected: `a stored tile of ${TILE_WIDTH} hashes`,
        found: stored === undefined ? 'none' : `${stored.length} bytes`,
      });
    }
    const known = edge.get(level);
    if (known !== undefined) return known;
    const hashes: Hash[] = [];
    const start = index * TILE_WIDTH;
    if (level === 0) {
      for await (const entry of store.entries(start, start + width)) {
        hashes.push(leafHash(sha256, entry));
      }
    } else {
      for (let i = 0; i < width; i += 1) {
        hashes.push(rootOf(sha256, await read(level - 1, start + i)));
      }
    }
    const derived = hashes.map((hash) => toHash(hash));
    edge.set(level, derived);
    return derived;
  };
  return read;
}

/** The tree of the first `size` entries of a store, from its tiles and the entries at the edge. */
export async function loadTree(
  sha256: Sha256,
  store: LedgerStore,
  size: number,
): Promise<TileTree> {
  const tiles = storedTiles(sha256, store, size);
  const partial: (readonly Hash[])[] = [];
  for (let level = 0; level <= MAX_TILE_LEVEL; level += 1) {
    const length = levelLength(level, size);
    const index = Math.floor(length / TILE_WIDTH);
    partial.push(length % TILE_WIDTH === 0 ? [] : await tiles(level, index));
  }
  const edge: TileHashes = async (level, index) =>
    index === Math.floor(levelLength(level, size) / TILE_WIDTH)
      ? (partial[level] ?? [])
      : tiles(level, index);
  const peaks: Hash[] = [];
  for (const node of rangeNodes({ start: 0, end: size })) {
    peaks.push(await subtreeHash(sha256, edge, node));
  }
  return TileTree.restore(sha256, size, peaks, partial);
}
