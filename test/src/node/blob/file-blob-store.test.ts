import assert from 'node:assert/strict';
import fs, { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { blobStoreSuite } from '../fixture/blob-store-suite.ts';

/** sha256 of `abc` (FIPS 180-4, the first example). */
const ABC = toHashHex('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
const abc = new TextEncoder().encode('abc');

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-blobs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'deep', 'blobs');
}

blobStoreSuite('FileBlobStore', async (t) => FileBlobStore.open(await folderOf(t)));

test('FileBlobStore: one file a blob, and nothing on the stage', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  await store.put(abc);
  await store.put(abc);
  assert.deepEqual((await readdir(folder, { recursive: true })).sort(), [
    'ba',
    join('ba', ABC),
    'tmp',
  ]);
  assert.deepEqual(new Uint8Array(await readFile(join(folder, 'ba', ABC))), abc);
});

test('FileBlobStore: the next process finds it', async (t) => {
  const folder = await folderOf(t);
  await (await FileBlobStore.open(folder)).put(abc);
  const again = await FileBlobStore.open(folder);
  assert.deepEqual(await again.get(ABC), abc);
});

test('FileBlobStore: a reader touches nothing, not even the stage of its owner', async (t) => {
  const folder = await folderOf(t);
  const hash = await (await FileBlobStore.open(folder)).put(abc);
  await writeFile(join(folder, 'tmp', 'half'), 'written by its owner now');
  const found = await FileBlobStore.reader(folder).read(hash);
  assert.equal(found?.size, abc.length);
  assert.deepEqual(await readdir(join(folder, 'tmp')), ['half']);
  const nowhere = join(folder, 'nowhere');
  assert.equal(await FileBlobStore.reader(nowhere).read(hash), undefined);
  assert.equal((await readdir(folder)).includes('nowhere'), false);
});

test('FileBlobStore: bytes that lost their hash are an error, until they are put again', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  await store.put(abc);
  for (const spoilt of ['abd', 'ab', '', 'abcd']) {
    await writeFile(join(folder, 'ba', ABC), spoilt);
    assert.equal(await store.has(ABC), true);
    await assert.rejects(store.get(ABC), { name: 'Fault', code: 'blob_differs' });
    await store.put(abc);
    assert.deepEqual(await store.get(ABC), abc);
  }
});

test('FileBlobStore: bytes for somebody else have their hash, whatever became of the file', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  const good = new Uint8Array(200_000).fill(9);
  const hash = await store.put(good);
  const path = join(folder, hash.slice(0, 2), hash);
  const differs = { name: 'Fault', code: 'blob_differs' };
  for (const each of [store, FileBlobStore.reader(folder)]) {
    for (const at of [0, 65_535, 65_536, 199_999]) {
      assert.equal((await each.checked(hash))?.size, good.length);
      const flipped = Uint8Array.from(good);
      flipped[at] = 8;
      await writeFile(path, flipped);
      await assert.rejects(each.checked(hash), differs, `byte ${at}`);
      await assert.rejects(Promise.all([each.checked(hash), each.checked(hash)]), differs);
      await writeFile(path, good);
    }
    await writeFile(path, good.subarray(1));
    await assert.rejects(each.checked(hash), differs);
    await writeFile(path, good);
  }
});

test('FileBlobStore: a file that has not changed since is hashed once', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  const hash = await store.put(new Uint8Array(1000).fill(9));
  await store.checked(hash);
  let opened = 0;
  const real = fs.open;
  t.mock.method(fs, 'open', (path: string, ...rest: []) => {
    opened += 1;
    return real(path, ...rest);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  await store.checked(hash);
  assert.equal(opened, 0);
  const path = join(folder, hash.slice(0, 2), hash);
  await writeFile(path, new Uint8Array(1000).fill(9));
  await store.checked(hash);
  assert.ok(opened > 0);
});

test('FileBlobStore: files that are not blobs are neither listed nor harmed', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  await store.put(abc);
  const strays = ['README', 'ba/notes', `ba/${'0'.repeat(64)}`, `ba/${ABC.toUpperCase()}`, 'zz'];
  for (const stray of strays) await writeFile(join(folder, stray), 'x');
  const hashes: HashHex[] = [];
  for await (const hash of store.list()) hashes.push(hash);
  assert.deepEqual(hashes, [ABC]);
  await FileBlobStore.open(folder);
  for (const stray of strays) assert.equal(await readFile(join(folder, stray), 'utf8'), 'x');
});

