import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { hashHex, toHashHex } from '@assay/core/hash/hash';
import {
  type IndexedPrint,
  type IndexLeaf,
  parsePrintLeaf,
  periodKey,
  printLeaf,
} from '@assay/core/completeness/leaf';
import { checkIndexProof, type IndexProof, proveIndex } from '@assay/core/completeness/proof';
import type { IndexRoot } from '@assay/core/kind/index-entry';
import { SortedTree } from '@assay/core/completeness/sorted-tree';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';

const SERIES = ['11', '7f', 'ee'].map((byte) => toHashHex(byte.repeat(32)));

/** Few places, so that prints of one period and doubles of one print come often. */
const print: fc.Arbitrary<IndexedPrint> = fc.record({
  period: fc.integer({ min: -2, max: 3 }),
  series: fc.constantFrom(...SERIES),
  status: fc.constantFrom('provisional', 'final', 'corrected', 'void'),
  issue: fc.nat(2),
  report: fc.nat(2).map((n) => toHashHex(`0${n}`.repeat(32))),
});
const prints = fc.array(print, { maxLength: 24 });

function treeOf(leaves: readonly IndexLeaf[]): SortedTree {
  const tree = new SortedTree(sha256, 'prints');
  tree.add(leaves);
  return tree;
}

function rootOf(tree: SortedTree): IndexRoot {
  return { count: tree.size, root: hashHex(tree.root()) };
}

function check(root: IndexRoot, prefix: string, proof: IndexProof): readonly IndexLeaf[] {
  return checkIndexProof(sha256, 'prints', root, prefix, proof);
}

/** The leaves that a proof shows, or the code of its refusal. */
function outcome(root: IndexRoot, prefix: string, proof: IndexProof): readonly string[] | string {
  try {
    return check(root, prefix, proof);
  } catch (error) {
    const code = faultCode(error);
    assert.ok(code !== undefined, String(error));
    return code;
  }
}

/** What a prefix may be cut to: a period, a series in it, a place in that, a whole leaf. */
const cut = fc.constantFrom(8, 72, 74, 76, 140);

test('index proof: of any prefix exactly the leaves that are there, and none where none is', () => {
  fc.assert(
    fc.property(prints, print, cut, (all, asked, length) => {
      const leaves = all.map(printLeaf).toSorted();
      const tree = treeOf(leaves);
      const prefix = printLeaf(asked).slice(0, length);
      const expected = leaves.filter((leaf) => leaf.startsWith(prefix));
      assert.deepEqual(check(rootOf(tree), prefix, proveIndex(tree, prefix)), expected);
      for (const leaf of leaves) {
        assert.ok(check(rootOf(tree), leaf, proveIndex(tree, leaf)).includes(leaf));
      }
    }),
  );
});

/** A proof changed in one place, as one who wants to deceive would. */
function mutated(proof: IndexProof, other: IndexProof, at: number, how: number): IndexProof {
  const { first, leaves } = proof;
  const i = leaves.length === 0 ? 0 : at % leaves.length;
  const shown = leaves[i];
  const foreign = other.leaves[other.leaves.length === 0 ? 0 : at % other.leaves.length];
  switch (how) {
    case 0:
      return { first: first + 1, leaves };
    case 1:
      return { first: first - 1, leaves };
    case 2:
      return { first, leaves: leaves.slice(0, -1) };
    case 3:
      return { first: first + 1, leaves: leaves.slice(1) };
    case 4:
      return { first, leaves: leaves.toSpliced(i, 1) };
    case 5:
      return { first, leaves: shown === undefined ? [] : leaves.toSpliced(i, 0, shown) };
    case 6:
      return { first, leaves: leaves.toReversed() };
    case 7:
      return { first, leaves: foreign === undefined ? [] : leaves.toSpliced(i, 1, foreign) };
    case 8:
      return { first, leaves: foreign === undefined ? [] : [...leaves, foreign] };
    case 9:
      return { first: other.first, leaves };
    case 10:
      return other;
    case 11:
      return { first: 0, leaves: [] };
    default: {
      if (shown === undefined) return { first, leaves: [{ leaf: '', proof: [] }] };
      const digit = at % shown.leaf.length;
      const changed = shown.leaf[digit] === '0' ? '1' : '0';
      const leaf = `${shown.leaf.slice(0, digit)}${changed}${shown.leaf.slice(digit + 1)}`;
      const hashes =
        how === 12
          ? shown.proof
          : how === 13
            ? shown.proof.slice(1)
            : [...shown.proof, toHashHex('00'.repeat(32))];
      return {
        first,
        leaves: leaves.toSpliced(i, 1, { leaf: how === 12 ? leaf : shown.leaf, proof: hashes }),
      };
    }
  }
}

test('index proof: no change makes an absent print present or a present one absent', () => {
  let refused = 0;
  fc.assert(
    fc.property(
      prints,
      print,
      print,
      cut,
      fc.nat(),
      fc.nat(14),
      (all, asked, otherwise, length, at, how) => {
        const leaves = all.map(printLeaf).toSorted();
        const tree = treeOf(leaves);
        const prefix = printLeaf(asked).slice(0, length);
        const proof = proveIndex(tree, prefix);
        const other = proveIndex(tree, printLeaf(otherwise).slice(0, length));
        const found = outcome(rootOf(tree), prefix, mutated(proof, other, at, how));
        if (typeof found === 'string') refused += 1;
        else assert.deepEqual(found, check(rootOf(tree), prefix, proof));
      },
    ),
    { numRuns: 2000 },
  );
  assert.ok(refused > 500, `${refused} refusals`);
});

test('index proof: a proof of one list is none of another', () => {
  fc.assert(
    fc.property(prints, print, (all, more) => {
      const leaves = all.map(printLeaf);
      const prefix = periodKey(more.period, more.series);
      const without = treeOf(leaves);
      const withIt = treeOf([...leaves, printLeaf(more)]);
      assert.equal(outcome(rootOf(withIt), prefix, proveIndex(without, prefix)), 'bad_proof');
      const there = outcome(rootOf(without), prefix, proveIndex(withIt, prefix));
      assert.ok(there === 'bad_proof' || there === 'out_of_range', String(there));
    }),
  );
});

test('index proof: vectors', () => {
  interface ProofVector {
    readonly name: string;
    readonly prints: IndexRoot;
    readonly prefix: string;
    readonly proof: IndexProof;
    readonly shows: readonly string[] | null;
  }
  const all = vectors<{ readonly proofs: readonly ProofVector[] }>('index/index').proofs;
  assert.ok(all.some(({ shows }) => shows === null) && all.some(({ shows }) => shows !== null));
  for (const { name, prints: root, prefix, proof, shows } of all) {
    const found = outcome(root, prefix, proof);
    assert.deepEqual(typeof found === 'string' ? null : found, shows, name);
    if (shows !== null) for (const leaf of shows) parsePrintLeaf(leaf);
  }
});
