import { type Hash, nodeHash, type Sha256 } from '../hash/hash.ts';
import { type IndexLeaf, indexLeafHash, type IndexList } from './leaf.ts';
import { emptyRoot, foldRight, type LeafRange, rangeNodes } from '../log/tree.ts';

/** A leaf with its hash, so that it is hashed only once. */
interface Held {
  readonly leaf: IndexLeaf;
  readonly hash: Hash;
}

/**
 * The RFC 6962 tree over a sorted list of leaves that grows. An addition costs one hash for each leaf, and one for each
 * node from the first new leaf to the tree's right edge, which is little where leaves come nearly in their order. Two
 * equal leaves are two leaves.
 */
export class SortedTree {
  readonly #sha256: Sha256;
  readonly #list: IndexList;
  readonly #held: Held[] = [];
  /** By level, from 1: the hashes of the perfect subtrees of 2^level leaves. */
  readonly #nodes: Hash[][] = [];

  constructor(sha256: Sha256, list: IndexList) {
    this.#sha256 = sha256;
    this.#list = list;
  }

  get size(): number {
    return this.#held.length;
  }

  leaf(index: number): IndexLeaf | undefined {
    return this.#held[index]?.leaf;
  }

  /** All leaves in their order. */
  get leaves(): readonly IndexLeaf[] {
    return this.#held.map(({ leaf }) => leaf);
  }

  /** How many leaves sort before `text`: the index of the first that does not. */
  lowerBound(text: string): number {
    let low = 0;
    let high = this.#held.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#held[middle] as Held).leaf < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(leaves: Iterable<IndexLeaf>): void {
    const added = [...leaves].sort().map((leaf): Held => {
      return { leaf, hash: indexLeafHash(this.#sha256, this.#list, leaf) };
    });
    const [first] = added;
    if (first === undefined) return;
    const from = this.lowerBound(first.leaf);
    let next = 0;
    for (const old of this.#held.splice(from)) {
      for (; next < added.length && (added[next] as Held).leaf < old.leaf; next += 1) {
        this.#held.push(added[next] as Held);
      }
      this.#held.push(old);
    }
    for (; next < added.length; next += 1) this.#held.push(added[next] as Held);
    this.#hashFrom(from);
  }

  root(): Hash {
    return this.rangeRoot({ start: 0, end: this.size });
  }

  /** The root of a subtree, as proofs contain it. */
  rangeRoot(range: LeafRange): Hash {
    if (range.end === range.start) return emptyRoot(this.#sha256);
    const hashes = rangeNodes(range).map(({ level, index }) =>
      level === 0 ? (this.#held[index] as Held).hash : (this.#nodes[level - 1]?.[index] as Hash),
    );
    return foldRight(this.#sha256, hashes);
  }

  /** Computes again all nodes above leaf `from` or a later one. */
  #hashFrom(from: number): void {
    let below: readonly Hash[] | undefined;
    let first = from;
    for (let level = 1; 2 ** level <= this.size; level += 1) {
      first = Math.floor(first / 2);
      const nodes = (this.#nodes[level - 1] ??= []);
      nodes.length = Math.min(nodes.length, first);
      const at = (i: number): Hash =>
        below === undefined ? (this.#held[i] as Held).hash : (below[i] as Hash);
      const count = Math.floor(this.size / 2 ** level);
      for (let i = nodes.length; i < count; i += 1) {
        nodes.push(nodeHash(this.#sha256, at(2 * i), at(2 * i + 1)));
      }
      below = nodes;
    }
  }
}
