import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { TileHistory } from '@assay/core/log/tile-history';
import { TileTree } from '@assay/core/log/tile-tree';
import { rootOf } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const leaves: readonly Hash[] = Array.from({ length: 70_000 }, (_, i) =>
  leafHash(nodeSha256, formatUtf8(`leaf ${i}`)),
);

function grown(
  size: number,
  depth: number,
): { readonly tree: TileTree; readonly history: TileHistory } {
  const tree = new TileTree(nodeSha256);
  const history = new TileHistory(nodeSha256, tree, depth);
  for (let i = 0; i < size; i += 1) history.keep(tree.append(leaves[i] as Hash));
  return { tree, history };
}

const hex = (hash: Hash | undefined): string => (hash === undefined ? 'none' : hashHex(hash));

test('the root at an earlier size is that of a tree built anew, as far back as was agreed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3000 }),
      fc.integer({ min: 0, max: 1500 }),
      fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
      (size, depth, picks) => {
        const { history } = grown(size, depth);
        for (const pick of [...picks, 0, depth]) {
          const back = Math.min(pick % (depth + 1), size - 1);
          const expected = hashHex(rootOf(nodeSha256, leaves.slice(0, size - back)));
          assert.equal(hex(history.root(size - back)), expected, `${size - back} of ${size}`);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('sizes about the edges of tiles of every level', () => {
  const size = 66_000;
  const { history } = grown(size, 65_536);
  for (const at of [464, 511, 512, 513, 767, 768, 65_279, 65_280, 65_535, 65_536, 65_537, 65_999]) {
    assert.equal(hex(history.root(at)), hashHex(rootOf(nodeSha256, leaves.slice(0, at))), `${at}`);
  }
});

test('what lies too far back, ahead or nowhere has no root', () => {
  const { tree, history } = grown(1000, 300);
  assert.equal(hex(history.root(1000)), hashHex(tree.root()));
  assert.notEqual(history.root(700), undefined);
  for (const size of [699, 1, 0, -1, 1001, 700.5]) assert.equal(history.root(size), undefined);
});

test('full tiles are kept as bytes while a size needs them', () => {
  const { tree, history } = grown(2000, 600);
  assert.equal(tree.size, 2000);
  const newest = history.tile(0, 6) as Uint8Array;
  assert.equal(formatHex(newest.subarray(0, 32)), hashHex(leaves[6 * 256] as Hash));
  assert.equal(newest.length, 8192);
  assert.equal(history.tile(0, 7), undefined);
  assert.equal(history.tile(0, 0), undefined);
});
