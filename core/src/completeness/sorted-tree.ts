import { requireLength } from '../bytes/bytes.ts';
import { formatHex, parseHex } from '../bytes/hex.ts';
import { PackedList } from '../bytes/packed-list.ts';
import { type Hash, nodeHash, type Sha256 } from '../hash/hash.ts';
import { INDEX_LEAF_BYTES, type IndexLeaf, indexLeafHash, type IndexList } from './leaf.ts';
import { emptyRoot, foldRight, type LeafRange, rangeNodes } from '../log/tree.ts';

const HASH_BYTES = 32;

/**
 * The RFC 6962 tree over a sorted list of leaves that grows. An addition costs one hash for each leaf, and one for each
 * node from the first new leaf to the tree's right edge, which is little where leaves come nearly in their order. Two
 * equal leaves are two leaves.
 */
export class SortedTree {
  readonly #sha256: Sha256;
  readonly #list: IndexList;
  readonly #leaves: PackedList;
  /** By level, from 0: the hashes of the perfect subtrees of 2^level leaves. */
  readonly #levels: PackedList[] = [new PackedList(HASH_BYTES)];

  constructor(sha256: Sha256, list: IndexList) {
    this.#sha256 = sha256;
    this.#list = list;
    this.#leaves = new PackedList(INDEX_LEAF_BYTES[list]);
  }

  get size(): number {
    return this.#leaves.length;
  }

  leaf(index: number): IndexLeaf | undefined {
    return index < this.size ? this.#leafAt(index) : undefined;
  }

  /** The bytes of all leaves in their order. */
  get bytes(): Uint8Array {
    return this.#leaves.bytes;
  }

  /** Adds leaves as `bytes` has them. Throws `bad_length` for what are not whole leaves. */
  addBytes(bytes: Uint8Array): void {
    const { width } = this.#leaves;
    const count = Math.ceil(bytes.length / width);
    requireLength(bytes, count * width, `leaves of ${this.#list}`);
    const leaves: IndexLeaf[] = [];
    for (let at = 0; at < bytes.length; at += width) {
      leaves.push(formatHex(bytes.subarray(at, at + width)) as IndexLeaf);
    }
    this.add(leaves);
  }

  #leafAt(index: number): IndexLeaf {
    return formatHex(this.#leaves.get(index)) as IndexLeaf;
  }

  /** How many leaves sort before `text`: the index of the first that does not. */
  lowerBound(text: string): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#leafAt(middle) < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(leaves: Iterable<IndexLeaf>): void {
    const added = [...leaves].sort();
    const [first] = added;
    if (first === undefined) return;
    const from = this.lowerBound(first);
    let old = this.size - 1;
    const hashes = this.#levels[0] as PackedList;
    const size = this.size + added.length;
    this.#leaves.length = size;
    hashes.length = size;
    // From the end on, so that each leaf moves once.
    for (let next = added.length - 1, to = size - 1; next >= 0; to -= 1) {
      const leaf = added[next] as IndexLeaf;
      if (old >= from && this.#leafAt(old) > leaf) {
        this.#leaves.move(old, to);
        hashes.move(old, to);
        old -= 1;
        continue;
      }
      this.#leaves.set(to, parseHex(leaf, this.#leaves.width));
      hashes.set(to, indexLeafHash(this.#sha256, this.#list, leaf));
      next -= 1;
    }
    this.#hashFrom(from);
  }

  root(): Hash {
    return this.rangeRoot({ start: 0, end: this.size });
  }

  /** The root of a subtree, as proofs contain it. */
  rangeRoot(range: LeafRange): Hash {
    if (range.end === range.start) return emptyRoot(this.#sha256);
    const hashes = rangeNodes(range).map(
      ({ level, index }) => (this.#levels[level] as PackedList).get(index) as Hash,
    );
    return foldRight(this.#sha256, hashes);
  }

  /** Computes again all nodes above leaf `from` or a later one. */
  #hashFrom(from: number): void {
    let first = from;
    for (let level = 1; 2 ** level <= this.size; level += 1) {
      first = Math.floor(first / 2);
      const nodes = (this.#levels[level] ??= new PackedList(HASH_BYTES));
      const below = this.#levels[level - 1] as PackedList;
      const count = Math.floor(this.size / 2 ** level);
      nodes.length = count;
      for (let i = Math.min(first, count); i < count; i += 1) {
        const [left, right] = [below.get(2 * i), below.get(2 * i + 1)];
        nodes.set(i, nodeHash(this.#sha256, left as Hash, right as Hash));
      }
    }
  }
}
