import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import { prefixRoots } from '@assay/core/log/prefix-proof';
import { formatHashTile, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { emptyRoot, rootOf, verifyConsistency, verifyInclusion } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import {
  consistencyProof,
  inclusionProof,
  prefixProof,
  prefixRoot,
  type ReadTile,
} from '@assay/verifier/reader/tile-proofs';
import { sha256 } from '../../core/fixture/fixture.ts';

/** More than one tile of the second level. */
const SIZE = 66_000;

const leaves: Hash[] = [];
const full = new Map<string, readonly Hash[]>();
const tree = new TileTree(sha256);
for (let i = 0; i < SIZE; i += 1) {
  const leaf = leafHash(sha256, formatUtf8(`entry ${i}`));
  leaves.push(leaf);
  for (const { level, index, hashes } of tree.append(leaf)) full.set(`${level}/${index}`, hashes);
}
const roots = new Map<number, Hash>();
function rootAt(size: number): Hash {
  const root = roots.get(size) ?? rootOf(sha256, leaves.slice(0, size));
  roots.set(size, root);
  return root;
}

/** What a server of the log gives: full tiles, and partial ones up to the newest. */
const asked: Tile[] = [];
const serve: ReadTile = (tile) => {
  asked.push(tile);
  const level = tile.level as number;
  const whole = full.get(`${level}/${tile.index}`) ?? tree.partial(level);
  assert.ok(tile.width > 0 && tile.width <= TILE_WIDTH && tile.width <= whole.length, 'a tile');
  return Promise.resolve(formatHashTile(whole.slice(0, tile.width)));
};

const PAIRS: readonly (readonly [number, number])[] = [
  [1, 2],
  [1, SIZE],
  [2, 3],
  [255, 256],
  [256, 257],
  [256, SIZE],
  [257, 65_536],
  [511, 513],
  [4096, 5000],
  [65_535, 65_536],
  [65_536, 65_537],
  [65_536, SIZE],
  [65_793, SIZE],
  [SIZE - 1, SIZE],
];

test('tile proofs: an entry is in the tree', async () => {
  for (const [index, size] of [[0, 1], [0, SIZE], [SIZE - 1, SIZE], ...PAIRS] as const) {
    if (index >= size) continue;
    const proof = await inclusionProof(serve, sha256, index, size);
    verifyInclusion(sha256, leaves[index] as Hash, index, size, proof, rootAt(size));
  }
});

test('tile proofs: a tree extends another', async () => {
  for (const [oldSize, newSize] of [[0, 5], [7, 7], ...PAIRS] as const) {
    const proof = await consistencyProof(serve, sha256, oldSize, newSize);
    verifyConsistency(sha256, oldSize, newSize, proof, rootAt(oldSize), rootAt(newSize));
  }
});

test('tile proofs: what a tree began with', async () => {
  for (const [oldSize, newSize] of PAIRS) {
    const proof = await prefixProof(serve, sha256, oldSize, newSize);
    const both = prefixRoots(sha256, oldSize, newSize, proof);
    assert.equal(hashHex(both.old), hashHex(rootAt(oldSize)));
    assert.equal(hashHex(both.new), hashHex(rootAt(newSize)));
    const root = await prefixRoot(serve, sha256, oldSize, newSize);
    assert.equal(hashHex(root), hashHex(rootAt(oldSize)));
  }
  assert.equal(hashHex(await prefixRoot(serve, sha256, 0, 9)), hashHex(emptyRoot(sha256)));
  assert.equal(hashHex(await prefixRoot(serve, sha256, 9, 9)), hashHex(rootAt(9)));
});

test('tile proofs: each tile is asked for once, with its width at the size of the proof', async () => {
  asked.length = 0;
  await consistencyProof(serve, sha256, 65_793, SIZE);
  const names = asked.map(({ level, index, width }) => `${level}/${index}.${width}`);
  assert.deepEqual(names.toSorted(), ['0/257.208', '1/1.1', '2/0.1']);
});

test('tile proofs: sizes and tiles that are none', async () => {
  const refusal = (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => 'taken',
      (error: unknown) => faultCode(error) ?? String(error),
    );
  assert.equal(await refusal(inclusionProof(serve, sha256, 5, 5)), 'out_of_range');
  assert.equal(await refusal(consistencyProof(serve, sha256, 6, 5)), 'out_of_range');
  assert.equal(await refusal(prefixProof(serve, sha256, 5, 5)), 'out_of_range');
  assert.equal(await refusal(prefixRoot(serve, sha256, 6, 5)), 'out_of_range');
  const short: ReadTile = ({ width }) => Promise.resolve(new Uint8Array(32 * width - 1));
  assert.equal(await refusal(consistencyProof(short, sha256, 5, 9)), 'bad_length');
  const silent: ReadTile = () => Promise.reject(new Error('no answer'));
  assert.equal(await refusal(consistencyProof(silent, sha256, 5, 9)), 'Error: no answer');
});