test('FileBlobStore: what an earlier process left half written goes at opening', async (t) => {
  const folder = await folderOf(t);
  await mkdir(join(folder, 'tmp'), { recursive: true });
  await writeFile(join(folder, 'tmp', `.${ABC}.00.tmp`), 'ab');
  const store = await FileBlobStore.open(folder);
  assert.deepEqual(await readdir(join(folder, 'tmp')), []);
  assert.equal(await store.get(ABC), undefined);
});

test('FileBlobStore: a put that fails leaves nothing, and can be tried again', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  const handle = await open(folder);
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const mock = t.mock.method(prototype, 'sync', () => Promise.reject(new Error('EIO')));
  await assert.rejects(store.put(abc), /EIO/);
  mock.mock.restore();
  assert.equal(await store.get(ABC), undefined);
  assert.deepEqual(await readdir(join(folder, 'tmp')), []);
  await store.put(abc);
  assert.deepEqual(await store.get(ABC), abc);
});

test('FileBlobStore: the folder is synced after each name, also of one that is there', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  const opened: string[] = [];
  const real = fs.open;
  t.mock.method(fs, 'open', (path: string, ...rest: []) => {
    opened.push(path.slice(folder.length + 1).replace(/\.[0-9a-f]{16}\./, '.*.'));
    return real(path, ...rest);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  await store.put(abc);
  // The folder above of a new prefix, the staged file, and the prefix's own folder.
  assert.deepEqual(opened.splice(0), ['', join('tmp', `.${ABC}.*.tmp`), 'ba']);
  await store.put(abc);
  assert.deepEqual(opened, ['ba']);
});

test('FileBlobStore: a hash that is none makes no path', async (t) => {
  const store = await FileBlobStore.open(await folderOf(t));
  for (const hash of ['../../etc/passwd', '', ABC.toUpperCase(), `${ABC}/..`]) {
    await assert.rejects(store.get(hash as HashHex), { code: 'bad_hex' });
    await assert.rejects(store.has(hash as HashHex), { code: 'bad_hex' });
  }
});

test('FileBlobStore: a blob that is cut or gone while it is read is no whole one', async (t) => {
  const folder = await folderOf(t);
  const store = await FileBlobStore.open(folder);
  const hash = await store.put(new Uint8Array(200_000));
  const path = join(folder, hash.slice(0, 2), hash);
  const reader = await store.read(hash);
  const pieces = reader?.chunks()[Symbol.asyncIterator]();
  assert.equal((await pieces?.next())?.value.length, 65_536);
  await writeFile(path, new Uint8Array(100_000));
  await assert.rejects(async () => pieces?.next(), { name: 'Fault', code: 'blob_differs' });
  await rm(path);
  await assert.rejects(async () => reader?.chunks()[Symbol.asyncIterator]().next(), {
    code: 'ENOENT',
  });
  assert.equal(await store.read(hash), undefined);
  await mkdir(path);
  assert.equal(await store.read(hash), undefined);
  await assert.rejects(store.read('../../etc/passwd' as HashHex), { code: 'bad_hex' });
});

test('FileBlobStore: two stores on one folder', async (t) => {
  const folder = await folderOf(t);
  const stores = [await FileBlobStore.open(folder), await FileBlobStore.open(folder)];
  const bytes = new Uint8Array(200_000).fill(1);
  const puts = stores.flatMap((store) => Array.from({ length: 6 }, () => store.put(bytes)));
  const [hash] = await Promise.all(puts);
  for (const store of stores) assert.deepEqual(await store.get(hash as HashHex), bytes);
});

test('file blobs: without sync they are the same blobs', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-blobs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const store = await FileBlobStore.open(folder, { sync: false });
  const bytes = new TextEncoder().encode('a page');
  const [first, second] = await Promise.all([store.put(bytes), store.put(bytes)]);
  assert.equal(first, second);
  assert.deepEqual(await (await FileBlobStore.open(folder)).get(first), bytes);
});
