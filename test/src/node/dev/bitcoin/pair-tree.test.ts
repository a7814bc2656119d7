import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { otsHashes } from '@assay/core/ots/hashes';
import { apply } from '@assay/core/ots/operation';
import { pairTree, type PairRule } from '@assay/node/dev/bitcoin/pair-tree';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const HASHES = otsHashes(nodeSha256);
const RULES: readonly PairRule[] = [
  { rounds: 1, odd: 'up' },
  { rounds: 2, odd: 'twice' },
];
const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => nodeSha256(Uint8Array.of(i)));

test('pair tree: every path leads to the root', () => {
  for (const rule of RULES) {
    for (let count = 1; count <= 17; count += 1) {
      const leaves = leavesOf(count);
      const { root, pathOf } = pairTree(nodeSha256, leaves, rule);
      for (const [i, leaf] of leaves.entries()) {
        let message = leaf;
        for (const operation of pathOf(i)) message = apply(operation, message, HASHES);
        assert.deepEqual(message, root, `${rule.odd}: leaf ${i} of ${count}`);
      }
      assert.throws(() => pathOf(count), TypeError);
    }
    assert.throws(() => pairTree(nodeSha256, [], rule), TypeError);
  }
});

test('pair tree: one leaf is its own root, and the odd one goes up or is doubled', () => {
  const [a, b, c] = leavesOf(3) as [Uint8Array, Uint8Array, Uint8Array];
  const once = (...parts: Uint8Array[]) => nodeSha256(concatBytes(...parts));
  const twice = (...parts: Uint8Array[]) => nodeSha256(once(...parts));
  const [up, doubled] = RULES as [PairRule, PairRule];
  assert.deepEqual(pairTree(nodeSha256, [a], doubled).root, a);
  assert.deepEqual(pairTree(nodeSha256, [a, b, c], up).root, once(once(a, b), c));
  const root = twice(twice(a, b), twice(c, c));
  assert.deepEqual(pairTree(nodeSha256, [a, b, c], doubled).root, root);
});

test('pair tree: the root of block 170 of the main chain', () => {
  const ids = [
    'b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082',
    'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
  ].map((id) => parseHex(id).reverse());
  const { root } = pairTree(nodeSha256, ids, { rounds: 2, odd: 'twice' });
  const expected = '7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff';
  assert.equal(formatHex(root.toReversed()), expected);
});
