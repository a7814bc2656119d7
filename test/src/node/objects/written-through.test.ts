import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { WrittenThroughBlobs } from '@assay/node/objects/written-through';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Fault } from '@assay/core/fault';
import { blobStoreSuite } from '../fixture/blob-store-suite.ts';
import { MemoryObjects } from '../fixture/memory-objects.ts';

const BYTES = formatUtf8('a page of a source');
const HASH = hashHex(contentHash(nodeSha256, BYTES));

blobStoreSuite('WrittenThroughBlobs', () =>
  Promise.resolve(new WrittenThroughBlobs(new MemoryBlobStore(), new MemoryObjects())),
);

test('written through: a blob is in the bucket before its put resolves, or the put fails', async () => {
  const local = new MemoryBlobStore();
  const objects = new MemoryObjects();
  const store = new WrittenThroughBlobs(local, objects);
  await store.put(BYTES);
  assert.deepEqual(objects.objects.get(`blob/${HASH}`)?.bytes, BYTES);
  assert.equal(store.isStored(HASH), true);
  const other = formatUtf8('another');
  objects.before = () => {
    throw new Fault('unreachable', 'object store');
  };
  await assert.rejects(store.put(other), { code: 'unreachable' });
  assert.equal(store.isStored(hashHex(contentHash(nodeSha256, other))), false);
  assert.equal(await store.put(BYTES), HASH, 'what is there needs no request');
});

test('written through: what is gone here comes back from the bucket', async () => {
  const objects = new MemoryObjects();
  await new WrittenThroughBlobs(new MemoryBlobStore(), objects).put(BYTES);
  for (const use of [
    (store: BlobStore) => store.get(HASH),
    (store: BlobStore) => store.read(HASH),
    (store: BlobStore) => store.checked(HASH),
    (store: BlobStore) => store.verify(HASH),
    (store: BlobStore) => store.has(HASH),
  ]) {
    const local = new MemoryBlobStore();
    const store = new WrittenThroughBlobs(local, objects);
    assert.ok(await use(store));
    assert.deepEqual(await local.get(HASH), BYTES, 'it is kept here again');
  }
});

test('written through: damaged bytes here are replaced by those of the bucket', async () => {
  const local = new MemoryBlobStore();
  const objects = new MemoryObjects();
  const store = new WrittenThroughBlobs(local, objects);
  await store.put(BYTES);
  const { put, read, has, list } = local;
  const damaged: BlobStore = {
    put,
    read,
    has,
    list,
    get: () => Promise.reject(new Fault('blob_differs', 'blob')),
    checked: () => Promise.reject(new Fault('blob_differs', 'blob')),
    verify: () => Promise.reject(new Fault('blob_differs', 'blob')),
  };
  let kept: Uint8Array | undefined;
  const mended = new WrittenThroughBlobs(
    { ...damaged, put: (bytes) => ((kept = bytes), local.put(bytes)) },
    objects,
  );
  assert.deepEqual(await mended.get(HASH), BYTES);
  assert.deepEqual(kept, BYTES);
  assert.equal((await mended.checked(HASH))?.size, BYTES.length);
  assert.equal(await mended.verify(HASH), BYTES.length);
  objects.objects.clear();
  await assert.rejects(mended.get(HASH), { code: 'blob_differs' });
});

test('written through: bytes of the bucket that do not have the hash are believed nowhere', async () => {
  const local = new MemoryBlobStore();
  const objects = new MemoryObjects();
  const type = { contentType: 'application/octet-stream', cacheControl: 'no-store' };
  await objects.put(`blob/${HASH}`, { bytes: formatUtf8('forged'), ...type });
  const store = new WrittenThroughBlobs(local, objects);
  await assert.rejects(store.get(HASH), { code: 'blob_differs' });
  assert.equal(await local.has(HASH), false);
  await assert.rejects(store.put(BYTES), { code: 'objects_differ' });
});

test('written through: readers who ask for what is nowhere do not cost a request each', async () => {
  const { put, read, remove } = new MemoryObjects();
  let asked = 0;
  const store = new WrittenThroughBlobs(new MemoryBlobStore(), {
    put,
    remove,
    read: (...given) => {
      asked += 1;
      return read(...given);
    },
  });
  for (let i = 0; i < 500; i += 1) {
    assert.equal(await store.checked(i.toString(16).padStart(64, '0') as HashHex), undefined);
  }
  assert.equal(asked, 60);
});
