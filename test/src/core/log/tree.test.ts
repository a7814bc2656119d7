import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { faultCode } from '@assay/core/fault';
import { type Hash, hashHex, leafHash, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import {
  appendLeaf,
  consistencyRanges,
  copyFrontier,
  emptyFrontier,
  emptyRoot,
  foldRight,
  frontierRoot,
  inclusionRanges,
  type LeafRange,
  rangeNodes,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '@assay/core/log/tree';
import fc from 'fast-check';
import { fromBase64, sharedPath, sha256, vectors } from '../fixture/fixture.ts';

const LEAVES: readonly Hash[] = Array.from({ length: 70 }, (_, i) =>
  leafHash(sha256, Uint8Array.of(i)),
);

/** RFC 6962, 2.1, word for word. */
function mth(leaves: readonly Hash[]): Hash {
  if (leaves.length === 0) return toHash(sha256(new Uint8Array(0)));
  if (leaves.length === 1) return leaves[0] as Hash;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return toHash(
    sha256(concatBytes(Uint8Array.of(1), mth(leaves.slice(0, k)), mth(leaves.slice(k)))),
  );
}

/** The hashes of a proof's subtrees, built as the log builds them: from perfect subtrees. */
function hashesOf(ranges: readonly LeafRange[], leaves: readonly Hash[]): Hash[] {
  return ranges.map((range) =>
    foldRight(
      sha256,
      rangeNodes(range).map(({ level, index }) =>
        mth(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
      ),
    ),
  );
}

function base64Hash(text: string): Hash {
  return toHash(fromBase64(text));
}

function holds(verify: () => void): boolean {
  try {
    verify();
    return true;
  } catch (error) {
    assert.match(faultCode(error) ?? String(error), /^(bad_proof|out_of_range|bad_length)$/);
    return false;
  }
}

function flipped(hash: Hash, bit: number): Hash {
  const out = Uint8Array.from(hash);
  out[bit >> 3] = (out[bit >> 3] as number) ^ (1 << (bit & 7));
  return toHash(out);
}

test('tree: the leaves, roots and proofs that RFC 6962 logs share', () => {
  interface Known {
    leaves: string[];
    leaf_hashes: string[];
    roots: string[];
    inclusion: { index: number; size: number; proof: string[] }[];
    consistency: { old_size: number; new_size: number; proof: string[] }[];
  }
  const known = vectors<Known>('tree/rfc6962');
  const leaves = known.leaves.map((hex) => leafHash(sha256, parseHex(hex)));
  assert.deepEqual(leaves.map(hashHex), known.leaf_hashes);
  for (const [size, root] of known.roots.entries()) {
    assert.equal(hashHex(rootOf(sha256, leaves.slice(0, size))), root);
  }
  for (const { index, size, proof } of known.inclusion) {
    assert.deepEqual(
      hashesOf(inclusionRanges(index, size), leaves).map(hashHex),
      proof,
      `${index} of ${size}`,
    );
  }
  for (const { old_size: old, new_size: size, proof } of known.consistency) {
    assert.deepEqual(
      hashesOf(consistencyRanges(old, size), leaves).map(hashHex),
      proof,
      `${old} to ${size}`,
    );
  }
});

test('tree: the published inclusion proofs', (t) => {
  const path = sharedPath('data/vectors/merkle-inclusion.json');
  if (path === undefined) return t.skip('../shared is not here');
  interface Case {
    leafIdx: number;
    treeSize: number;
    root: string;
    leafHash: string;
    proof: string[] | null;
    wantErr: boolean;
  }
  const cases = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Case>;
  assert.equal(Object.keys(cases).length, 98);
  for (const [name, each] of Object.entries(cases)) {
    const found = holds(() => {
      verifyInclusion(
        sha256,
        base64Hash(each.leafHash),
        each.leafIdx,
        each.treeSize,
        (each.proof ?? []).map(base64Hash),
        base64Hash(each.root),
      );
    });
    assert.equal(found, !each.wantErr, name);
  }
});

test('tree: the published consistency proofs', (t) => {
  const path = sharedPath('data/vectors/merkle-consistency.json');
  if (path === undefined) return t.skip('../shared is not here');
  interface Case {
    size1: number;
    size2: number;
    root1: string;
    root2: string;
    proof: string[] | null;
    wantErr: boolean;
  }
  const cases = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Case>;
  assert.equal(Object.keys(cases).length, 98);
  const differ: string[] = [];
  for (const [name, each] of Object.entries(cases)) {
    const found = holds(() => {
      verifyConsistency(
        sha256,
        each.size1,
        each.size2,
        (each.proof ?? []).map(base64Hash),
        base64Hash(each.root1),
        base64Hash(each.root2),
      );
    });
    if (found === each.wantErr) differ.push(name);
  }
  // Its root is twelve bytes long: no hash, whatever the proof.
  assert.deepEqual(differ, ['additional/sizes-are-equal-one-and-proof-is-empty']);
});

test('tree: growing leaf by leaf gives the root of the definition', () => {
  const frontier = emptyFrontier();
  assert.ok(equalBytes(frontierRoot(sha256, frontier), emptyRoot(sha256)));
  for (const [i, leaf] of LEAVES.entries()) {
    const before = copyFrontier(frontier);
    appendLeaf(sha256, frontier, leaf);
    const root = mth(LEAVES.slice(0, i + 1));
    assert.equal(frontier.size, i + 1);
    assert.ok(equalBytes(frontierRoot(sha256, frontier), root));
    assert.ok(equalBytes(rootOf(sha256, LEAVES.slice(0, i + 1)), root));
    // A copy does not follow.
    assert.ok(equalBytes(frontierRoot(sha256, before), mth(LEAVES.slice(0, i))));
  }
});

test('tree: perfect subtrees tile every range that a proof names', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 40 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (size, part) => {
        const index = Math.floor(part * size);
        const ranges = [...inclusionRanges(index, size), { start: index, end: index + 1 }];
        assert.equal(
          ranges.reduce((sum, { start, end }) => sum + end - start, 0),
          size,
        );
        for (const { start, end } of ranges) {
          let at = start;
          let last = Infinity;
          for (const { level, index: i } of rangeNodes({ start, end })) {
            assert.equal(i * 2 ** level, at);
            assert.ok(level < last);
            last = level;
            at += 2 ** level;
          }
          assert.equal(at, end);
        }
      },
    ),
  );
});

