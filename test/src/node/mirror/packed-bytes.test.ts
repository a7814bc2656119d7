import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { formatPack, formatPackPath } from '@assay/core/log/pack';
import { TILE_WIDTH } from '@assay/core/log/tile';
import type { MirrorReader } from '@assay/node/mirror/served-log';
import { PackedBytes } from '@assay/node/mirror/packed-bytes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** Two full bundles, and 88 entries of a third. */
const SIZE = 600;

const bytesOf = (seq: number): Uint8Array => new TextEncoder().encode(`bytes of entry ${seq}`);
const hashOf = (seq: number): HashHex => hashHex(contentHash(nodeSha256, bytesOf(seq)));

interface Server {
  readonly reader: MirrorReader;
  readonly asked: string[];
}

/** A server whose every entry names one blob. `change` is what a pack has in the place of the bytes of an entry. */
function serverOf(
  change: (seq: number) => Uint8Array = bytesOf,
  { packs = true, status = 404 }: { packs?: boolean; status?: number } = {},
): Server {
  const files = new Map<string, Uint8Array>();
  for (let seq = 0; seq < SIZE; seq += 1) files.set(`/blob/${hashOf(seq)}`, bytesOf(seq));
  const packed = packs ? SIZE : 0;
  for (let index = 0; index * TILE_WIDTH < packed; index += 1) {
    const width = Math.min(TILE_WIDTH, SIZE - index * TILE_WIDTH);
    const blobs = Array.from({ length: width }, (_, i) => {
      const seq = index * TILE_WIDTH + i;
      return { hash: hashOf(seq), bytes: change(seq) };
    });
    const path = `/${formatPackPath({ part: 0, index, width })}`;
    files.set(path, formatPack({ part: 0, parts: 1, blobs }));
  }
  const asked: string[] = [];
  const reader: MirrorReader = {
    get: (path) => {
      asked.push(path);
      const body = files.get(path);
      return Promise.resolve(
        body === undefined ? { status, body: new Uint8Array(0) } : { status: 200, body },
      );
    },
  };
  return { reader, asked };
}

test('packed bytes: what full bundles name comes in a request each, and the rest is left to the caller', async () => {
  const { reader, asked } = serverOf();
  const packed = new PackedBytes(reader, nodeSha256);
  for (let seq = 0; seq < 512; seq += 1) {
    assert.deepEqual(await packed.read(hashOf(seq), seq, SIZE), bytesOf(seq));
  }
  assert.equal(await packed.read(hashOf(512), 512, SIZE), undefined);
  assert.equal(await packed.read(hashOf(599), 599, SIZE), undefined);
  assert.ok(
    asked.every((path) => path.startsWith('/pack/')),
    asked.join(' '),
  );
  assert.equal(asked.length, 3);
});

test('packed bytes: other bytes than the hash says are never given', async () => {
  const { reader } = serverOf((seq) => bytesOf(seq === 7 ? 8 : seq));
  const packed = new PackedBytes(reader, nodeSha256);
  assert.deepEqual(await packed.read(hashOf(6), 6, SIZE), bytesOf(6));
  assert.equal(await packed.read(hashOf(7), 7, SIZE), undefined);
});

test('packed bytes: a server without packs is asked for blobs, and one that fails is told', async () => {
  const without = serverOf(bytesOf, { packs: false });
  const packed = new PackedBytes(without.reader, nodeSha256);
  for (let seq = 0; seq < 5; seq += 1) {
    assert.deepEqual(await packed.read(hashOf(seq), seq, SIZE), bytesOf(seq));
  }
  assert.equal(without.asked.filter((path) => path.startsWith('/pack/')).length, 1);
  const failing = serverOf(bytesOf, { packs: false, status: 503 });
  const none = new PackedBytes(failing.reader, nodeSha256);
  await assert.rejects(none.read('00'.repeat(32) as HashHex, 3, SIZE), { code: 'unreachable' });
});
