import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingBatch } from '@assay/node/ledger/guard/head-guard';
import { rebuild, recover } from '@assay/node/ledger/derived/recover';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  contents,
  cutTo,
  entriesOf,
  filledLedger,
  GENESIS_DRAFT,
  memoryPlace,
  note,
  openAt,
  type Place,
  probeStore,
  requireSound,
} from './ledger-fixture.ts';
import { fault, RULE } from './served-ledger.ts';

/** A log of 11 entries whose guard still has the last batches, of which nothing is settled. */
async function unsettled(): Promise<Place & { readonly before: readonly string[] }> {
  const place = await memoryPlace();
  const { shared } = place.guard;
  const kept: PendingBatch[] = [];
  const guard = { ...place.guard, settled: () => Promise.resolve() };
  const ledger = await openAt({ ...place, guard });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [note('a'), note('b')]);
  await ledger.write(() => [RULE]);
  for (let i = 0; i < 7; i += 1) await ledger.write(() => [note(`${i}`)]);
  kept.push(...shared.pending);
  assert.equal(kept.length, 10);
  return { ...place, before: await contents(place.store) };
}

async function copyOf(store: LedgerStore): Promise<LedgerStore> {
  const copy = await openMemoryStore();
  const parts = { entries: [], tiles: [], views: [] };
  for await (const row of store.rows()) {
    if (row.part === 'entry') await copy.commit({ ...parts, entries: [row], head: null });
    if (row.part === 'view') await copy.commit({ ...parts, views: [row], head: null });
    if (row.part === 'head') await copy.commit({ ...parts, head: row.bytes });
  }
  return copy;
}

test('pending entries: a database that lacks any number of them gets them from the guard', async () => {
  for (let size = 0; size <= 11; size += 1) {
    const place = await unsettled();
    const store = size === 0 ? await openMemoryStore() : await copyOf(place.store);
    if (size > 0) await cutTo(store, size);
    const behind = { ...place, store: probeStore(store) };
    const ledger = await openAt(behind);
    assert.equal(ledger.published?.size, 11, `${size}`);
    assert.deepEqual(await contents(behind.store), place.before, `${size}`);
    await ledger.write(() => [note('on')]);
    await requireSound(behind.store, 12);
  }
});

test('pending entries: a database that lacks more than the guard has is refused', async () => {
  const place = await unsettled();
  await place.guard.settled(4);
  const store = await copyOf(place.store);
  await cutTo(store, 3);
  await assert.rejects(openAt({ ...place, store: probeStore(store) }), fault('ledger_behind'));
  await assert.rejects(
    openAt({ ...place, store: probeStore(await openMemoryStore()) }),
    fault('ledger_behind'),
  );
});

test('pending entries: a hole in the database is filled, and what follows is derived again', async () => {
  for (let hole = 1; hole < 10; hole += 1) {
    const place = await unsettled();
    const full = await copyOf(place.store);
    const store: LedgerStore = await openMemoryStore();
    const parts = { entries: [], tiles: [], views: [] };
    // The commit of one entry is lost, and its rows with it; later ones are there.
    for await (const row of full.rows()) {
      if (row.part === 'entry' && row.seq !== hole) {
        await store.commit({ ...parts, entries: [row], head: null });
      }
      if (row.part === 'head') await store.commit({ ...parts, head: row.bytes });
    }
    const broken = { ...place, store: probeStore(store) };
    const ledger = await openAt(broken);
    assert.equal(ledger.published?.size, 11);
    assert.deepEqual(await contents(broken.store), place.before, `${hole}`);
  }
});

test('pending entries: an entry that is another one than the guard has is put right', async () => {
  const place = await unsettled();
  const entries = await entriesOf(place.store);
  await place.store.commit({
    entries: [{ seq: 7, bytes: entries[8] as Uint8Array }],
    tiles: [],
    views: [],
    head: null,
  });
  assert.equal((await openAt(place)).published?.size, 11);
  assert.deepEqual(await contents(place.store), place.before);
});

test('pending entries: an entry that the guard has otherwise stays where the guard’s leads to another root', async () => {
  for (const [name, run, code] of [
    ['start', openAt, 'ledger_corrupt'],
    ['recover', ({ store, guard }: Place) => recover(nodeSha256, store, guard), 'ledger_differs'],
    ['rebuild', ({ store, guard }: Place) => rebuild(nodeSha256, store, guard), 'ledger_corrupt'],
  ] as const) {
    for (const hole of [undefined, 9]) {
      const place = await unsettled();
      const store = await openMemoryStore();
      for await (const row of place.store.rows()) {
        if (row.part === 'entry' && row.seq !== hole) {
          await store.commit({ entries: [row], tiles: [], views: [], head: null });
        }
        if (row.part === 'head') {
          await store.commit({ entries: [], tiles: [], views: [], head: row.bytes });
        }
      }
      // The last entry of a log may be any, as far as the chain goes: only the root is wrong.
      const { shared } = place.guard;
      const last = shared.pending.at(-1) as PendingBatch;
      const text = Buffer.from(last.entries[0] as Uint8Array).toString('utf8');
      const entries = [Buffer.from(text.replace('"6"', '"7"'), 'utf8')];
      assert.notDeepEqual(entries, last.entries);
      shared.pending = [...shared.pending.slice(0, -1), { ...last, entries }];
      const changed = { ...place, store: probeStore(store) };
      const before = await contents(store);
      await assert.rejects(run(changed), fault(code), name);
      assert.deepEqual(await contents(store), before, name);
    }
  }
});

test('pending entries: batches of another log are refused, and nothing is signed', async () => {
  const place = await unsettled();
  const other = await memoryPlace();
  await filledLedger(other, 5);
  const mixed = { ...place, store: probeStore(await copyOf(other.store)) };
  await cutTo(mixed.store, 2);
  const { moves } = place.guard;
  await assert.rejects(openAt(mixed), (error: { code?: string }) =>
    ['ledger_differs', 'ledger_corrupt'].includes(error.code ?? ''),
  );
  assert.equal(place.guard.moves, moves);
});
