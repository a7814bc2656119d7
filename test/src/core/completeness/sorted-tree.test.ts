import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, hashHex, toHashHex } from '@assay/core/hash/hash';
import { type IndexLeaf, indexLeafHash, ruleLeaf } from '@assay/core/completeness/leaf';
import { SortedTree } from '@assay/core/completeness/sorted-tree';
import { rootOf } from '@assay/core/log/tree';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';

const REPORT = toHashHex('cd'.repeat(32));

/** Leaves that sort as the numbers do. */
function leafOf(number: number): IndexLeaf {
  return ruleLeaf(toHashHex('ab'.repeat(32)), number, REPORT);
}

function plainRoot(leaves: readonly IndexLeaf[]): string {
  const hashes = leaves.toSorted().map((leaf): Hash => indexLeafHash(sha256, 'rules', leaf));
  return hashHex(rootOf(sha256, hashes));
}

const batches = fc.array(fc.array(fc.nat(40), { maxLength: 12 }), { maxLength: 12 });

test('sorted tree: whatever order leaves come in, the tree is that of the sorted list', () => {
  fc.assert(
    fc.property(batches, (numbers) => {
      const tree = new SortedTree(sha256, 'rules');
      const all: IndexLeaf[] = [];
      for (const batch of numbers) {
        const leaves = batch.map(leafOf);
        all.push(...leaves);
        tree.add(leaves);
        assert.equal(hashHex(tree.root()), plainRoot(all));
      }
      const sorted = all.toSorted();
      assert.equal(tree.size, all.length);
      assert.deepEqual(
        sorted.map((_, i) => tree.leaf(i)),
        sorted,
      );
      assert.equal(tree.leaf(all.length), undefined);
    }),
  );
});

test('sorted tree: a leaf more, less or twice is another root', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { minLength: 1, maxLength: 30 }), fc.nat(), (numbers, at) => {
      const rootFor = (of: readonly number[]): string => {
        const tree = new SortedTree(sha256, 'rules');
        tree.add(of.map(leafOf));
        return hashHex(tree.root());
      };
      const one = numbers[at % numbers.length] as number;
      const root = rootFor(numbers);
      assert.notEqual(rootFor([...numbers, one]), root);
      assert.notEqual(rootFor([...numbers, 41]), root);
      assert.notEqual(rootFor(numbers.toSpliced(at % numbers.length, 1)), root);
    }),
  );
});

test('sorted tree: leaves that come in order are hashed once, with a node or so each', () => {
  let hashes = 0;
  const tree = new SortedTree((bytes) => {
    hashes += 1;
    return sha256(bytes);
  }, 'rules');
  for (let i = 0; i < 1024; i += 1) tree.add([leafOf(i)]);
  assert.equal(hashes, 1024 + 1023);
  tree.add([leafOf(1024)]);
  assert.equal(hashes, 1024 + 1023 + 1);
});

test('sorted tree: goes on from the bytes of its leaves, whole ones alone', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 20 }), fc.array(fc.nat(40)), (before, after) => {
      const tree = new SortedTree(sha256, 'rules');
      tree.add(before.map(leafOf));
      const again = new SortedTree(sha256, 'rules');
      again.addBytes(tree.bytes);
      assert.equal(again.size, before.length);
      tree.add(after.map(leafOf));
      again.add(after.map(leafOf));
      assert.equal(hashHex(again.root()), hashHex(tree.root()));
    }),
  );
  const tree = new SortedTree(sha256, 'rules');
  assert.throws(() => tree.addBytes(new Uint8Array(67)), { code: 'bad_length' });
  assert.equal(tree.size, 0);
});
