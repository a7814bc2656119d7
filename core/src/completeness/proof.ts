import { Fault } from '../fault.ts';
import { equalBytes } from '../bytes/bytes.ts';
import { type HashHex, hashHex, type Sha256, toHash } from '../hash/hash.ts';
import { isHex, parseHex } from '../bytes/hex.ts';
import { INDEX_LEAF_BYTES, type IndexLeaf, indexLeafHash, type IndexList } from './leaf.ts';
import type { IndexRoot } from '../kind/index-entry.ts';
import type { SortedTree } from './sorted-tree.ts';
import { emptyRoot, inclusionRanges, verifyInclusion } from '../log/tree.ts';

/**
 * All leaves of a sorted list that begin with a prefix. They are adjacent, and shown with the leaf before and the leaf
 * after them, so that none can be left out. At an end of the list there is no such neighbour, and an empty list shows
 * no leaf at all.
 */
export interface IndexProof {
  /** Place in the list of the first leaf shown. */
  readonly first: number;
  readonly leaves: readonly ShownLeaf[];
}

export interface ShownLeaf {
  /** Hex, without its tag. */
  readonly leaf: string;
  /** RFC 6962 inclusion proof in the list's tree, leaf side first. */
  readonly proof: readonly HashHex[];
}

/** Proves which leaves begin with `prefix` (lower-case hex), or that there is none. */
export function proveIndex(tree: SortedTree, prefix: string): IndexProof {
  const start = tree.lowerBound(prefix);
  const first = Math.max(0, start - 1);
  let end = start;
  while (tree.leaf(end)?.startsWith(prefix) === true) end += 1;
  const leaves: ShownLeaf[] = [];
  for (let index = first; index <= end; index += 1) {
    const leaf = tree.leaf(index);
    if (leaf === undefined) break;
    const proof = inclusionRanges(index, tree.size).map((range) => hashHex(tree.rangeRoot(range)));
    leaves.push({ leaf, proof });
  }
  return { first, leaves };
}

/**
 * The leaves of a list that begin with `prefix`, in their order; empty if the proof is of absence. The proof
 * does not show that the list is sorted and complete: that depends on whoever made its root. Throws
 * `bad_proof`.
 */
export function checkIndexProof(
  sha256: Sha256,
  list: IndexList,
  { count, root }: IndexRoot,
  prefix: string,
  { first, leaves }: IndexProof,
): readonly IndexLeaf[] {
  const top = toHash(parseHex(root, 32));
  if (count === 0) {
    if (first !== 0 || leaves.length > 0) throw wrong('no leaf of an empty list');
    if (!equalBytes(top, emptyRoot(sha256))) throw wrong('the root of no leaves');
    return [];
  }
  const found: IndexLeaf[] = [];
  let below = 0;
  let above = 0;
  let last = '';
  for (const [i, shown] of leaves.entries()) {
    const { leaf } = shown;
    if (!isHex(leaf, INDEX_LEAF_BYTES[list])) throw wrong(`leaves of ${list}`);
    if (leaf < last) throw wrong('leaves in their order');
    last = leaf;
    const index = first + i;
    if (!Number.isSafeInteger(index) || index < 0 || index >= count) throw wrong('known places');
    verifyInclusion(
      sha256,
      indexLeafHash(sha256, list, leaf as IndexLeaf),
      index,
      count,
      shown.proof.map((hash) => toHash(parseHex(hash, 32))),
      top,
    );
    if (leaf.startsWith(prefix)) found.push(leaf as IndexLeaf);
    else if (leaf < prefix) below += 1;
    else above += 1;
  }
  if (below > 1 || above > 1) throw wrong('one neighbour on each side');
  if (below === 0 && first !== 0) throw wrong('the leaf before, or the first of the list');
  if (above === 0 && first + leaves.length !== count) {
    throw wrong('the leaf after, or the last of the list');
  }
  return found;
}

function wrong(expected: string): Fault {
  return new Fault('bad_proof', 'index proof', { expected });
}
