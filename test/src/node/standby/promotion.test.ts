import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { TileTree } from '@assay/core/log/tile-tree';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import type { BareHead, PendingBatch, TakenEpoch } from '@assay/node/ledger/guard/head-guard';
import { loadStored, type Stored } from '@assay/node/ledger/start';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Shown } from '@assay/node/standby/grounds';
import { promote, type Promoted, type PromotionParts } from '@assay/node/standby/promotion';
import { cutTo, filledLedger, memoryPlace } from '../ledger/ledger-fixture.ts';

const SIZE = 6;

interface World {
  /** The entries of the log. */
  readonly entries: readonly Uint8Array[];
  readonly headAt: (size: number) => BareHead;
  /** A folder that has the first `size` of them. */
  readonly folderAt: (size: number) => Promise<Stored | undefined>;
}

async function world(): Promise<World> {
  const whole = await memoryPlace();
  const ledger = await filledLedger(whole, SIZE - 1);
  const entries: Uint8Array[] = [];
  for await (const entry of ledger.entries(0, SIZE)) entries.push(entry);
  const roots: Hash[] = [];
  const tree = new TileTree(nodeSha256);
  for (const entry of entries) {
    tree.append(leafHash(nodeSha256, entry));
    roots.push(tree.root());
  }
  return {
    entries,
    headAt: (size) => ({ size, root: roots[size - 1] as Hash }),
    async folderAt(size) {
      const place = await memoryPlace();
      await (await filledLedger(place, SIZE - 1)).idle();
      if (size < SIZE) await cutTo(place.store, size);
      return loadStored(nodeSha256, place.store);
    },
  };
}

/** A row at `size`, with the batches of one entry each from `from` on. */
function rowAt({ entries, headAt }: World, size: number, from = 0): TakenEpoch {
  const pending: PendingBatch[] = [];
  for (let seq = from; seq < size; seq += 1) {
    pending.push({
      from: seq === 0 ? undefined : headAt(seq),
      to: headAt(seq + 1),
      entries: entries.slice(seq, seq + 1),
    });
  }
  return { epoch: 4, writer: 'a', head: headAt(size), pending };
}

const FENCED: Shown = { grounds: { kind: 'fenced', words: 'it is off' }, heads: [] };

interface Ran {
  readonly promoted: Promise<Promoted>;
  readonly takes: () => number;
}

function run(
  row: TakenEpoch,
  stored: Stored | undefined,
  change: Partial<PromotionParts> = {},
): Ran {
  let takes = 0;
  const promoted = promote({
    sha256: nodeSha256,
    guard: {
      peek: () => Promise.resolve(row),
      take: (writer) => {
        takes += 1;
        return Promise.resolve({ ...row, epoch: row.epoch + 1, writer });
      },
    },
    writer: 'b',
    stored,
    blobs: new MemoryBlobStore(),
    signed: [],
    grounds: () => Promise.resolve(FENCED),
    ...change,
  });
  return { promoted, takes: () => takes };
}

const fault = (code: string): object => ({ name: 'Fault', code });

test('promotion: a copy that lacks the last batches takes them from the guard', async () => {
  const all = await world();
  for (const size of [2, 4, 6]) {
    const { promoted } = run(rowAt(all, SIZE, 2), await all.folderAt(size));
    assert.deepEqual(await promoted, {
      grounds: FENCED.grounds,
      epoch: 5,
      before: 'a',
      size: SIZE,
      replayed: SIZE - size,
      lacking: [],
    });
  }
});

test('promotion: a copy that the batches do not reach is behind, and takes no epoch', async () => {
  const all = await world();
  for (const folder of [await all.folderAt(2), undefined]) {
    const { promoted, takes } = run(rowAt(all, SIZE, 3), folder);
    await assert.rejects(promoted, fault('ledger_behind'));
    assert.equal(takes(), 0);
  }
});

test('promotion: a row that lacks what a standby has seen signed is an old one, and is not taken', async () => {
  const all = await world();
  const signed = [{ holder: 'this folder', checkpoint: all.headAt(5) }];
  const { promoted, takes } = run(rowAt(all, 4), await all.folderAt(5), { signed });
  await assert.rejects(promoted, fault('ledger_behind'));
  assert.equal(takes(), 0);
});

test('promotion: a row that lacks what a witness has cosigned is not taken', async () => {
  const all = await world();
  const shown: Shown = { ...FENCED, heads: [{ holder: 'w', checkpoint: all.headAt(5) }] };
  const grounds = (): Promise<Shown> => Promise.resolve(shown);
  const { promoted, takes } = run(rowAt(all, 4), await all.folderAt(4), { grounds });
  await assert.rejects(promoted, fault('ledger_behind'));
  assert.equal(takes(), 0);
});

test('promotion: what witnesses cosigned while the epoch was taken counts too', async () => {
  const all = await world();
  let asked = 0;
  const grounds = (): Promise<Shown> => {
    asked += 1;
    const heads = asked === 1 ? [] : [{ holder: 'w', checkpoint: all.headAt(5) }];
    return Promise.resolve({ ...FENCED, heads });
  };
  const { promoted, takes } = run(rowAt(all, 4), await all.folderAt(4), { grounds });
  await assert.rejects(promoted, fault('ledger_behind'));
  assert.equal(takes(), 1);
});

test('promotion: another history at any known head is told', async () => {
  const all = await world();
  const other = (size: number): BareHead => ({ size, root: all.headAt(1).root });
  const folder = await all.folderAt(4);
  // At a size that is stored, at the row's, and at one that only a batch reaches.
  for (const size of [3, 6, 5]) {
    const signed = [{ holder: 'w', checkpoint: other(size) }];
    await assert.rejects(
      run(rowAt(all, SIZE, 2), folder, { signed }).promoted,
      fault('ledger_differs'),
    );
  }
  const row = { ...rowAt(all, 4), head: other(4) };
  const { promoted, takes } = run(row, await all.folderAt(5));
  await assert.rejects(promoted, fault('ledger_differs'));
  assert.equal(takes(), 0, 'a copy of another history shuts nobody out');
});

test('promotion: batches with other entries than the head has are told', async () => {
  const all = await world();
  const row = rowAt(all, SIZE, 4);
  const pending = row.pending.map((each) => ({ ...each, entries: all.entries.slice(0, 1) }));
  await assert.rejects(
    run({ ...row, pending }, await all.folderAt(4)).promoted,
    fault('ledger_differs'),
  );
});

test('promotion: without grounds nothing is taken', async () => {
  const all = await world();
  const grounds = (): Promise<Shown> => Promise.reject(new Error('no grounds'));
  const { promoted, takes } = run(rowAt(all, SIZE), await all.folderAt(SIZE), { grounds });
  await assert.rejects(promoted, /no grounds/);
  assert.equal(takes(), 0);
});
