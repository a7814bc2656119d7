import assert from 'node:assert/strict';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WRITE_BUFFER_BYTES } from '@assay/node/ledger/store/level-database';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { ScratchView } from '@assay/node/ledger/store/scratch-view';
import { contents, temporaryFolder } from '../ledger-fixture.ts';

/** Names and bytes of every file of a database that rows lie in. */
async function filesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const name of (await readdir(folder)).sort()) {
    if (!name.startsWith('LOG')) files.set(name, await readFile(join(folder, name), 'base64'));
  }
  return files;
}

test('scratch view: all of a database can be read through it, and nothing of the database changes', async (t) => {
  const root = await temporaryFolder(t);
  const folder = join(root, 'ledger');
  const store = await openLevelStore(folder);
  const large = new Uint8Array(WRITE_BUFFER_BYTES / 8).fill(7);
  // Some rows lie in tables, and some in LevelDB's log alone.
  for (let seq = 0; seq < 20; seq += 1) {
    const entries = [{ seq, bytes: seq < 18 ? large : new Uint8Array([seq]) }];
    await store.commit({ entries, tiles: [], views: [], head: new Uint8Array([seq]) });
  }
  const rows = await contents(store);
  await store.close();
  const before = await filesOf(folder);
  assert.ok([...before.keys()].some((name) => name.endsWith('.ldb')));

  const view = await ScratchView.make(folder, [join(root, 'nowhere'), root]);
  for (const name of await readdir(view.folder)) {
    const isTable = name.endsWith('.ldb');
    assert.equal((await lstat(join(view.folder, name))).isSymbolicLink(), isTable, name);
  }
  const seen = await openLevelStore(view.folder);
  assert.deepEqual(await contents(seen), rows);
  // What is written through a view is in the view.
  await seen.commit({ entries: [], tiles: [], views: [], head: new Uint8Array([99]) });
  await seen.close();
  await view.remove();
  assert.deepEqual((await readdir(root)).sort(), ['ledger']);
  assert.deepEqual(await filesOf(folder), before);
});

test('scratch view: where no folder takes it, each says why', async (t) => {
  const root = await temporaryFolder(t);
  const file = join(root, 'file');
  await writeFile(file, 'x');
  await assert.rejects(ScratchView.make(root, [join(root, 'nowhere'), file]), (error: unknown) => {
    assert.equal((error as { code?: string }).code, 'no_room');
    assert.match((error as Error).message, /nowhere: ENOENT.*; .*file: ENOTDIR/);
    return true;
  });
  assert.deepEqual(await readdir(root), ['file']);
});
