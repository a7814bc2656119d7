import { concatBytes } from '@assay/core/bytes/bytes';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Operation } from '@assay/core/ots/operation';

/** A binary tree of hashes, with the OpenTimestamps steps from each leaf to its root. */
export interface PairTree {
  readonly root: Uint8Array;
  readonly pathOf: (index: number) => readonly Operation[];
}

export interface PairRule {
  /** How many times a pair is hashed with SHA-256: once, or twice as in a block. */
  readonly rounds: 1 | 2;
  /** Whether a node without a neighbour goes up as it is, or is paired with itself as in a block. */
  readonly odd: 'up' | 'twice';
}

/** The tree over one leaf or more. */
export function pairTree(
  sha256: Sha256,
  leaves: readonly Uint8Array[],
  { rounds, odd }: PairRule,
): PairTree {
  if (leaves.length === 0) throw new TypeError('pairTree: no leaf');
  const levels: (readonly Uint8Array[])[] = [leaves];
  for (let level = leaves; level.length > 1;) {
    const next: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as Uint8Array;
      const right = level[i + 1];
      if (right === undefined && odd === 'up') {
        next.push(left);
        continue;
      }
      let node = concatBytes(left, right ?? left);
      for (let round = 0; round < rounds; round += 1) node = sha256(node);
      next.push(node);
    }
    levels.push(next);
    level = next;
  }
  const hashing: readonly Operation[] = Array.from({ length: rounds }, () => ({ op: 'sha256' }));
  return {
    root: levels.at(-1)?.[0] as Uint8Array,
    pathOf(index) {
      if (leaves[index] === undefined) throw new TypeError('pairTree: no such leaf');
      const path: Operation[] = [];
      let at = index;
      for (const level of levels.slice(0, -1)) {
        const other = level[at ^ 1] ?? (odd === 'twice' ? level[at] : undefined);
        if (other !== undefined) {
          path.push({ op: at % 2 === 0 ? 'append' : 'prepend', argument: other }, ...hashing);
        }
        at >>= 1;
      }
      return path;
    },
  };
}
