import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { rootOf } from '@assay/core/log/tree';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ProvenLeaves } from '@assay/verifier/client/proven-leaves';

const MOST = 2 * TILE_WIDTH ** 2 + 300;
const all: readonly Hash[] = Array.from({ length: MOST + 1 }, (_, i) =>
  leafHash(nodeSha256, new TextEncoder().encode(`${i}`)),
);

/** The tiles of the first `size` leaves, and how many were asked for. */
function treeOf(size: number): {
  readonly checkpoint: { origin: string; size: number; root: Hash };
  readonly tiles: (tile: Tile) => Promise<Uint8Array>;
  readonly levels: (readonly Hash[])[];
  readonly asked: string[];
} {
  const levels = [all.slice(0, size)];
  for (let last = levels[0] ?? []; last.length >= TILE_WIDTH; last = levels.at(-1) ?? []) {
    const roots = Array.from({ length: Math.floor(last.length / TILE_WIDTH) }, (_, i) =>
      rootOf(nodeSha256, last.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH)),
    );
    levels.push(roots);
  }
  const asked: string[] = [];
  const tiles = ({ level, index, width }: Tile): Promise<Uint8Array> => {
    asked.push(`${level}/${index}`);
    const start = index * TILE_WIDTH;
    return Promise.resolve(
      concatBytes(...(levels[level as number] ?? []).slice(start, start + width)),
    );
  };
  const root = rootOf(nodeSha256, all.slice(0, size));
  return { checkpoint: { origin: 'log', size, root }, tiles, levels, asked };
}

test('proven leaves: each leaf of trees of many sizes is shown, and another is not', async () => {
  for (const size of [1, 2, 3, 255, 256, 257, 300, 511, 512, 513, 1024, 70_000, MOST]) {
    const { checkpoint, tiles } = treeOf(size);
    const leaves = new ProvenLeaves(tiles, nodeSha256);
    const places = [0, 1, 255, 256, 257, 511, 512, 65_535, 65_536, size - 2, size - 1];
    for (const seq of places.filter((each) => each >= 0 && each < size)) {
      await leaves.check(all[seq] as Hash, seq, checkpoint);
      await assert.rejects(
        leaves.check(all[seq + 1] as Hash, seq, checkpoint),
        (error) => faultCode(error) === 'bad_proof',
      );
    }
    await assert.rejects(
      leaves.check(all[0] as Hash, size, checkpoint),
      (error) => faultCode(error) === 'out_of_range',
    );
  }
});

test('proven leaves: a tile that is wrong anywhere shows nothing, and neither does another root or size', async () => {
  for (const size of [300, 70_000]) {
    for (const place of [0, 17, 255]) {
      const { checkpoint, tiles, levels } = treeOf(size);
      levels[0] = (levels[0] ?? []).with(place, all[MOST - 1] as Hash);
      const leaves = new ProvenLeaves(tiles, nodeSha256);
      for (const seq of [0, place]) {
        await assert.rejects(
          leaves.check(levels[0][seq] as Hash, seq, checkpoint),
          (error) => faultCode(error) === 'bad_proof',
        );
      }
    }
    const { checkpoint, tiles } = treeOf(size);
    const leaves = new ProvenLeaves(tiles, nodeSha256);
    await leaves.check(all[0] as Hash, 0, checkpoint);
    const { root } = treeOf(size - 1).checkpoint;
    assert.ok(!equalBytes(root, checkpoint.root));
    await assert.rejects(
      leaves.check(all[0] as Hash, 0, { ...checkpoint, root }),
      (error) => faultCode(error) === 'bad_proof',
    );
  }
});

test('proven leaves: a tile is asked for once while it is read in order', async () => {
  const { checkpoint, tiles, asked } = treeOf(70_000);
  const leaves = new ProvenLeaves(tiles, nodeSha256);
  for (let seq = 0; seq < 512; seq += 1) await leaves.check(all[seq] as Hash, seq, checkpoint);
  const counts = asked.filter((each) => each === '0/1').length;
  assert.ok(counts <= 3 && asked.length < 20, asked.join(' '));
});
