import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { formatHashTile, levelLength, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { loadTree, rangeHash, storedTiles, subtreeHash } from '@assay/node/ledger/tree-reader';
import { bound, naiveLevels, naiveRoot, plainSha256 } from './ledger-fixture.ts';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';

const COUNT = 66_000;
const entry = (seq: number): Uint8Array => Buffer.from(`entry ${seq}`);
const LEAVES: readonly Hash[] = Array.from({ length: COUNT }, (_, i) =>
  leafHash(plainSha256, entry(i)),
);
const LEVELS = naiveLevels(LEAVES);
const empty = await openMemoryStore();

/** A store of the first `size` entries with exactly its full tiles, whatever an entry is. */
function storeOf(size: number, reads: string[] = []): LedgerStore {
  return {
    ...bound(empty),
    async *entries(start, end) {
      for (let seq = start; seq < Math.min(end, size); seq += 1) {
        reads.push(`entry ${seq}`);
        yield entry(seq);
      }
    },
    async tile(level, index) {
      reads.push(`tile ${level}/${index}`);
      if ((index + 1) * TILE_WIDTH > levelLength(level, size)) return undefined;
      const hashes = LEVELS[level]?.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
      return formatHashTile(hashes as readonly Hash[]);
    },
  };
}

const SIZES = [
  0, 1, 2, 3, 254, 255, 256, 257, 258, 511, 512, 513, 1000, 65_279, 65_280, 65_281, 65_534, 65_535,
  65_536, 65_537, 65_791, 65_792, 65_793, 66_000,
];

/** Roots of the first leaves, by number, from a tree that grows leaf by leaf. */
const ROOTS = new Map<number, Hash>();
const grown = new TileTree(plainSha256);
for (let size = 0; size <= COUNT; size += 1) {
  if (size > 0) grown.append(LEAVES[size - 1] as Hash);
  if (SIZES.includes(size) || SIZES.includes(size - 260)) ROOTS.set(size, grown.root());
}

test('loadTree: at every edge it is the tree of the entries, and grows as one', async () => {
  for (const size of SIZES) {
    const tree = await loadTree(plainSha256, storeOf(size), size);
    assert.equal(tree.size, size);
    assert.deepEqual(tree.root(), ROOTS.get(size), `root of ${size}`);
    for (let level = 0; level <= 5; level += 1) {
      const length = levelLength(level, size);
      const start = length - (length % TILE_WIDTH);
      assert.deepEqual(
        tree.partial(level),
        (LEVELS[level] ?? []).slice(start, length),
        `level ${level} of ${size}`,
      );
    }
    const later = size + 260;
    if (later > COUNT) continue;
    for (const leaf of LEAVES.slice(size, later)) {
      for (const { level, index, hashes } of tree.append(leaf)) {
        const start = index * TILE_WIDTH;
        assert.deepEqual(hashes, LEVELS[level]?.slice(start, start + TILE_WIDTH));
      }
    }
    assert.deepEqual(tree.root(), ROOTS.get(later), `${size} and 260 more`);
  }
});

test('loadTree: it reads the edge, not the log', async () => {
  const reads: string[] = [];
  await loadTree(plainSha256, storeOf(66_000, reads), 66_000);
  assert.ok(reads.length < 700, `${reads.length} reads`);
  assert.ok(reads.some((read) => read === 'entry 65999'));
});

test('storedTiles: every tile of a tree, full or at the edge', async () => {
  for (const size of [1, 255, 256, 257, 600, 65_536, 65_793]) {
    const tiles = storedTiles(plainSha256, storeOf(size), size);
    for (let level = 0; level <= 2; level += 1) {
      const length = levelLength(level, size);
      for (const index of new Set([0, Math.ceil(length / 256) - 1])) {
        const start = index * TILE_WIDTH;
        if (start < 0 || start >= length) continue;
        assert.deepEqual(
          await tiles(level, index),
          (LEVELS[level] as readonly Hash[]).slice(start, Math.min(start + TILE_WIDTH, length)),
          `tile ${level}/${index} of ${size}`,
        );
      }
    }
  }
});

test('storedTiles: a full tile that is not there is corrupt, and so is one beyond the edge', async () => {
  const corrupt = { name: 'Fault', code: 'ledger_corrupt' };
  const size = 600;
  const store = storeOf(size);
  const holey: LedgerStore = {
    ...store,
    tile: (level, index) =>
      level === 0 && index === 1 ? Promise.resolve(undefined) : store.tile(level, index),
  };
  await assert.rejects(storedTiles(plainSha256, holey, size)(0, 1), corrupt);
  await assert.rejects(loadTree(plainSha256, holey, size), corrupt);
  await assert.rejects(storedTiles(plainSha256, store, size)(0, 3), corrupt);
  await assert.rejects(storedTiles(plainSha256, store, 512)(0, 2), corrupt);
});

test('storedTiles: a tile of another length is corrupt', async () => {
  const store = storeOf(600);
  for (const length of [0, 32, 8191, 8193]) {
    const bad: LedgerStore = { ...store, tile: () => Promise.resolve(new Uint8Array(length)) };
    const corrupt = { name: 'Fault', code: 'ledger_corrupt' };
    await assert.rejects(storedTiles(plainSha256, bad, 600)(0, 0), corrupt);
  }
});

test('loadTree: entries missing at the edge are corrupt', async () => {
  const store = storeOf(300);
  const short: LedgerStore = { ...store, entries: (start, end) => store.entries(start, end - 1) };
  await assert.rejects(loadTree(plainSha256, short, 300), {
    name: 'Fault',
    code: 'ledger_corrupt',
  });
});

test('rangeHash and subtreeHash: as the definition has them', async () => {
  const size = 1000;
  const tiles = storedTiles(plainSha256, storeOf(size), size);
  for (const [start, end] of [
    [0, 0],
    [0, 1],
    [0, 1000],
    [0, 255],
    [0, 256],
    [0, 257],
    [256, 512],
    [512, 1000],
    [992, 1000],
    [999, 1000],
  ] as const) {
    const found = await rangeHash(plainSha256, tiles, { start, end });
    assert.deepEqual(found, naiveRoot(LEAVES, start, end), `${start} to ${end}`);
  }
  const found = await subtreeHash(plainSha256, tiles, { level: 9, index: 0 });
  assert.deepEqual(found, naiveRoot(LEAVES, 0, 512));
  await assert.rejects(subtreeHash(plainSha256, tiles, { level: 3, index: 125 }), {
    code: 'ledger_corrupt',
  });
});
