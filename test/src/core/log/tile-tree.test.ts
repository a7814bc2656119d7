import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalBytes } from '@assay/core/bytes/bytes';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { formatTilePath, levelLength, tilesOf } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { appendLeaf, emptyFrontier, rootOf } from '@assay/core/log/tree';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';

const LEAVES: readonly Hash[] = Array.from({ length: 66_000 }, (_, i) =>
  leafHash(sha256, Uint8Array.of(i, i >> 8, i >> 16)),
);

test('tile tree: what it hands out are the tiles of the definition', () => {
  const tree = new TileTree(sha256);
  const full = new Map<string, readonly Hash[]>();
  for (const leaf of LEAVES) {
    for (const tile of tree.append(leaf)) {
      full.set(formatTilePath({ ...tile, width: 256 }), tile.hashes);
    }
  }
  assert.equal(tree.size, LEAVES.length);
  assert.ok(equalBytes(tree.root(), rootOf(sha256, LEAVES)));
  for (const tile of tilesOf(LEAVES.length)) {
    const { level, index, width } = tile;
    if (level === 'entries') continue;
    const hashes = width === 256 ? full.get(formatTilePath(tile)) : tree.partial(level);
    assert.equal(hashes?.length, width, formatTilePath(tile));
    const at = width - 1;
    const span = 256 ** level;
    const start = (index * 256 + at) * span;
    assert.ok(equalBytes(hashes[at] as Hash, rootOf(sha256, LEAVES.slice(start, start + span))));
  }
  assert.equal(full.size, 257 + 1);
});

test('tile tree: restored from its parts it goes on as if it had never stopped', () => {
  const sizes = fc.oneof(fc.nat(600), fc.constantFrom(0, 1, 255, 256, 257, 511, 512));
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 300 }), (size, more) => {
      const whole = new TileTree(sha256);
      const frontier = emptyFrontier();
      for (const leaf of LEAVES.slice(0, size)) {
        whole.append(leaf);
        appendLeaf(sha256, frontier, leaf);
      }
      const partial = [0, 1, 2, 3, 4, 5].map((level) => whole.partial(level));
      assert.deepEqual(
        partial.map(({ length }) => length),
        [0, 1, 2, 3, 4, 5].map((level) => levelLength(level, size) % 256),
      );
      const again = TileTree.restore(sha256, size, frontier.peaks, partial);
      assert.ok(equalBytes(again.root(), whole.root()));
      for (const leaf of LEAVES.slice(size, size + more)) {
        assert.deepEqual(again.append(leaf), whole.append(leaf));
      }
      assert.ok(equalBytes(again.root(), rootOf(sha256, LEAVES.slice(0, size + more))));
      assert.equal(again.size, size + more);
    }),
    { numRuns: 30 },
  );
});

test('tile tree: another number of peaks is a mistake', () => {
  assert.throws(() => TileTree.restore(sha256, 3, [LEAVES[0] as Hash], []), TypeError);
  assert.deepEqual(new TileTree(sha256).partial(6), []);
});
