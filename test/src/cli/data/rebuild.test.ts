import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataFolder } from '@assay/node/platform/data-folder';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { sealed } from '../../node/ledger/ledger-fixture.ts';
import { ownData } from '../fixture/data-folder.ts';
import { assay, scratch } from '../fixture/run.ts';

test('rebuild: a sound folder has the same bytes afterwards', async (t) => {
  const folder = await ownData(t);
  const { code, out, err } = await assay(folder, ['rebuild', 'data']);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^\d+ view rows from \d+ entries: the same bytes as before\n$/);
  assert.equal((await assay(folder, ['verify', 'data'])).code, 0);
});

test('rebuild: rows that do not follow from the entries are put right', async (t) => {
  const folder = await ownData(t);
  const store = await openLevelStore(dataFolder(join(folder, 'data')).ledger);
  const head = await store.head();
  await store.commit({
    entries: [],
    tiles: [{ level: 0, index: 0, bytes: new Uint8Array(8192) }],
    views: [
      sealed({ table: 'periods/LAYOFFS', key: '2026-07-25', value: Buffer.from('{}') }),
      sealed({ table: 'rumours', key: 'x', value: Buffer.from('{}') }),
    ],
    head: head as Uint8Array,
  });
  await store.close();
  const before = await assay(folder, ['verify', 'data']);
  assert.equal(before.code, 1);
  for (const code of ['view_differs', 'view_unknown', 'tile_differs']) {
    assert.equal(before.out.includes(code), true, code);
  }
  const { code, out } = await assay(folder, ['rebuild', 'data']);
  assert.equal(code, 0);
  assert.doesNotMatch(out, /the same bytes/);
  assert.equal((await assay(folder, ['verify', 'data'])).code, 0);
});

test('rebuild needs a folder with a log', async (t) => {
  const folder = await scratch(t);
  assert.equal((await assay(folder, ['rebuild'])).code, 2);
  assert.equal((await assay(folder, ['rebuild', 'a', 'b'])).code, 2);
  const none = await assay(folder, ['rebuild', 'nowhere']);
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.deepEqual(await readdir(folder), []);
});
