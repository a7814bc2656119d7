import { Fault } from '../fault.ts';
import { type Hash, nodeHash, type Sha256 } from '../hash/hash.ts';
import { consistencyRanges, type LeafRange } from './tree.ts';

/**
 * The ranges whose roots show the hash of the first `oldSize` leaves of a signed tree, whatever else was signed for
 * them.
 *
 * They are those of the consistency proof of RFC 6962, 2.1.2, `SUBPROOF(oldSize, D[newSize], false)`: the root of the
 * smallest subtree that ends the prefix always comes first. A consistency proof leaves it out where the old size is a
 * power of two, because its reader already believes the old root; here nobody does.
 */
export function prefixRanges(oldSize: number, newSize: number): readonly LeafRange[] {
  const ranges = consistencyRanges(oldSize, newSize);
  if (oldSize === 0 || oldSize === newSize) {
    throw new Fault('out_of_range', 'old size', {
      expected: `1 to ${newSize - 1}`,
      found: String(oldSize),
    });
  }
  return isPowerOfTwo(oldSize) ? [{ start: 0, end: oldSize }, ...ranges] : ranges;
}

/** The roots that a proof of this shape leads to. Where the new root is right, the old one is right too. */
export interface PrefixRoots {
  readonly old: Hash;
  readonly new: Hash;
}

/** Throws `bad_proof` for another number of hashes, `out_of_range` unless 0 < `oldSize` < `newSize`. */
export function prefixRoots(
  sha256: Sha256,
  oldSize: number,
  newSize: number,
  proof: readonly Hash[],
): PrefixRoots {
  const { length } = prefixRanges(oldSize, newSize);
  const [first, ...rest] = proof;
  if (first === undefined || proof.length !== length) {
    throw new Fault('bad_proof', 'prefix proof', {
      expected: `${length} hashes`,
      found: String(proof.length),
    });
  }
  let at = oldSize - 1;
  let last = newSize - 1;
  while (at % 2 === 1) {
    at = (at - 1) / 2;
    last = Math.floor(last / 2);
  }
  let old = first;
  let grown = first;
  for (const sibling of rest) {
    if (at % 2 === 1 || at === last) {
      old = nodeHash(sha256, sibling, old);
      grown = nodeHash(sha256, sibling, grown);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      grown = nodeHash(sha256, grown, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return { old, new: grown };
}

function isPowerOfTwo(size: number): boolean {
  let left = size;
  while (left % 2 === 0) left /= 2;
  return left === 1;
}
