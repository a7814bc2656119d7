import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type HashHex, toHashHex } from '@assay/core/hash';
import type { BlobStore } from '@assay/node/blob-store';

const blob = (text: string): Uint8Array => new TextEncoder().encode(text);

function sha256(bytes: Uint8Array): HashHex {
  return toHashHex(createHash('sha256').update(bytes).digest('hex'));
}

async function listed(store: BlobStore): Promise<HashHex[]> {
  const out: HashHex[] = [];
  for await (const hash of store.list()) out.push(hash);
  return out;
}

/** What every blob store does. `make` gives an empty one. */
export function blobStoreSuite(name: string, make: (t: TestContext) => Promise<BlobStore>): void {
  test(`${name}: bytes come back under their sha256`, async (t) => {
    const store = await make(t);
    const blobs = [blob(''), blob('a'), new Uint8Array(300_000).fill(7), Uint8Array.of(0, 255, 0)];
    for (const bytes of blobs) {
      const hash = sha256(bytes);
      assert.equal(await store.has(hash), false);
      assert.equal(await store.get(hash), undefined);
      assert.equal(await store.put(bytes), hash);
      assert.equal(await store.has(hash), true);
      assert.deepEqual(await store.get(hash), bytes);
    }
  });

  test(`${name}: a blob is read in pieces of bounded size, as often as asked`, async (t) => {
    const store = await make(t);
    assert.equal(await store.read(sha256(blob('nothing'))), undefined);
    assert.equal(await store.checked(sha256(blob('nothing'))), undefined);
    for (const size of [0, 1, 65_536, 300_001]) {
      const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251);
      const hash = await store.put(bytes);
      assert.equal((await store.checked(hash))?.size, size);
      const reader = await store.read(hash);
      assert.equal(reader?.size, size);
      for (let turn = 0; turn < 2; turn += 1) {
        const pieces: Uint8Array[] = [];
        for await (const piece of reader.chunks()) pieces.push(piece);
        assert.ok(pieces.every(({ length }) => length > 0 && length <= 65_536));
        assert.deepEqual(new Uint8Array(Buffer.concat(pieces)), bytes);
      }
    }
  });

  test(`${name}: list gives each hash once, rising`, async (t) => {
    const store = await make(t);
    assert.deepEqual(await listed(store), []);
    const blobs = Array.from({ length: 60 }, (_, i) => blob(`blob ${i % 50}`));
    const hashes = new Set(await Promise.all(blobs.map(store.put)));
    assert.deepEqual(await listed(store), [...hashes].sort());
    assert.equal(hashes.size, 50);
  });

  test(`${name}: the same bytes again, and at the same time, are one blob`, async (t) => {
    const store = await make(t);
    const bytes = new Uint8Array(70_000).fill(3);
    const hashes = await Promise.all(Array.from({ length: 12 }, () => store.put(bytes.slice())));
    hashes.push(await store.put(bytes));
    assert.deepEqual(new Set(hashes), new Set([sha256(bytes)]));
    assert.deepEqual(await listed(store), [sha256(bytes)]);
    assert.deepEqual(await store.get(sha256(bytes)), bytes);
  });

  test(`${name}: a part of a larger buffer is stored as that part`, async (t) => {
    const store = await make(t);
    const part = Buffer.from('abcdef').subarray(2, 4);
    const hash = await store.put(part);
    assert.equal(hash, sha256(blob('cd')));
    assert.deepEqual(await store.get(hash), blob('cd'));
  });

  test(`${name}: bytes that a caller changes later are not the store's`, async (t) => {
    const store = await make(t);
    const given = blob('given');
    const hash = await store.put(given);
    given[0] = 0;
    const got = await store.get(hash);
    assert.deepEqual(got, blob('given'));
    (got as Uint8Array)[0] = 0;
    assert.deepEqual(await store.get(hash), blob('given'));
  });
}
