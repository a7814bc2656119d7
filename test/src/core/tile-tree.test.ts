import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Hash, leafHash, nodeHash } from '@assay/core/hash';
import { levelLength, TILE_WIDTH } from '@assay/core/tile';
import { TileTree } from '@assay/core/tile-tree';
import { rangeNodes, rootOf } from '@assay/core/tree';
import { nodeSha256 as sha256 } from '@assay/node/node-sha256';

const LEAVES: readonly Hash[] = Array.from({ length: 66_100 }, (_, i) =>
  leafHash(sha256, Buffer.from(`leaf ${i}`)),
);

/** Root of leaves `start` to `end - 1` as RFC 6962, 2.1, defines it; each is computed once. */
const roots = new Map<string, Hash>();
function naiveRoot(start: number, end: number): Hash {
  if (end - start === 0) return sha256(new Uint8Array(0)) as Hash;
  if (end - start === 1) return LEAVES[start] as Hash;
  const name = `${start}-${end}`;
  const before = roots.get(name);
  if (before !== undefined) return before;
  let k = 1;
  while (k * 2 < end - start) k *= 2;
  const root = nodeHash(sha256, naiveRoot(start, start + k), naiveRoot(start + k, end));
  roots.set(name, root);
  return root;
}

/** Hash `i` of `level` as C2SP tlog-tiles defines it: the root over 256^level leaves. */
function naiveHash(level: number, i: number): Hash {
  const span = TILE_WIDTH ** level;
  return naiveRoot(i * span, (i + 1) * span);
}

const hex = (hashes: readonly Hash[]): readonly string[] =>
  hashes.map((hash) => Buffer.from(hash).toString('hex'));

/** Demands that the tree's right edge is that of its first leaves. */
function requireEdge(tree: TileTree): void {
  for (let level = 0; level <= 5; level += 1) {
    const length = levelLength(level, tree.size);
    const start = length - (length % TILE_WIDTH);
    const expected = Array.from({ length: length - start }, (_, i) => naiveHash(level, start + i));
    assert.deepEqual(hex(tree.partial(level)), hex(expected), `level ${level} of ${tree.size}`);
  }
}

test('TileTree: partial tiles, full tiles and roots at every size to 600', () => {
  const tree = new TileTree(sha256);
  assert.deepEqual(tree.root(), naiveRoot(0, 0));
  requireEdge(tree);
  for (let i = 0; i < 600; i += 1) {
    const filled = tree.append(LEAVES[i] as Hash);
    assert.equal(tree.size, i + 1);
    assert.deepEqual(tree.root(), naiveRoot(0, i + 1), `root of ${i + 1}`);
    requireEdge(tree);
    const expected = (i + 1) % TILE_WIDTH === 0 ? [`0/${(i + 1) / TILE_WIDTH - 1}`] : [];
    assert.deepEqual(
      filled.map(({ level, index }) => `${level}/${index}`),
      expected,
    );
    for (const { level, index, hashes } of filled) {
      const naive = Array.from({ length: 256 }, (_, j) => naiveHash(level, index * 256 + j));
      assert.deepEqual(hex(hashes), hex(naive));
    }
  }
});

test('TileTree: the same around 65,536 leaves, where a tile of tiles fills', () => {
  const tree = new TileTree(sha256);
  const filled = new Map<string, readonly Hash[]>();
  for (const [i, leaf] of LEAVES.entries()) {
    const names: string[] = [];
    for (const { level, index, hashes } of tree.append(leaf)) {
      const name = `${level}/${index}`;
      assert.ok(!filled.has(name), `${name} twice`);
      assert.equal(hashes.length, TILE_WIDTH);
      names.push(name);
      filled.set(name, hashes);
    }
    const size = i + 1;
    if (size === 65_536) assert.deepEqual(names, ['0/255', '1/0'], 'lowest level first');
    if (Math.abs(size - 65_536) < 3 || Math.abs(size - 65_792) < 3) {
      assert.deepEqual(tree.root(), naiveRoot(0, size), `root of ${size}`);
      requireEdge(tree);
    }
  }
  assert.equal(filled.size, Math.floor(LEAVES.length / 256) + 1);
  for (const [name, hashes] of filled) {
    const [level = 0, index = 0] = name.split('/').map(Number);
    const naive = Array.from({ length: 256 }, (_, j) => naiveHash(level, index * 256 + j));
    assert.deepEqual(hex(hashes), hex(naive), name);
  }
});

/** The tree of the first `size` leaves, put together from naive parts. */
function restored(size: number): TileTree {
  const peaks = rangeNodes({ start: 0, end: size }).map(({ level, index }) =>
    naiveRoot(index * 2 ** level, (index + 1) * 2 ** level),
  );
  const partial = Array.from({ length: 6 }, (_, level) => {
    const length = levelLength(level, size);
    const start = length - (length % TILE_WIDTH);
    return Array.from({ length: length - start }, (__, i) => naiveHash(level, start + i));
  });
  return TileTree.restore(sha256, size, peaks, partial);
}

test('TileTree: restored at any size, it goes on as if it had never stopped', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1200 }),
      fc.integer({ min: 0, max: 600 }),
      (size, more) => {
        const tree = restored(size);
        assert.deepEqual(tree.root(), naiveRoot(0, size));
        for (let i = size; i < size + more; i += 1) tree.append(LEAVES[i] as Hash);
        assert.deepEqual(tree.root(), rootOf(sha256, LEAVES.slice(0, size + more)));
        requireEdge(tree);
      },
    ),
    { numRuns: 25 },
  );
  for (const size of [255, 256, 257, 65_535, 65_536, 65_537, 65_791, 65_792]) {
    const tree = restored(size);
    const names: string[] = [];
    for (let i = size; i < size + 2; i += 1) {
      for (const { level, index } of tree.append(LEAVES[i] as Hash))
        names.push(`${level}/${index}`);
    }
    const expected: Readonly<Record<number, readonly string[]>> = {
      255: ['0/0'],
      65_535: ['0/255', '1/0'],
      65_791: ['0/256'],
    };
    assert.deepEqual(names, expected[size] ?? [], `${size}`);
    assert.deepEqual(tree.root(), naiveRoot(0, size + 2));
    requireEdge(tree);
  }
});

test('TileTree: what it handed out does not change as it grows', () => {
  const tree = new TileTree(sha256);
  for (let i = 0; i < 255; i += 1) tree.append(LEAVES[i] as Hash);
  const [full] = tree.append(LEAVES[255] as Hash);
  const before = hex(full?.hashes ?? []);
  for (let i = 256; i < 520; i += 1) tree.append(LEAVES[i] as Hash);
  assert.deepEqual(hex(full?.hashes ?? []), before);
  const parts = [[], [], [], [], [], []].map((_, level) => [...tree.partial(level)]);
  const peaks = rangeNodes({ start: 0, end: 520 }).map(({ level, index }) =>
    naiveRoot(index * 2 ** level, (index + 1) * 2 ** level),
  );
  const twin = TileTree.restore(sha256, 520, peaks, parts);
  twin.append(LEAVES[520] as Hash);
  assert.equal(parts[0]?.length, 8, 'a restored tree has its own copies');
});

test('TileTree: another number of peaks than the size has is a mistake', () => {
  assert.throws(() => TileTree.restore(sha256, 3, [LEAVES[0] as Hash], []), TypeError);
});