test('tree: for every size to 70, each inclusion proof holds and no other does', () => {
  for (let size = 1; size <= 70; size += 1) {
    const leaves = LEAVES.slice(0, size);
    const root = mth(leaves);
    for (let index = 0; index < size; index += 1) {
      const proof = hashesOf(inclusionRanges(index, size), leaves);
      const leaf = leaves[index] as Hash;
      verifyInclusion(sha256, leaf, index, size, proof, root);
      const bit = (index * 37 + size) % 256;
      const at = (index + size) % Math.max(1, proof.length);
      const other = proof[at];
      const wrong: readonly (() => void)[] = [
        () => verifyInclusion(sha256, flipped(leaf, bit), index, size, proof, root),
        () => verifyInclusion(sha256, leaf, index, size, proof, flipped(root, bit)),
        () => verifyInclusion(sha256, leaf, index, size, [...proof, leaf], root),
        () => verifyInclusion(sha256, leaf, index, size, [leaf, ...proof], root),
        ...(index + 1 < size
          ? [() => verifyInclusion(sha256, leaf, index + 1, size, proof, root)]
          : []),
        ...(index > 0 ? [() => verifyInclusion(sha256, leaf, index - 1, size, proof, root)] : []),
        ...(other === undefined
          ? []
          : [
              () => verifyInclusion(sha256, leaf, index, size, proof.slice(1), root),
              () => verifyInclusion(sha256, leaf, index, size, proof.slice(0, -1), root),
              () =>
                verifyInclusion(
                  sha256,
                  leaf,
                  index,
                  size,
                  proof.with(at, flipped(other, bit)),
                  root,
                ),
            ]),
      ];
      for (const verify of wrong) assert.equal(holds(verify), false, `${index} of ${size}`);
    }
  }
});

