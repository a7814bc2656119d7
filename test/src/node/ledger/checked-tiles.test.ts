import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { formatHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { checkedEntries, checkedEntry, CheckedTiles } from '@assay/node/ledger/checked-tiles';
import { edgeOf } from '@assay/node/ledger/start';
import type { TileRow } from '@assay/node/ledger/store/store';
import { naiveLevels, plainSha256 } from './ledger-fixture.ts';

/** Entries and tiles of a log in memory, to be damaged at will. */
class Log {
  readonly entries: Uint8Array[] = [];
  readonly tiles = new Map<string, Uint8Array>();
  readonly tree = new TileTree(plainSha256);
  readonly levels: readonly (readonly Hash[])[];
  readonly mended: TileRow[] = [];
  reads = 0;

  constructor(size: number) {
    const leaves: Hash[] = [];
    for (let seq = 0; seq < size; seq += 1) {
      const bytes = new Uint8Array(Buffer.from(`entry ${seq}`));
      this.entries.push(bytes);
      const leaf = leafHash(plainSha256, bytes);
      leaves.push(leaf);
      for (const { level, index, hashes } of this.tree.append(leaf)) {
        this.tiles.set(`${level}/${index}`, formatHashTile(hashes));
      }
    }
    this.levels = naiveLevels(leaves);
  }

  readonly tile = (level: number, index: number): Promise<Uint8Array | undefined> => {
    this.reads += 1;
    return Promise.resolve(this.tiles.get(`${level}/${index}`));
  };

  readonly entry = (seq: number): Promise<Uint8Array | undefined> =>
    Promise.resolve(this.entries[seq]);

  async *range(start: number, end: number): AsyncGenerator<Uint8Array> {
    yield* this.entries.slice(start, end);
  }

  checked(): CheckedTiles {
    const store = { tile: this.tile, entries: this.range.bind(this) };
    return new CheckedTiles(plainSha256, store, edgeOf(this.tree), (tile) =>
      this.mended.push(tile),
    );
  }

  flip(name: string, at: number): void {
    const bytes = Uint8Array.from(this.tiles.get(name) as Uint8Array);
    bytes[at] = (bytes[at] as number) ^ 1;
    this.tiles.set(name, bytes);
  }
}

const corrupt = { name: 'Fault', code: 'ledger_corrupt' };
const SIZE = 66_000;
const shared = new Log(SIZE);

test('checked tiles: every tile of a tree, full or at the edge', async () => {
  const tiles = shared.checked();
  for (const [level, hashes] of shared.levels.entries()) {
    for (let index = 0; index * TILE_WIDTH < hashes.length; index += level === 0 ? 37 : 1) {
      const expected = hashes.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
      assert.deepEqual(await tiles.read(level, index), expected, `${level}/${index}`);
    }
  }
  assert.deepEqual(shared.mended, []);
  await assert.rejects(tiles.read(0, 258), corrupt);
  await assert.rejects(tiles.read(1, 2), corrupt);
});

test('checked tiles: one that was checked is read once', async () => {
  const tiles = shared.checked();
  shared.reads = 0;
  for (let i = 0; i < 3; i += 1) await tiles.read(0, 5);
  assert.equal(shared.reads, 2, 'the tile, and the one above it');
  await tiles.check(0, 5);
  assert.equal(shared.reads, 3);
});

test('checked tiles: a bit anywhere is found, and the tile is derived from what lies below', async () => {
  for (const [name, level, index] of [
    ['0/0', 0, 0],
    ['0/255', 0, 255],
    ['1/0', 1, 0],
  ] as const) {
    for (const at of [0, 31, 32, 4000, 8191]) {
      const log = new Log(SIZE);
      const good = log.tiles.get(name) as Uint8Array;
      log.flip(name, at);
      const found = formatHashTile(await log.checked().read(level, index));
      assert.deepEqual(found, good, `${name} byte ${at}`);
      assert.deepEqual(log.mended, [{ level, index, bytes: good }], `${name} byte ${at}`);
    }
  }
  const both = new Log(SIZE);
  both.flip('1/0', 77);
  both.flip('0/3', 100);
  both.tiles.delete('0/9');
  const tiles = both.checked();
  await assert.rejects(tiles.read(1, 0), corrupt, 'what lies below is damaged, too');
});

test('checked tiles: a tile is no more than its entries where it is gone', async () => {
  const log = new Log(700);
  const good = log.tiles.get('0/1') as Uint8Array;
  log.tiles.delete('0/1');
  assert.deepEqual(formatHashTile(await log.checked().read(0, 1)), good);
  log.entries[300] = new Uint8Array(3);
  await assert.rejects(log.checked().read(0, 1), corrupt);
});

test('checked entries: each is held to its leaf; the first that is not is named', async () => {
  const log = new Log(700);
  const tiles = log.checked().read;
  const store = { entry: log.entry, entries: log.range.bind(log) };
  const read = async (start: number, end: number): Promise<number> => {
    let count = 0;
    for await (const bytes of checkedEntries(plainSha256, store, tiles, start, end)) {
      assert.deepEqual(bytes, log.entries[start + count]);
      count += 1;
    }
    return count;
  };
  for (const [start, end] of [
    [0, 700],
    [0, 0],
    [255, 257],
    [300, 301],
    [512, 700],
  ] as const) {
    assert.equal(await read(start, end), end - start);
  }
  for (const seq of [0, 255, 256, 511, 699]) {
    const good = log.entries[seq] as Uint8Array;
    for (let at = 0; at < good.length; at += 1) {
      const bad = Uint8Array.from(good);
      bad[at] = (bad[at] as number) ^ 8;
      log.entries[seq] = bad;
      const named = { ...corrupt, message: new RegExp(`entry ${seq}\\b.*assay restore`) };
      await assert.rejects(read(seq - (seq % 200), Math.min(700, seq + 5)), named);
      await assert.rejects(checkedEntry(plainSha256, store, tiles, seq), named);
    }
    log.entries[seq] = good;
    assert.deepEqual(await checkedEntry(plainSha256, store, tiles, seq), good);
  }
  const [last] = log.entries.splice(699);
  await assert.rejects(read(600, 700), { ...corrupt, message: /entry 699\b.*none/ });
  await assert.rejects(checkedEntry(plainSha256, store, tiles, 699), {
    ...corrupt,
    message: /none/,
  });
  log.entries.push(last as Uint8Array);
});
