import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { PackedBlobStore } from '@assay/node/blob/packed-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import { blobStoreSuite } from '../fixture/blob-store-suite.ts';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-packs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'blobs');
}

function bytesOf(number: number, length = 300): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) bytes[i] = (number * 31 + i * 7 + (number >> 8)) & 0xff;
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function hashOf(bytes: Uint8Array): HashHex {
  return hashHex(contentHash(nodeSha256, bytes));
}

async function listed(store: PackedBlobStore, after?: HashHex): Promise<readonly HashHex[]> {
  const hashes: HashHex[] = [];
  for await (const hash of store.list(after)) hashes.push(hash);
  return hashes;
}

async function packsIn(folder: string): Promise<readonly string[]> {
  return (await readdir(join(folder, 'packs'))).filter((name) => name.endsWith('.pack'));
}

blobStoreSuite('PackedBlobStore', async (t) => PackedBlobStore.open(await folderOf(t)));

test('PackedBlobStore: many small blobs are few files, and the next process finds each of them', async (t) => {
  const folder = await folderOf(t);
  const options = { most: 20_000 };
  const store = await PackedBlobStore.open(folder, options);
  const blobs = Array.from({ length: 300 }, (_, i) => bytesOf(i, 100 + i));
  await Promise.all(blobs.slice(0, 200).map((each) => store.put(each)));
  for (const each of blobs.slice(200)) await store.put(each);
  const large = bytesOf(7, 70_000);
  await store.put(large);
  const expected = [...blobs, large].map(hashOf).sort();
  for (const each of [store, await PackedBlobStore.open(folder, options)]) {
    assert.deepEqual(await listed(each), expected);
    assert.deepEqual(await listed(each, expected[100]), expected.slice(101));
    for (const bytes of blobs) {
      assert.deepEqual(await each.get(hashOf(bytes)), bytes);
      assert.equal(await each.verify(hashOf(bytes)), bytes.length);
    }
  }
  const files = await readdir(folder, { recursive: true });
  assert.ok(files.length < 30, `${files.length} files`);
  assert.ok((await packsIn(folder)).length > 1, 'a full pack is followed by another');
});

test('PackedBlobStore: what was stored in a file of its own is read, and is not stored again', async (t) => {
  const folder = await folderOf(t);
  const bytes = bytesOf(1);
  const hash = await (await FileBlobStore.open(folder)).put(bytes);
  const store = await PackedBlobStore.open(folder);
  assert.deepEqual(await store.get(hash), bytes);
  await store.put(bytes);
  assert.deepEqual(await packsIn(folder), []);
  await writeFile(join(folder, hash.slice(0, 2), hash), 'spoilt');
  await assert.rejects(store.get(hash), { code: 'blob_differs' });
  await store.put(bytes);
  assert.deepEqual(await store.get(hash), bytes);
  assert.deepEqual(await listed(store), [hash]);
});

test('PackedBlobStore: a flipped bit is an error wherever it is, until the bytes are put again', async (t) => {
  const folder = await folderOf(t);
  const store = await PackedBlobStore.open(folder);
  const [first, middle, last] = [bytesOf(1), bytesOf(2), bytesOf(3)];
  for (const each of [first, middle, last]) await store.put(each);
  const [name] = await packsIn(folder);
  const path = join(folder, 'packs', name as string);
  const good = await readFile(path);
  const record = good.length / 3;
  for (const at of [0, 5, 20, 41, 44, 100, record - 1]) {
    const spoilt = Uint8Array.from(good);
    spoilt[record + at] = (spoilt[record + at] as number) ^ 4;
    await writeFile(path, spoilt);
    for (const each of [store, await PackedBlobStore.open(folder)]) {
      const isHeader = at < 44;
      const found = each.get(hashOf(middle));
      if (isHeader) assert.equal(await found, undefined, `byte ${at}`);
      else await assert.rejects(found, { code: 'blob_differs' }, `byte ${at}`);
      if (!isHeader) await assert.rejects(each.checked(hashOf(middle)), { code: 'blob_differs' });
      if (!isHeader) await assert.rejects(each.verify(hashOf(middle)), { code: 'blob_differs' });
      for (const other of [first, last]) assert.deepEqual(await each.get(hashOf(other)), other);
    }
    const mended = await PackedBlobStore.open(folder);
    await mended.put(middle);
    assert.deepEqual(await mended.get(hashOf(middle)), middle);
    assert.deepEqual(await (await PackedBlobStore.open(folder)).get(hashOf(middle)), middle);
    assert.deepEqual(await store.get(hashOf(middle)), middle, 'another process sees it too');
    await writeFile(path, good);
    for (const each of await packsIn(folder)) {
      if (each !== name) await rm(join(folder, 'packs', each));
    }
  }
});

