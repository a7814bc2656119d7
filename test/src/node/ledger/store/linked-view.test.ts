import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Level } from 'level';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { LinkedView } from '@assay/node/ledger/store/linked-view';
import { contents, temporaryFolder } from '../ledger-fixture.ts';

test('linked view: the rows of a database that is open are read through it, whatever becomes of its files', async (t) => {
  const root = await temporaryFolder(t);
  const folder = join(root, 'ledger');
  const store = await openLevelStore(folder, { sync: false });
  const large = new Uint8Array(2 * 1024 * 1024).fill(7);
  // Some rows lie in tables, and some in LevelDB's log alone.
  for (let seq = 0; seq < 20; seq += 1) {
    const entries = [{ seq, bytes: seq < 18 ? large : new Uint8Array([seq]) }];
    await store.commit({ entries, tiles: [], views: [], head: new Uint8Array([seq]) });
  }
  const rows = await contents(store);
  const view = await LinkedView.make(folder);
  const tables = (await readdir(view.folder)).filter((name) => name.endsWith('.ldb'));
  assert.ok(tables.length > 0);
  for (const name of tables) {
    assert.ok((await lstat(join(view.folder, name))).isFile(), 'no link that ends with the table');
    assert.equal((await stat(join(view.folder, name))).nlink, 2);
  }
  // The database goes on: its tables become others.
  const database = new Level<Uint8Array, Uint8Array>(view.folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    compression: false,
  });
  await database.open();
  await store.rewrite(0, { tiles: [], views: [], head: new Uint8Array([0]) });
  let count = 0;
  for await (const _ of database.keys()) count += 1;
  assert.equal(count, rows.length);
  await database.close();
  await view.remove();
  await store.close();
  const again = await openLevelStore(folder);
  assert.equal((await contents(again)).length, 1);
  await again.close();
});

test('linked view: what an interrupted process has left is removed, and nothing of another name', async (t) => {
  const root = await temporaryFolder(t);
  const folder = join(root, 'ledger');
  for (const name of ['ledger.00.view', 'other.00.view', 'ledger.keys']) {
    await mkdir(join(root, name));
  }
  const first = await openLevelStore(folder);
  await first.commit({ entries: [], tiles: [], views: [], head: new Uint8Array([1]) });
  await first.close();
  const store = await openLevelStore(folder);
  await store.settle();
  await store.close();
  assert.deepEqual((await readdir(root)).sort(), ['ledger', 'ledger.keys', 'other.00.view']);
});
