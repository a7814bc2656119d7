import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyParser } from '@assay/core/kind/kinds';
import { leafHash } from '@assay/core/hash/hash';
import { CHAIN_START, endOf, type ReadEntry, readNext } from '@assay/node/mirror/entry-chain';
import { readRows } from '@assay/node/mirror/mirror-rows';
import { MirrorStore } from '@assay/node/mirror/mirror-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  bound,
  CHECKPOINTS,
  entriesOf,
  filledLedger,
  memoryPlace,
} from '../ledger/ledger-fixture.ts';
import { extensionFork, olderFork } from '@assay/node/mirror/fork-proof';
import { openMirrored } from '@assay/node/mirror/mirrored-note';
import { KEY, logOf } from './mirror-fixture.ts';

async function readLog(notes: number) {
  const place = await memoryPlace();
  const log = await filledLedger(place, notes);
  const parse = bodyParser(nodeSha256);
  const read: ReadEntry[] = [];
  let end = CHAIN_START;
  for (const bytes of await entriesOf(place.store)) {
    const next = readNext(parse, end, bytes, leafHash(nodeSha256, bytes));
    read.push(next);
    end = endOf(next);
  }
  return { log, read };
}

test('mirror store: what is on its way to a head is stored and not shown', async () => {
  const { log, read } = await readLog(9);
  const { store } = await memoryPlace();
  const mirror = await MirrorStore.open(nodeSha256, store);
  await mirror.commit(read.slice(0, 5), undefined);
  assert.equal(mirror.size, 5);
  assert.equal(mirror.shown.get('log', 'genesis'), undefined);
  assert.equal(mirror.held, undefined);
  const again = await MirrorStore.open(nodeSha256, store);
  await again.show(0);
  assert.equal(again.shown.get('log', 'genesis'), undefined);
  await again.commit(read.slice(5), log.published?.note);
  assert.deepEqual(again.shown.get('log', 'genesis'), log.shown.get('log', 'genesis'));
  assert.deepEqual(again.held, log.published?.note);
  assert.deepEqual(again.root(), log.published?.root);
  assert.equal(await again.tile({ level: 0, index: 0, width: 9 }, 8), undefined);
  assert.deepEqual(
    await again.tile({ level: 0, index: 0, width: 8 }, 8),
    await log.tile({ level: 0, index: 0, width: 8 }),
  );
});

test('mirror store: rows that are not its own, and entries without a head, are corrupt', async () => {
  const { read } = await readLog(2);
  const place = await memoryPlace();
  await (await MirrorStore.open(nodeSha256, place.store)).commit(read, undefined);
  const rows = (key: string, value: string) => [
    { table: 'mirror', key, value: new TextEncoder().encode(value) },
  ];
  assert.throws(() => readRows(rows('held', '{}')), { code: 'ledger_corrupt' });
  assert.throws(() => readRows(rows('fork', '{"note":"x"}')), { code: 'ledger_corrupt' });
  const bare = { ...bound(place.store), head: () => Promise.resolve(undefined) };
  await assert.rejects(MirrorStore.open(nodeSha256, bare), { code: 'ledger_corrupt' });
});

test('mirror store: a fork is no fork where one head extends the other', async () => {
  const { read } = await readLog(9);
  const { store } = await memoryPlace();
  const mirror = await MirrorStore.open(nodeSha256, store);
  await mirror.commit(read, undefined);
  const head = async (notes: number) =>
    openMirrored(KEY, (await logOf(notes)).published?.note as Uint8Array);
  const seen = await head(9);
  for (const notes of [0, 3, 9]) {
    const found = await olderFork(nodeSha256, CHECKPOINTS.vkey, mirror, await head(notes), seen);
    assert.equal(found, undefined);
  }
  const older = await head(4);
  const { hashes } = mirror;
  assert.equal(
    await extensionFork(nodeSha256, CHECKPOINTS.vkey, mirror, older, seen, hashes),
    undefined,
  );
});
