import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTilePath, type Tile } from '@assay/core/log/tile';
import { type FetchTile, HeadTiles } from '@assay/node/mirror/head-tiles';
import { newBundles } from '@assay/node/mirror/head-bundles';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Published } from '@assay/node/ledger/ledger';
import { signedLog } from './mirror-fixture.ts';

/** A made-up log of `size` entries, and a way to its tiles that counts. */
function logOf(size: number) {
  const entries = Array.from({ length: size }, (_, i) => new TextEncoder().encode(`entry ${i}`));
  const log = signedLog(entries);
  const asked: string[] = [];
  const fetch: FetchTile = async (tile) => {
    asked.push(formatTilePath(tile));
    return (await log.tile(tile)) as Uint8Array;
  };
  return { entries, fetch, asked, head: log.published as Published };
}

const spoil =
  (fetch: FetchTile, match: (tile: Tile) => boolean): FetchTile =>
  async (tile) => {
    const bytes = await fetch(tile);
    return match(tile) ? bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)) : bytes;
  };

async function allOf(size: number, start: number, log = logOf(size)): Promise<Uint8Array[]> {
  const tiles = await HeadTiles.open(nodeSha256, log.fetch, log.head);
  const all: Uint8Array[] = [];
  for await (const part of newBundles(nodeSha256, log.fetch, tiles, start, size)) {
    all.push(...part.map(({ entry }) => entry));
  }
  return all;
}

test('head tiles: entries of any size from any start', async () => {
  for (const size of [1, 2, 255, 256, 257, 511, 512, 513, 1000]) {
    const { entries } = logOf(size);
    for (const start of [0, 1, 255, 256, 257, 600]) {
      if (start > size) continue;
      assert.deepEqual(await allOf(size, start), entries.slice(start), `${start} to ${size}`);
    }
  }
});

test('head tiles: three levels', async () => {
  const size = 65_536 + 300;
  const log = logOf(size);
  const tiles = await HeadTiles.open(nodeSha256, log.fetch, log.head);
  assert.deepEqual(log.asked.splice(0).toSorted(), [
    'tile/0/257.p/44',
    'tile/1/001.p/1',
    'tile/2/000.p/1',
  ]);
  assert.equal((await tiles.hashes(0, 3)).length, 256);
  assert.deepEqual(log.asked.splice(0).toSorted(), ['tile/0/003', 'tile/1/000']);
  await tiles.leavesRoot(9);
  await tiles.hashes(0, 3);
  assert.deepEqual(log.asked, []);
  for (const [level, index] of [
    [0, 258],
    [1, 2],
    [3, 0],
  ] as const) {
    await assert.rejects(tiles.hashes(level, index), { code: 'out_of_range' });
  }
});

test('head tiles: a wrong tile at the edge or below it, and a wrong bundle', async () => {
  const log = logOf(1000);
  for (const level of [0, 1]) {
    const wrong = spoil(log.fetch, (tile) => tile.level === level);
    await assert.rejects(HeadTiles.open(nodeSha256, wrong, log.head), { code: 'bad_proof' });
  }
  let lies = true;
  const wrong: FetchTile = (tile) =>
    spoil(log.fetch, ({ level, index }) => lies && level === 0 && index === 1)(tile);
  const tiles = await HeadTiles.open(nodeSha256, wrong, log.head);
  await assert.rejects(tiles.hashes(0, 1), { code: 'bad_proof' });
  lies = false;
  assert.equal((await tiles.hashes(0, 1)).length, 256);
  for (const index of [0, 3]) {
    const fetch = spoil(log.fetch, (tile) => tile.level === 'entries' && tile.index === index);
    await assert.rejects(allOf(1000, 0, { ...log, fetch }), { code: 'bad_proof' });
  }
});

test('head tiles: a size that no tiles have', async () => {
  const { fetch, head } = logOf(1);
  const size = 2 ** 52;
  await assert.rejects(HeadTiles.open(nodeSha256, fetch, { ...head, size }), {
    code: 'out_of_range',
  });
});

test('head tiles: the reader of bundles asks for no more than a bundle can hold', async () => {
  const log = logOf(300);
  const tiles = await HeadTiles.open(nodeSha256, log.fetch, log.head);
  const most: number[] = [];
  const fetch = (tile: Tile, maxBytes: number): Promise<Uint8Array> => {
    most.push(maxBytes);
    return log.fetch(tile);
  };
  for await (const part of newBundles(nodeSha256, fetch, tiles, 0, 300)) assert.ok(part.length);
  assert.deepEqual(most, [256 * 65_537, 44 * 65_537]);
});