test('tree: for every pair of sizes to 70, each consistency proof holds and no other does', () => {
  for (let size = 0; size <= 70; size += 1) {
    const root = mth(LEAVES.slice(0, size));
    for (let old = 0; old <= size; old += 1) {
      const oldRoot = mth(LEAVES.slice(0, old));
      const proof = hashesOf(consistencyRanges(old, size), LEAVES.slice(0, size));
      verifyConsistency(sha256, old, size, proof, oldRoot, root);
      const bit = (old * 41 + size) % 256;
      const at = (old + size) % Math.max(1, proof.length);
      const other = proof[at];
      const wrong: readonly (() => void)[] = [
        () => verifyConsistency(sha256, old, size, proof, flipped(oldRoot, bit), root),
        () => verifyConsistency(sha256, old, size, [...proof, root], oldRoot, root),
        // Nothing of a tree is proven by the empty one before it.
        ...(old === 0 && size > 0
          ? []
          : [() => verifyConsistency(sha256, old, size, proof, oldRoot, flipped(root, bit))]),
        ...(other === undefined
          ? []
          : [
              () => verifyConsistency(sha256, old, size, proof.slice(1), oldRoot, root),
              () => verifyConsistency(sha256, old, size, proof.slice(0, -1), oldRoot, root),
              () =>
                verifyConsistency(
                  sha256,
                  old,
                  size,
                  proof.with(at, flipped(other, bit)),
                  oldRoot,
                  root,
                ),
              () => verifyConsistency(sha256, old - 1, size, proof, oldRoot, root),
            ]),
        () => verifyConsistency(sha256, size + 1, size, proof, oldRoot, root),
      ];
      for (const verify of wrong) assert.equal(holds(verify), false, `${old} to ${size}`);
    }
  }
});

test('tree: two empty trees are the same tree', () => {
  const empty = emptyRoot(sha256);
  verifyConsistency(sha256, 0, 0, [], empty, empty);
  const other = LEAVES[0] as Hash;
  assert.throws(() => verifyConsistency(sha256, 0, 0, [], empty, other), { code: 'bad_proof' });
  assert.throws(() => verifyConsistency(sha256, 0, 0, [], other, other), { code: 'bad_proof' });
});

test('tree: indexes and sizes that are no safe integers are refused at once', () => {
  const some = LEAVES[0] as Hash;
  // As a parser without a limit would read 2^64-1.
  const huge = Number('18446744073709551615');
  for (const [index, size] of [
    [huge, huge],
    [0, huge],
    [huge, 1],
    [2 ** 53, 2 ** 53 + 2],
    [-1, 1],
    [0, 0],
    [1, 1],
    [0.5, 1],
    [Number.NaN, 1],
    [0, Infinity],
  ] as const) {
    assert.throws(
      () => verifyInclusion(sha256, some, index, size, [], some),
      { code: 'out_of_range' },
      `${index}`,
    );
    assert.throws(() => inclusionRanges(index, size), { code: 'out_of_range' });
  }
  for (const [old, size] of [
    [huge, huge],
    [1, huge],
    [0, huge],
    [-1, 1],
    [2, 1],
    [0.5, 1],
    [Number.NaN, Number.NaN],
  ] as const) {
    assert.throws(
      () => verifyConsistency(sha256, old, size, [], some, some),
      { code: 'out_of_range' },
      `${old}`,
    );
    assert.throws(() => consistencyRanges(old, size), { code: 'out_of_range' });
  }
  const most = Number.MAX_SAFE_INTEGER;
  assert.equal(inclusionRanges(most - 1, most).length, 52);
  assert.equal(inclusionRanges(0, most).length, 53);
  const long = Array.from({ length: 10_000 }, () => some);
  assert.throws(() => verifyInclusion(sha256, some, 0, most, long, some), { code: 'bad_proof' });
});

test('tree: no hashes make no root', () => {
  assert.throws(() => foldRight(sha256, []), TypeError);
});
