import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { type DerivedRows, deriveRows } from '@assay/node/ledger/derived/derived-rows';
import { codedError } from '@assay/node/ledger/store/level-database';
import { openLevelStore, openScratch } from '@assay/node/ledger/store/level-store';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { assetDraft } from '../../terminal/tick-world.ts';
import {
  bound,
  filledLedger,
  memoryPlace,
  type Place,
  temporaryFolder,
} from '../ledger-fixture.ts';

const SIZE = 22;

async function assetLog(): Promise<Place> {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 1);
  for (let i = 0; i < 20; i += 1) await ledger.write(() => [assetDraft(`A${i % 7}`, i % 3 === 0)]);
  return place;
}

interface SealedText {
  readonly table: string;
  readonly key: string;
  readonly value: string;
  readonly digest: string;
}

async function sealedIn(rows: DerivedRows): Promise<readonly SealedText[]> {
  const found: SealedText[] = [];
  for await (const { table, key, value, digest } of rows.sealed()) {
    found.push({ table, key, value: Buffer.from(value).toString(), digest: formatHex(digest) });
  }
  return found;
}

/** A log whose places for derived rows are in a folder. */
async function onDisk(
  t: TestContext,
): Promise<{ readonly folder: string; readonly store: LedgerStore }> {
  const folder = await temporaryFolder(t);
  const beside = await openLevelStore(join(folder, 'ledger'), { sync: false });
  const { store } = await assetLog();
  return {
    folder,
    store: { ...bound(store), scratch: () => beside.scratch(), close: () => beside.close() },
  };
}

const proofs = async (folder: string): Promise<number> =>
  (await readdir(folder)).filter((name) => name.endsWith('.proof')).length;

test('derived rows: those on the disk are those in memory', async (t) => {
  const { folder, store } = await onDisk(t);
  for (const size of [1, 2, 9, SIZE]) {
    const inMemory = await deriveRows(nodeSha256, store, size, { most: size });
    assert.equal(await proofs(folder), 0);
    const beside = await deriveRows(nodeSha256, store, size, { most: size - 1 });
    assert.equal(await proofs(folder), 1);
    assert.deepEqual(beside.root, inMemory.root);
    assert.deepEqual(beside.rows.sum, inMemory.rows.sum);
    const sealed = await sealedIn(inMemory.rows);
    assert.deepEqual(await sealedIn(beside.rows), sealed);
    const [a, b] = [inMemory.rows.committed(), beside.rows.committed()];
    for (const table of new Set(sealed.map((row) => row.table))) {
      const keys = [...a.keys(table)];
      assert.deepEqual([...b.keys(table)], keys);
      assert.deepEqual([...b.keysBack(table)], [...a.keysBack(table)]);
      assert.deepEqual([...beside.rows.views.list(table)], [...inMemory.rows.views.list(table)]);
      for (const key of keys) assert.deepEqual(b.get(table, key), a.get(table, key));
    }
    await b.drop?.();
    await beside.rows.drop();
    assert.equal(await proofs(folder), 0);
  }
  await store.close();
});

test('derived rows: several are there at a time, and the store removes what is left of them', async (t) => {
  const { folder, store } = await onDisk(t);
  const [first, second] = [
    await deriveRows(nodeSha256, store, 9, { most: 0 }),
    await deriveRows(nodeSha256, store, SIZE, { most: 0 }),
  ];
  assert.equal(await proofs(folder), 2);
  assert.notDeepEqual(first.rows.sum, second.rows.sum);
  assert.equal((await sealedIn(first.rows)).length, first.rows.sum.rows);
  await first.rows.drop();
  assert.equal(await proofs(folder), 1);
  assert.equal((await sealedIn(second.rows)).length, second.rows.sum.rows);
  await store.close();
  assert.equal(await proofs(folder), 0);
  await assert.rejects(store.scratch(), { code: 'stopped' });
});

test('derived rows: what a killed process left is removed when the log is opened next, and nothing else', async (t) => {
  const folder = await temporaryFolder(t);
  const [left, used] = [`ledger.${'0'.repeat(16)}.proof`, `ledger.${'1'.repeat(16)}.proof`];
  const others = [
    `ledger.later.${'0'.repeat(16)}.proof`,
    'ledger.00.proof',
    `other.${'0'.repeat(16)}.proof`,
  ];
  for (const name of [left, ...others]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, '000003.log'), 'x');
  }
  const scratch = await openScratch(join(folder, used));
  const store = await openLevelStore(join(folder, 'ledger'), { sync: false });
  const rest = ['ledger', ...others].sort();
  assert.deepEqual((await readdir(folder)).sort(), [...rest, used].sort(), 'one is in use');
  await store.close();
  await scratch.close();
  await (await openLevelStore(join(folder, 'ledger'), { sync: false })).close();
  assert.deepEqual((await readdir(folder)).sort(), rest);
});

test('derived rows: without room for them on the disk they are in memory', async () => {
  const { store } = await assetLog();
  const full = new Fault('no_room', 'view rows');
  const inMemory = await deriveRows(nodeSha256, store, SIZE, { most: SIZE });
  let dropped = 0;
  const places: readonly (() => ReturnType<LedgerStore['scratch']>)[] = [
    () => Promise.reject(full),
    async () => {
      const scratch = await store.scratch();
      const commit = (): Promise<void> => Promise.reject(full);
      const drop = (): Promise<void> => {
        dropped += 1;
        return scratch.drop();
      };
      return { store: { ...bound(scratch.store), commit }, drop };
    },
  ];
  for (const scratch of places) {
    const found = await deriveRows(nodeSha256, { ...bound(store), scratch }, SIZE, { most: 0 });
    assert.deepEqual(found.rows.sum, inMemory.rows.sum);
    assert.deepEqual(await sealedIn(found.rows), await sealedIn(inMemory.rows));
  }
  assert.equal(dropped, 1);
});

test('derived rows: of entries that cannot be derived from nothing is left', async (t) => {
  const { folder, store } = await onDisk(t);
  await assert.rejects(deriveRows(nodeSha256, store, SIZE + 1, { most: 0 }), {
    code: 'ledger_corrupt',
  });
  assert.equal(await proofs(folder), 0);
  const failing = {
    ...store,
    scratch: () => Promise.reject(new Fault('storage_failed', 'view rows')),
  };
  await assert.rejects(deriveRows(nodeSha256, failing, SIZE, { most: 0 }), {
    code: 'storage_failed',
  });
  await store.close();
});

test('derived rows: a disk that fails beside a log says nothing of its entries', async () => {
  const { store } = await assetLog();
  for (const [error, code] of [
    [new Error('IO error: 000005.ldb: Too many open files'), 'storage_failed'],
    [new Error('Corruption: block checksum mismatch'), 'storage_failed'],
    [new Fault('stopped', 'ledger database'), 'stopped'],
  ] as const) {
    const scratch = async (): ReturnType<LedgerStore['scratch']> => {
      const made = await store.scratch();
      const view = (): never => {
        throw codedError(error);
      };
      return { ...made, store: { ...bound(made.store), view } };
    };
    const failing = { ...bound(store), scratch };
    await assert.rejects(deriveRows(nodeSha256, failing, SIZE, { most: 0 }), { code });
  }
  const bug = new TypeError('no error of LevelDB');
  assert.equal(codedError(bug), bug);
  assert.equal('code' in bug, false);
});

test('derived rows: where a folder cannot be made for them, the reason is told', async (t) => {
  const folder = await temporaryFolder(t);
  await assert.rejects(openScratch(join(folder, 'none', 'rows')), {
    code: 'storage_failed',
    message: /ENOENT/,
  });
});
