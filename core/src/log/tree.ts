import { equalBytes } from '../bytes/bytes.ts';
import { Fault } from '../fault.ts';
import { type Hash, nodeHash, type Sha256, toHash } from '../hash/hash.ts';

/**
 * The Merkle tree of RFC 6962, section 2.1, as the log keeps it: append, roots, and proofs.
 * Sizes and indexes are safe integers; a tree of size n covers leaves 0 to n-1.
 */

/** The leaves `start` to `end - 1`. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A perfect subtree: `index` counts subtrees of 2^level leaves from the left. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
}

/** `sha256("")`: the root of a tree without leaves. */
export function emptyRoot(sha256: Sha256): Hash {
  return toHash(sha256(new Uint8Array(0)));
}

/**
 * The right edge of a growing tree: the roots of its perfect subtrees, largest first, one for each set bit of `size`.
 * An append needs nothing else.
 */
export interface Frontier {
  size: number;
  readonly peaks: Hash[];
}

export function emptyFrontier(): Frontier {
  return { size: 0, peaks: [] };
}

export function copyFrontier(frontier: Frontier): Frontier {
  return { size: frontier.size, peaks: [...frontier.peaks] };
}

/** Adds one leaf hash to `frontier` in place. */
export function appendLeaf(sha256: Sha256, frontier: Frontier, leaf: Hash): void {
  let hash = leaf;
  for (let size = frontier.size; size % 2 === 1; size = (size - 1) / 2) {
    hash = nodeHash(sha256, frontier.peaks.pop() as Hash, hash);
  }
  frontier.peaks.push(hash);
  frontier.size += 1;
}

export function frontierRoot(sha256: Sha256, frontier: Frontier): Hash {
  return frontier.size === 0 ? emptyRoot(sha256) : foldRight(sha256, frontier.peaks);
}

/** The root over the hashes of adjacent subtrees, each larger than those to its right. */
export function foldRight(sha256: Sha256, hashes: readonly Hash[]): Hash {
  let root = hashes[hashes.length - 1];
  if (root === undefined) throw new TypeError('foldRight: no hashes');
  for (let i = hashes.length - 2; i >= 0; i -= 1) {
    root = nodeHash(sha256, hashes[i] as Hash, root);
  }
  return root;
}

/** The root of exactly these leaf hashes. */
export function rootOf(sha256: Sha256, leaves: Iterable<Hash>): Hash {
  const frontier = emptyFrontier();
  for (const leaf of leaves) appendLeaf(sha256, frontier, leaf);
  return frontierRoot(sha256, frontier);
}

/** The largest power of two below `n`, for n > 1. */
function splitPoint(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

function requireIndex(index: number, size: number): void {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new Fault('out_of_range', 'leaf index', {
      expected: `below the tree's size ${size}`,
      found: String(index),
    });
  }
}

/** The subtrees whose roots prove leaf `index` in a tree of `size` (RFC 6962, 2.1.1), leaf side first. */
export function inclusionRanges(index: number, size: number): readonly LeafRange[] {
  requireIndex(index, size);
  const path: LeafRange[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
    }
  }
  return path.reverse();
}

/** The subtrees whose roots prove that a tree of `newSize` extends one of `oldSize` (RFC 6962, 2.1.2). */
export function consistencyRanges(oldSize: number, newSize: number): readonly LeafRange[] {
  if (
    !Number.isSafeInteger(oldSize) ||
    !Number.isSafeInteger(newSize) ||
    oldSize < 0 ||
    oldSize > newSize
  ) {
    throw new Fault('out_of_range', 'old size', {
      expected: `0 to ${newSize}`,
      found: `${oldSize}`,
    });
  }
  if (oldSize === 0 || oldSize === newSize) return [];
  const path: LeafRange[] = [];
  let start = 0;
  let end = newSize;
  // Whether the current subtree still has the old tree's own root, which the verifier already has.
  let whole = true;
  while (oldSize !== end) {
    const middle = start + splitPoint(end - start);
    if (oldSize <= middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
      whole = false;
    }
  }
  if (!whole) path.push({ start, end });
  return path.reverse();
}

/** The perfect subtrees that make up `range`, left to right. `foldRight` over their hashes is its root. */
export function rangeNodes(range: LeafRange): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  let { start } = range;
  while (start < range.end) {
    let level = 0;
    let width = 1;
    while (start % (width * 2) === 0 && start + width * 2 <= range.end) {
      width *= 2;
      level += 1;
    }
    nodes.push({ level, index: start / width });
    start += width;
  }
  return nodes;
}

/**
 * Checks that `leaf` is number `index` of the tree with `root` (RFC 9162, 2.1.3.2).
 * Throws `bad_proof`, or `out_of_range` for an index that the tree does not have.
 */
export function verifyInclusion(
  sha256: Sha256,
  leaf: Hash,
  index: number,
  size: number,
  proof: readonly Hash[],
  root: Hash,
): void {
  requireIndex(index, size);
  let at = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) throw proofLength('shorter');
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sha256, sibling, hash);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = nodeHash(sha256, hash, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  if (last !== 0) throw proofLength('longer');
  if (!equalBytes(hash, root)) throw rootDiffers();
}

/**
 * Checks that the tree with `newRoot` holds the tree with `oldRoot` as its first `oldSize` leaves
 * (RFC 9162, 2.1.4.2). A tree of size 0 is a prefix of every tree, with an empty proof.
 * Throws `bad_proof` or `out_of_range`.
 */
export function verifyConsistency(
  sha256: Sha256,
  oldSize: number,
  newSize: number,
  proof: readonly Hash[],
  oldRoot: Hash,
  newRoot: Hash,
): void {
  const expected = consistencyRanges(oldSize, newSize).length;
  if (proof.length !== expected) {
    throw proofLength(proof.length > expected ? 'shorter' : 'longer');
  }
  if (oldSize === 0 && !equalBytes(oldRoot, emptyRoot(sha256))) throw rootDiffers();
  if (oldSize === newSize && !equalBytes(oldRoot, newRoot)) throw rootDiffers();
  if (oldSize === 0 || oldSize === newSize) return;
  let at = oldSize - 1;
  let last = newSize - 1;
  while (at % 2 === 1) {
    at = (at - 1) / 2;
    last = Math.floor(last / 2);
  }
  let next = 0;
  let oldHash = oldRoot;
  let newHash = oldRoot;
  if (at !== 0) {
    oldHash = proof[0] as Hash;
    newHash = oldHash;
    next = 1;
  }
  for (; next < proof.length; next += 1) {
    const sibling = proof[next] as Hash;
    if (at % 2 === 1 || at === last) {
      oldHash = nodeHash(sha256, sibling, oldHash);
      newHash = nodeHash(sha256, sibling, newHash);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      newHash = nodeHash(sha256, newHash, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  if (!equalBytes(oldHash, oldRoot) || !equalBytes(newHash, newRoot)) throw rootDiffers();
}

function proofLength(expected: 'shorter' | 'longer'): Fault {
  return new Fault('bad_proof', 'Merkle proof', { expected: `a ${expected} proof` });
}

function rootDiffers(): Fault {
  return new Fault('bad_proof', 'Merkle proof', { expected: 'the root', found: 'another' });
}
