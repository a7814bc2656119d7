import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Level } from 'level';
import { KeyFile } from '@assay/node/ledger/store/key-file';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { SortedKeys } from '@assay/node/ledger/store/sorted-keys';
import { StoredViews } from '@assay/node/ledger/store/stored-views';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { sealed, temporaryFolder } from '../ledger-fixture.ts';

const head = (n: number): Uint8Array => new TextEncoder().encode(`head ${n}`);
const name = (n: number): string => `table/é${n % 3}\0${String(n).padStart(6, '0')}`;

function keysTo(count: number): SortedKeys {
  const keys = new SortedKeys();
  for (let n = 0; n < count; n += 1) keys.add(name(n));
  return keys;
}

function textsOf(keys: SortedKeys): readonly string[] {
  return [...keys.range('', '\u{10ffff}')];
}

test('key file: for each head that it was given it has the keys of that head, and perhaps later ones', async (t) => {
  const path = join(await temporaryFolder(t), 'ledger.keys');
  const keys = keysTo(1000);
  const file = KeyFile.make(nodeSha256, path, keys, head(1000));
  for (let n = 1000; n < 1010; n += 1) {
    keys.add(name(n));
    file.add([name(n)], keys, head(n + 1));
  }
  file.close(keys, head(1010));
  for (const n of [1000, 1004, 1010]) {
    const read = KeyFile.read(nodeSha256, path, head(n));
    assert.deepEqual(textsOf(read?.keys as SortedKeys), textsOf(keysTo(1010)));
  }
  assert.equal(KeyFile.read(nodeSha256, path, head(999)), undefined);
  assert.equal(KeyFile.read(nodeSha256, path, head(1011)), undefined);
  // It goes on where another process stopped.
  const read = KeyFile.read(nodeSha256, path, head(1010));
  read?.file.add([name(1010)], read.keys, head(1011));
  read?.file.close(read.keys, head(1011));
  assert.equal(KeyFile.read(nodeSha256, path, head(1011))?.keys.size, 1011);
});

test('key file: cut off or changed anywhere, it is believed for no head that it does not have all keys of', async (t) => {
  const path = join(await temporaryFolder(t), 'ledger.keys');
  const file = KeyFile.make(nodeSha256, path, keysTo(20), head(20));
  for (let n = 20; n < 24; n += 1) file.add([name(n)], keysTo(n + 1), head(n + 1));
  file.close(keysTo(24), head(24));
  const whole = await readFile(path);
  for (let at = 0; at < whole.length; at += 1) {
    await writeFile(path, whole.subarray(0, at));
    for (const n of [20, 22, 24]) {
      const read = KeyFile.read(nodeSha256, path, head(n));
      if (read !== undefined) assert.ok(read.keys.size >= n, `${n} keys, cut at ${at}`);
    }
    const changed = Uint8Array.from(whole);
    changed[at] = (changed[at] as number) ^ 1;
    await writeFile(path, changed);
    assert.equal(KeyFile.read(nodeSha256, path, head(24)), undefined, `changed at ${at}`);
  }
});

/** A commit of this many rows, of which the first has the number `start`. */
async function put(store: Awaited<ReturnType<typeof open>>, start: number, count: number) {
  const views = Array.from({ length: count }, (_, i) => {
    const [table = '', key = ''] = name(start + i).split('\0');
    return sealed({ table, key, value: Buffer.from(String(start + i)) });
  });
  await store.commit({ entries: [], tiles: [], views, head: head(start + count) });
}

const open = (folder: string) => openLevelStore(folder, { sync: false, keepsKeys: true });

/** How many keys a start has, and whether it had to read them from the database. */
async function startOf(
  t: TestContext,
  folder: string,
): Promise<{ readonly keys: number; readonly isRead: boolean }> {
  const reading = t.mock.method(Level.prototype, 'keys');
  const store = await open(folder);
  const { keyCount: keys } = await StoredViews.open(nodeSha256, store, { kept: true });
  await store.close();
  reading.mock.restore();
  return { keys, isRead: reading.mock.callCount() > 0 };
}

test('key file: a long database keeps one, which a process that is killed leaves whole', async (t) => {
  const root = await temporaryFolder(t);
  const folder = join(root, 'ledger');
  const store = await open(folder);
  await StoredViews.open(nodeSha256, store, { kept: true });
  await put(store, 0, 1000);
  assert.deepEqual(await readdir(root), ['ledger'], 'a short one is read');
  await put(store, 1000, 24_000);
  await put(store, 25_000, 10);
  // As a killed process leaves it: with what was appended last.
  const killed = await readFile(`${folder}.keys`);
  await store.close();
  await writeFile(`${folder}.keys`, killed);
  assert.deepEqual(await startOf(t, folder), { keys: 25_010, isRead: false });
  // A later head of another process, which kept no keys.
  const other = await openLevelStore(folder, { sync: false });
  await put(other, 25_010, 5);
  await other.close();
  assert.deepEqual(await startOf(t, folder), { keys: 25_015, isRead: true });
  assert.deepEqual(await startOf(t, folder), { keys: 25_015, isRead: false });
});

test('key file: rows that are replaced take it with them', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const store = await open(folder);
  await StoredViews.open(nodeSha256, store, { kept: true });
  await put(store, 0, 25_000);
  const [table = '', key = ''] = name(7).split('\0');
  await store.rewrite(0, {
    views: [sealed({ table, key, value: Buffer.from('7') })],
    head: head(1),
  });
  const rows = await StoredViews.open(nodeSha256, store, { kept: true });
  assert.equal(rows.keyCount, 1);
  await store.close();
});
