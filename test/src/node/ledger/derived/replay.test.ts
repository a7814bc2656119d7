import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEntry } from '@assay/core/log/entry';
import { type Hash, hashHex, leafHash, toHashHex, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { toTime } from '@assay/core/time/time';
import { TILE_WIDTH } from '@assay/core/log/tile';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryViews } from '@assay/core/view/state';
import { replay } from '@assay/node/ledger/derived/replay';
import { sealedRows } from '@assay/node/ledger/store/sealed-row';
import type { LedgerStore, TileRow } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { WireObject } from '@assay/core/wire/wire';
import { layoffsRule } from '../../../core/fixture/fixture.ts';
import {
  entriesOf,
  filledLedger,
  genesisBody,
  memoryPlace,
  naiveLevels,
  naiveRoot,
  plainSha256,
} from '../ledger-fixture.ts';

const corrupt = { name: 'Fault', code: 'ledger_corrupt' };

interface Part {
  readonly kind: string;
  readonly body: object;
}

const NOTE: Part = { kind: 'note/1', body: { text: 'x' } };
const GENESIS: Part = { kind: 'genesis/1', body: genesisBody() };
const RULE: Part = { kind: 'rule/1', body: { rule: layoffsRule() } };

/** A chain of these bodies, one link changed by `change`. */
function chain(
  parts: readonly Part[],
  change: (seq: number, entry: { seq: number; prev: string }) => object = () => ({}),
): readonly Uint8Array[] {
  let prev = ZERO_HASH_HEX;
  return parts.map(({ kind, body }, i) => {
    const entry = { v: 1, seq: i, prev, at: toTime('2026-07-30T12:30:00Z'), kind } as const;
    const bytes = formatEntry({ ...entry, body: body as WireObject, ...change(i, entry) });
    prev = hashHex(leafHash(nodeSha256, bytes));
    return bytes;
  });
}

async function storeOf(entries: readonly Uint8Array[]): Promise<LedgerStore> {
  const store = await openMemoryStore();
  await store.commit({
    entries: entries.map((bytes, seq) => ({ seq, bytes })),
    tiles: [],
    views: [],
    head: new Uint8Array(0),
  });
  return store;
}

test('replay: tree, tiles and views of a log are those that the log wrote', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 600);
  await ledger.write(() => [RULE as never]);
  const tiles: TileRow[] = [];
  const { size, root, views } = await replay(nodeSha256, place.store, 602, new MemoryViews(), {
    onTile: (tile) => tiles.push(tile),
  });
  const leaves = (await entriesOf(place.store)).map((bytes) => leafHash(plainSha256, bytes));
  assert.equal(size, 602);
  assert.deepEqual(Buffer.from(root), Buffer.from(naiveRoot(leaves)));
  const levels = naiveLevels(leaves);
  assert.deepEqual(
    tiles.map(({ level, index }) => [level, index]),
    [
      [0, 0],
      [0, 1],
    ],
  );
  for (const { level, index, bytes } of tiles) {
    const hashes = (levels[level] as readonly Hash[]).slice(index * 256, (index + 1) * TILE_WIDTH);
    assert.ok(Buffer.concat(hashes).equals(bytes));
  }
  const stored: unknown[] = [];
  for await (const { table, key, value } of place.store.views()) {
    stored.push([table, key, Buffer.from(value).toString()]);
  }
  const derived = [...sealedRows(nodeSha256, views)].map(({ table, key, value }) => [
    table,
    key,
    Buffer.from(value).toString(),
  ]);
  assert.deepEqual(derived, stored);
  assert.equal(derived.length, 3);
});

test('replay: a part of a log is the log as it was then', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const entries = await entriesOf(place.store);
  const leaves = entries.map((bytes) => leafHash(plainSha256, bytes));
  for (const size of [0, 1, 255, 256, 257, 301]) {
    let tiles = 0;
    const found = await replay(nodeSha256, place.store, size, new MemoryViews(), {
      onTile: () => (tiles += 1),
    });
    assert.equal(found.size, size);
    assert.deepEqual(Buffer.from(found.root), Buffer.from(naiveRoot(leaves, 0, size)));
    assert.equal(tiles, Math.floor(size / 256));
  }
});

test('replay: an entry of a kind that is not known is in the chain and in no view', async () => {
  const entries = chain([GENESIS, { kind: 'question/2', body: { height: 1 } }, RULE]);
  const found = await replay(nodeSha256, await storeOf(entries), 3, new MemoryViews());
  assert.equal(found.size, 3);
  assert.deepEqual(found.views.tables(), ['log', 'rules/LAYOFFS', 'tickers']);
});

test('replay: fewer entries than asked for are corrupt', async () => {
  const store = await storeOf(chain([GENESIS, NOTE]));
  await assert.rejects(replay(nodeSha256, store, 3, new MemoryViews()), corrupt);
  await assert.rejects(replay(nodeSha256, await openMemoryStore(), 1, new MemoryViews()), corrupt);
});

test('replay: a broken chain is corrupt, with the entry that breaks it', async () => {
  const wrongs: readonly (readonly [string, readonly Uint8Array[], number])[] = [
    ['a number twice', chain([GENESIS, NOTE, NOTE], (i) => (i === 2 ? { seq: 1 } : {})), 2],
    ['a number left out', chain([GENESIS, NOTE, NOTE], (i) => (i === 1 ? { seq: 2 } : {})), 1],
    [
      'another entry before it',
      chain([GENESIS, NOTE, NOTE], (i) => (i === 1 ? { prev: toHashHex('ab'.repeat(32)) } : {})),
      1,
    ],
    [
      'a first entry with one before it',
      chain([GENESIS], () => ({ prev: toHashHex('ab'.repeat(32)) })),
      0,
    ],
    ['bytes that are no entry', [...chain([GENESIS, NOTE]), Buffer.from('{}')], 2],
    ['no bytes', [...chain([GENESIS]), new Uint8Array(0)], 1],
    [
      'a body that does not fit its kind',
      chain([GENESIS, { kind: 'note/1', body: { words: 'x' } }]),
      1,
    ],
  ];
  for (const [name, entries, at] of wrongs) {
    const store = await storeOf(entries);
    await assert.rejects(
      replay(nodeSha256, store, entries.length, new MemoryViews()),
      (error: unknown) => {
        assert.equal((error as { code: string }).code, 'ledger_corrupt', name);
        assert.match((error as Error).message, new RegExp(`entry ${at}\\b`), name);
        return true;
      },
      name,
    );
  }
  const swapped = [...chain([GENESIS, NOTE, { kind: 'note/1', body: { text: 'y' } }])];
  swapped.reverse();
  await assert.rejects(replay(nodeSha256, await storeOf(swapped), 3, new MemoryViews()), corrupt);
});
