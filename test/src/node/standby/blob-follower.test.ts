import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { formatEntry } from '@assay/core/log/entry';
import type { Freeze } from '@assay/core/kind/freeze';
import { formatTime } from '@assay/core/time/time';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { BlobFollower } from '@assay/node/standby/blob-follower';
import { NOON } from '../ledger/ledger-fixture.ts';

const PAGE = new TextEncoder().encode('leaves of a tick');
const hash: HashHex = hashHex(contentHash(nodeSha256, PAGE));

/** An entry of a round that was frozen, which names openings where `seq` is odd. */
function entryAt(seq: number): Uint8Array {
  const body: Freeze = {
    round: 'claims-2026-08-22',
    count: 1,
    root: hash,
    handles: 1,
    openings: seq % 2 === 1 ? hash : null,
    top: [],
  };
  const at = formatTime(NOON);
  return formatEntry({
    v: 1,
    seq,
    prev: ZERO_HASH_HEX,
    at,
    kind: 'freeze/1',
    body: parseWire(formatWire(body)) as WireObject,
  });
}

test('blob follower: it looks at each entry once, and goes on from there', async () => {
  const asked: number[] = [];
  const follower = new BlobFollower({
    sha256: nodeSha256,
    entry: (seq) => {
      asked.push(seq);
      return Promise.resolve(entryAt(seq));
    },
    blob: () => Promise.resolve(PAGE),
  });
  const { signal } = new AbortController();
  await follower.follow(3, signal);
  await follower.follow(4, signal);
  assert.deepEqual(asked, [0, 1, 2, 3]);
  assert.equal(follower.done, 4);
});

test('blob follower: an entry that is not here yet is looked at later', async () => {
  const follower = new BlobFollower({
    sha256: nodeSha256,
    entry: (seq) => Promise.resolve(seq < 2 ? entryAt(seq) : undefined),
    blob: () => Promise.reject(new Fault('blob_missing', 'blob')),
  });
  await follower.follow(5, new AbortController().signal);
  assert.equal(follower.done, 2);
});

test('blob follower: what cannot be had now is counted, and asked for again', async () => {
  let isThere = false;
  const asked: string[] = [];
  const follower = new BlobFollower({
    sha256: nodeSha256,
    entry: (seq) => Promise.resolve(entryAt(seq)),
    blob: (each) => {
      asked.push(each);
      return isThere ? Promise.resolve(PAGE) : Promise.reject(new Fault('blob_missing', 'blob'));
    },
  });
  const { signal } = new AbortController();
  await follower.follow(4, signal);
  assert.deepEqual([follower.missing, follower.reason], [1, 'blob']);
  isThere = true;
  await follower.follow(4, signal);
  assert.deepEqual([follower.missing, follower.reason], [0, undefined]);
  assert.deepEqual(new Set(asked), new Set([hash]));
});

test('blob follower: a fault of this machine is not one of the publisher', async () => {
  const follower = new BlobFollower({
    sha256: nodeSha256,
    entry: (seq) => Promise.resolve(entryAt(seq)),
    blob: () => Promise.reject(new Fault('no_room', 'blobs')),
  });
  await assert.rejects(follower.follow(4, new AbortController().signal), { code: 'no_room' });
  assert.equal(follower.done, 1);
});
