// What a power failure took from a database, and commands and starts that end before it is all there again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { fillGaps, gapsIn } from '@assay/node/ledger/pending-entries';
import { rebuild, recover } from '@assay/node/ledger/derived/recover';
import { readHead } from '@assay/node/ledger/start';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import type { StoreBatch } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  bound,
  contents,
  GENESIS_DRAFT,
  memoryPlace,
  note,
  openAt,
  type Place,
  type ProbeStore,
  probeStore,
} from './ledger-fixture.ts';
import { fault, RULE } from './served-ledger.ts';

const NOTES = 30;
const SIZE = NOTES + 2;
const NEVER = { bytes: Infinity, ms: 1e9, mostBytes: Infinity };

interface Lost {
  readonly place: Place;
  /** What the whole database had. */
  readonly whole: Awaited<ReturnType<typeof contents>>;
  /** The database without the commits for which `isLost` is true, and the guard as it was when the power failed. */
  readonly after: (isLost: (i: number) => boolean) => Promise<ProbeStore>;
}

/** A log of genesis, a rule and notes, each a commit, of which the guard was never told that one is settled. */
async function unsettled(): Promise<Lost> {
  const place = await memoryPlace();
  const memory = await openMemoryStore();
  const written: StoreBatch[] = [];
  const store = probeStore({
    ...bound(memory),
    async commit(batch) {
      await memory.commit(batch);
      written.push(batch);
    },
    sync: () => Promise.reject(new Error('none')),
  });
  const ledger = await openAt({ ...place, store }, { settling: NEVER });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [RULE]);
  for (let i = 0; i < NOTES; i += 1) await ledger.write(() => [note(`n${i}`)]);
  const shared = (place.guard as unknown as MemoryHeadGuard & { readonly shared: object }).shared;
  const held = { ...shared };
  return {
    place,
    whole: await contents(store),
    async after(isLost) {
      Object.assign(shared, held);
      const left = await openMemoryStore();
      for (const [i, batch] of written.entries()) if (!isLost(i)) await left.commit(batch);
      return probeStore(left);
    },
  };
}

const isTail = (i: number): boolean => i > 20;

async function requireStart({ place, whole }: Lost, store: ProbeStore): Promise<void> {
  const ledger = await openAt({ ...place, store });
  assert.equal(ledger.published?.size, SIZE);
  assert.deepEqual(await contents(store), whole);
}

test('lost commits: a recovery that is refused writes nothing, and the log starts after it', async () => {
  const lost = await unsettled();
  const store = await lost.after(isTail);
  const before = await contents(store);
  const { head } = (await lost.place.guard.look()) ?? {};
  assert.ok(head !== undefined);
  const known = [{ holder: 'a mirror', checkpoint: { size: SIZE + 9, root: head.root } }];
  for (const consent of [
    { drop: 0, known },
    { drop: 7, known: [] },
  ]) {
    await assert.rejects(recover(nodeSha256, store, lost.place.guard, consent), fault('refused'));
    assert.deepEqual(await contents(store), before);
  }
  await requireStart(lost, store);
});

test('lost commits: a recovery brings back what the guard has, and drops nothing', async () => {
  const lost = await unsettled();
  const store = await lost.after(isTail);
  const consent = { drop: 0, known: [] };
  const done = await recover(nodeSha256, store, lost.place.guard, consent);
  assert.deepEqual(done, { size: SIZE, dropped: 0 });
  await requireStart(lost, store);
});

test('lost commits: a log starts after a rebuild or a recovery that ended before it wrote rows', async () => {
  const lost = await unsettled();
  for (const command of [rebuild, recover]) {
    const store = await lost.after(isTail);
    const broken = probeStore({
      ...bound(store),
      rewrite: () => Promise.reject(new Error('killed')),
    });
    await assert.rejects(command(nodeSha256, broken, lost.place.guard), /killed/);
    await requireStart(lost, store);
  }
});

test('lost commits: a rebuild of a log of which nothing was ever settled has all of its entries', async () => {
  const lost = await unsettled();
  const store = await lost.after(isTail);
  const { size } = await rebuild(nodeSha256, store, lost.place.guard);
  assert.equal(size, SIZE);
  await requireStart(lost, store);
});

test('lost commits: a start that ended after it had filled a hole leaves a head that says nothing of rows', async () => {
  const lost = await unsettled();
  const store = await lost.after((i) => i === 1 || i > 28);
  const { pending } = (await lost.place.guard.peek()) ?? { pending: [] };
  const { size, root, sum } = readHead(nodeSha256, (await store.head()) as Uint8Array);
  assert.notEqual(sum, undefined);
  const lacking = await gapsIn(store, pending, size);
  assert.equal(lacking.length, 1);
  await fillGaps(store, lacking, { size, root });
  assert.equal(readHead(nodeSha256, (await store.head()) as Uint8Array).sum, undefined);
  await requireStart(lost, store);
});
