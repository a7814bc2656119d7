import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { readNamedBlob } from '@assay/node/blob/named-blob';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { SOME_HASH } from '../../core/fixture/fixture.ts';

test('named blob: its bytes, none where there are none, and none where they are others', async () => {
  const blobs = new MemoryBlobStore();
  const hash = await blobs.put(new Uint8Array(200_000).fill(3));
  assert.equal((await readNamedBlob(blobs, nodeSha256, hash))?.length, 200_000);
  assert.equal(await readNamedBlob(blobs, nodeSha256, SOME_HASH), undefined);
  const others = { read: () => blobs.read(hash) };
  assert.equal(await readNamedBlob(others, nodeSha256, SOME_HASH), undefined);
});