test('PackedBlobStore: whatever a pack is cut to, what was whole before the cut is there', async (t) => {
  const folder = await folderOf(t);
  const store = await PackedBlobStore.open(folder);
  const blobs = Array.from({ length: 5 }, (_, i) => bytesOf(i, 60 + i));
  for (const each of blobs) await store.put(each);
  const [name] = await packsIn(folder);
  const path = join(folder, 'packs', name as string);
  const good = await readFile(path);
  const ends: number[] = [];
  for (const each of blobs) ends.push((ends.at(-1) ?? 0) + 44 + each.length);
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length), async (cut) => {
      await writeFile(path, good.subarray(0, cut));
      const again = await PackedBlobStore.open(folder);
      const whole = blobs.filter((_, i) => (ends[i] as number) <= cut);
      assert.deepEqual(await listed(again), whole.map(hashOf).sort());
      for (const each of blobs) await again.put(each);
      for (const each of blobs) assert.deepEqual(await again.get(hashOf(each)), each);
      for (const each of await packsIn(folder)) {
        if (each !== name) await rm(join(folder, 'packs', each));
      }
    }),
    { numRuns: 40 },
  );
});

test('PackedBlobStore: a list that is missing or damaged is no loss', async (t) => {
  const folder = await folderOf(t);
  const options = { most: 2000 };
  const store = await PackedBlobStore.open(folder, options);
  const blobs = Array.from({ length: 20 }, (_, i) => bytesOf(i));
  for (const each of blobs) await store.put(each);
  const expected = blobs.map(hashOf).sort();
  const lists = (await readdir(join(folder, 'packs'))).filter((name) => name.endsWith('.list'));
  assert.ok(lists.length > 1);
  const [one, two] = lists.map((name) => join(folder, 'packs', name));
  await rm(one as string);
  const file = await open(two as string, 'r+');
  await file.write(Uint8Array.of(1, 2, 3), 0, 3, 1100);
  await file.close();
  const again = await PackedBlobStore.open(folder, options);
  assert.deepEqual(await listed(again), expected);
  for (const each of blobs) assert.deepEqual(await again.get(hashOf(each)), each);
});

test('PackedBlobStore: stores on one folder see what the others put, and so does a reader', async (t) => {
  const folder = await folderOf(t);
  const reader = PackedBlobStore.reader(folder);
  assert.equal(await reader.has(hashOf(bytesOf(0))), false, 'also where there is no folder yet');
  const stores = [await PackedBlobStore.open(folder), await PackedBlobStore.open(folder)];
  for (let i = 0; i < 20; i += 1) {
    const bytes = bytesOf(i);
    await (stores[i % 2] as PackedBlobStore).put(bytes);
    for (const each of stores) assert.deepEqual(await each.get(hashOf(bytes)), bytes);
    assert.equal((await reader.checked(hashOf(bytes)))?.size, bytes.length);
    assert.equal(await reader.has(hashOf(bytes)), true);
  }
  assert.equal((await packsIn(folder)).length, 2);
});

test('PackedBlobStore: a put whose write or sync fails is an error, and the next one goes to another pack', async (t) => {
  const folder = await folderOf(t);
  const store = await PackedBlobStore.open(folder);
  await store.put(bytesOf(1));
  const handle = await open(folder);
  const prototype = Object.getPrototypeOf(handle) as { datasync: () => Promise<void> };
  await handle.close();
  const failing = t.mock.method(prototype, 'datasync', () => Promise.reject(new Error('EIO')));
  await assert.rejects(store.put(bytesOf(2)), /EIO/);
  failing.mock.restore();
  await store.put(bytesOf(2));
  await store.put(bytesOf(3));
  assert.equal((await packsIn(folder)).length, 2);
  for (const each of [1, 2, 3]) {
    assert.deepEqual(await store.get(hashOf(bytesOf(each))), bytesOf(each));
  }
});

test('PackedBlobStore: files in its folder that are not packs are left alone', async (t) => {
  const folder = await folderOf(t);
  await mkdir(join(folder, 'packs'), { recursive: true });
  for (const stray of ['README', 'aa.pack', '0123456789abcdef.pack.old']) {
    await writeFile(join(folder, 'packs', stray), 'x');
  }
  const store = await PackedBlobStore.open(folder);
  await store.put(bytesOf(1));
  assert.deepEqual(await listed(store), [hashOf(bytesOf(1))]);
  assert.equal(await readFile(join(folder, 'packs', 'README'), 'utf8'), 'x');
});
