import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import type { BlobReader, BlobStore } from '@assay/node/blob/blob-store';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { StorageStatus } from '@assay/node/scrub/storage-status';
import { Disk, recounterOn, TestPublisher } from './recounter-world.ts';

/** A blob store of which single blobs are rotten. */
class RottenBlobs extends MemoryBlobStore {
  readonly rotten = new Set<HashHex>();

  override readonly verify = async (hash: HashHex): Promise<number | undefined> => {
    if (this.rotten.has(hash)) throw new Error('blob_differs');
    return (await this.read(hash))?.size;
  };

  override readonly checked = (hash: HashHex): Promise<BlobReader | undefined> =>
    this.rotten.has(hash) ? Promise.reject(new Fault('blob_differs', 'blob')) : this.read(hash);
}

interface Status {
  readonly reasons: readonly string[];
  readonly storage: StorageStatus;
}

async function statusOf(port: number): Promise<Status> {
  return (await (await fetch(`http://127.0.0.1:${port}/status`)).json()) as Status;
}

/** The status after so many whole rounds. */
async function after(port: number, rounds: number): Promise<Status> {
  for (;;) {
    const status = await statusOf(port);
    if ((status.storage.scrub?.rounds ?? 0) >= rounds) return status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('recounter scrub: its own data and its copy of the publisher are gone over while it runs', async () => {
  const publisher = await TestPublisher.open();
  const disk = await Disk.make();
  const own = new RottenBlobs();
  const rotten = await own.put(Buffer.from('what it read itself'));
  own.rotten.add(rotten);
  const data = disk.data();
  const blobs: BlobStore = own;
  const { running } = await recounterOn(disk, publisher, {
    data: { ...data, blobs },
    scrub: { roundS: 0.05 },
  });
  try {
    await running.follow();
    const first = (await statusOf(running.port)).storage.scrub?.rounds ?? 0;
    const { reasons, storage } = await after(running.port, first + 2);
    assert.deepEqual(
      storage.found.map(({ part, name, copy_of: of }) => [part, name, of]),
      [['blob', rotten, null]],
    );
    assert.ok(reasons.includes(`The blob with sha256 ${rotten} is damaged: a backup has it.`));
    assert.ok((storage.scrub?.bytes ?? 0) > 0);
    const blob = await fetch(`http://127.0.0.1:${running.port}/blob/${rotten}`);
    assert.equal(blob.status, 500);
    assert.equal(((await blob.json()) as { error: string }).error, 'damaged');

    // An entry of the copy rots while it is in use.
    const { store } = disk.mirror;
    const bytes = (await store.entry(0)) as Uint8Array;
    const bad = { seq: 0, bytes: bytes.with(40, (bytes[40] as number) ^ 1) };
    await store.commit({ entries: [bad], tiles: [], views: [], head: null });
    const halted = await after(running.port, storage.scrub === null ? 0 : storage.scrub.rounds + 2);
    const entry = halted.storage.found.find(({ part }) => part === 'entry');
    assert.deepEqual([entry?.name, entry?.copy_of], ['0', 'publisher']);
    assert.ok(
      halted.reasons.includes(
        "Entry 0 is damaged in the copy of the publisher's log: a backup, or that log, has it.",
      ),
    );
    const metrics = await (await fetch(`http://127.0.0.1:${running.port}/metrics`)).text();
    assert.match(metrics, /^assay_storage_damaged\{part="blob"\} 1$/m);
    assert.match(metrics, /^assay_storage_damaged\{part="entry"\} 1$/m);
    assert.match(metrics, /^assay_scrub_rounds [1-9]/m);
  } finally {
    await running.close();
    await publisher.down();
  }
});

test('recounter scrub: bytes of the publisher that rotted are fetched again', async () => {
  const publisher = await TestPublisher.open();
  const disk = await Disk.make();
  const bytes = Buffer.from('bytes that the publisher has too');
  await publisher.world.blobs.put(bytes);
  const kept = new RottenBlobs();
  const hash = hashHex(contentHash(nodeSha256, bytes));
  await kept.put(bytes);
  kept.rotten.add(hash);
  const asked: string[] = [];
  const fetched: BlobStore = {
    read: kept.read,
    checked: kept.checked,
    has: kept.has,
    verify: kept.verify,
    list: kept.list,
    get: async (each) => {
      asked.push(each);
      return kept.rotten.has(each) ? undefined : kept.get(each);
    },
    put: async (given) => {
      kept.rotten.delete(hash);
      return kept.put(given);
    },
  };
  const { running } = await recounterOn(disk, publisher, {
    data: { ...disk.data(), kept: fetched },
    scrub: { roundS: 0.05 },
  });
  try {
    const { storage, reasons } = await after(running.port, 1);
    assert.deepEqual(
      storage.found.map(({ part, name, copy_of: of, state }) => [part, name, of, state]),
      [['blob', hash, 'publisher', 'repaired']],
    );
    assert.deepEqual([storage.damaged, storage.repaired, asked[0]], [0, 1, hash]);
    assert.ok(!reasons.some((each) => each.includes(hash)), 'it is sound now');
  } finally {
    await running.close();
    await publisher.down();
  }
});
