import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type DataFolder, dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { hasData, openData, type OpenData } from '@assay/node/data/open-data';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

async function made(t: TestContext): Promise<DataFolder> {
  const folder = dataFolder(join(await temporaryFolder(t), 'data'));
  await initData(folder, nodeSha256, () => NOON, {
    origin: 'development/open',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  return folder;
}

const open = (folder: DataFolder): Promise<OpenData> =>
  openData(folder, nodeSha256, { passphrase: undefined });

async function closed({ store, guard }: OpenData): Promise<void> {
  await store.close();
  await guard.close();
}

test('open data: whether there is any', async (t) => {
  const folder = dataFolder(join(await temporaryFolder(t), 'data'));
  assert.equal(await hasData(folder), false);
  await mkdir(folder.root);
  assert.equal(await hasData(folder), false);
  await writeFile(folder.ledger, 'a file');
  assert.equal(await hasData(folder), false);
  assert.equal(await hasData(await made(t)), true);
  assert.equal(await hasData(dataFolder(join(folder.ledger, 'below'))), false);
});

test('open data: none is reported as none, and nothing is made', async (t) => {
  const root = await temporaryFolder(t);
  const folder = dataFolder(join(root, 'data'));
  await assert.rejects(open(folder), { name: 'Fault', code: 'not_found' });
  assert.deepEqual(await readdir(root), []);
});

test('open data: one process at a time', async (t) => {
  const folder = await made(t);
  const data = await open(folder);
  await assert.rejects(open(folder), { name: 'Fault', code: 'refused' });
  await closed(data);
  await closed(await open(folder));
});

test('open data: a key that is missing, exposed or another’s is refused, and the lock is free again', async (t) => {
  const folder = await made(t);
  const key = keyPath(folder, 'checkpoint');
  await rename(key, `${key}.away`);
  await assert.rejects(open(folder), { code: 'key_missing' });
  await rename(`${key}.away`, key);
  await chmod(key, 0o644);
  await assert.rejects(open(folder), { code: 'key_exposed' });
  await chmod(key, 0o600);
  await closed(await open(folder));
});

test('open data: a head guard that cannot be read is refused, and the lock is free again', async (t) => {
  const folder = await made(t);
  const journal = join(folder.guard, '0');
  const guard = await readFile(journal);
  await writeFile(journal, guard.subarray(1));
  await assert.rejects(open(folder), { name: 'Fault', code: 'guard_corrupt' });
  await writeFile(journal, guard);
  await closed(await open(folder));
});

test('open data: a database without its first entry is none', async (t) => {
  const folder = await made(t);
  await rm(folder.ledger, { recursive: true });
  await mkdir(folder.ledger);
  await assert.rejects(open(folder), { code: 'not_found' });
});

test('open data: what the system says against it has a code', async (t) => {
  const folder = await made(t);
  const journal = join(folder.guard, '0');
  await rm(journal);
  await mkdir(journal);
  await assert.rejects(open(folder), { name: 'Fault', code: 'storage_failed' });
});
