import { Fault } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { prefixRanges } from '@assay/core/log/prefix-proof';
import { levelLength, parseHashTile, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import {
  consistencyRanges,
  emptyRoot,
  foldRight,
  inclusionRanges,
  type LeafRange,
  rangeNodes,
  rootOf,
  type TreeNode,
} from '@assay/core/log/tree';

/**
 * Returns the bytes of a hash tile of a log, as C2SP tlog-tiles serves it under `formatTilePath`. An error that it
 * throws is passed on. Tiles are asked for with the width that they have at the size of the proof.
 *
 * Whoever serves tiles can serve wrong ones. What is made of them is worth nothing until it has been checked against a
 * signed root.
 */
export type ReadTile = (tile: Tile) => Promise<Uint8Array>;

/** Levels of the tree in one level of tiles: 256 = 2^8. */
const TILE_HEIGHT = 8;

/**
 * The proof that leaf `index` is in the tree of `size` (RFC 6962, 2.1.1), leaf side first. Throws `out_of_range`, or
 * `bad_length` for a tile of another width.
 */
export async function inclusionProof(
  tiles: ReadTile,
  sha256: Sha256,
  index: number,
  size: number,
): Promise<Hash[]> {
  return rangeHashes(tiles, sha256, inclusionRanges(index, size), size);
}

/**
 * The proof that the tree of `newSize` extends that of `oldSize` (RFC 6962, 2.1.2), from the tiles of the
 * larger. Throws `out_of_range`, or `bad_length` for a tile of another width.
 */
export async function consistencyProof(
  tiles: ReadTile,
  sha256: Sha256,
  oldSize: number,
  newSize: number,
): Promise<Hash[]> {
  return rangeHashes(tiles, sha256, consistencyRanges(oldSize, newSize), newSize);
}

/**
 * The hash of the first `oldSize` leaves in the tree of `newSize`, with its proof, from which `prefixRoots` makes both
 * roots. Fork evidence shows it. Throws `out_of_range` unless 0 < `oldSize` < `newSize`.
 */
export async function prefixProof(
  tiles: ReadTile,
  sha256: Sha256,
  oldSize: number,
  newSize: number,
): Promise<Hash[]> {
  return rangeHashes(tiles, sha256, prefixRanges(oldSize, newSize), newSize);
}

/** The root of the first `oldSize` leaves of the tree of `newSize`, from its tiles. */
export async function prefixRoot(
  tiles: ReadTile,
  sha256: Sha256,
  oldSize: number,
  newSize: number,
): Promise<Hash> {
  if (oldSize > newSize) {
    throw new Fault('out_of_range', 'old size', {
      expected: `at most ${newSize}`,
      found: String(oldSize),
    });
  }
  if (oldSize === 0) return emptyRoot(sha256);
  const [root] = await rangeHashes(tiles, sha256, [{ start: 0, end: oldSize }], newSize);
  return root as Hash;
}

/** The roots of these ranges of leaves. Each tile is asked for once. */
async function rangeHashes(
  tiles: ReadTile,
  sha256: Sha256,
  ranges: readonly LeafRange[],
  size: number,
): Promise<Hash[]> {
  const read = new Map<string, readonly Hash[]>();
  const hashes: Hash[] = [];
  for (const range of ranges) {
    const parts: Hash[] = [];
    for (const node of rangeNodes(range)) {
      const tile = tileOf(node, size);
      const key = `${tile.level}/${tile.index}`;
      const held = read.get(key) ?? parseHashTile(await tiles(tile), tile.width);
      read.set(key, held);
      parts.push(nodeIn(sha256, node, held));
    }
    hashes.push(foldRight(sha256, parts));
  }
  return hashes;
}

/** The tile that holds a node of the tree of `size`, or that holds the nodes below it. */
function tileOf(node: TreeNode, size: number): Tile {
  const level = Math.floor(node.level / TILE_HEIGHT);
  const first = node.index * 2 ** (node.level % TILE_HEIGHT);
  const index = Math.floor(first / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, levelLength(level, size) - index * TILE_WIDTH);
  return { level, index, width };
}

function nodeIn(sha256: Sha256, node: TreeNode, hashes: readonly Hash[]): Hash {
  const width = 2 ** (node.level % TILE_HEIGHT);
  const start = (node.index * width) % TILE_WIDTH;
  return rootOf(sha256, hashes.slice(start, start + width));
}
