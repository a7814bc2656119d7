import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import type { ViewState } from '@assay/core/view/view';
import { assetRow } from '@assay/core/view/assets';
import { SAID } from '@assay/core/view/cosigns';
import { formatWire } from '@assay/core/wire/wire';
import { Publication } from '@assay/node/api/publication';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import type { LedgerStore, SealedRow } from '@assay/node/ledger/store/store';
import { MirrorStore } from '@assay/node/mirror/mirror-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  bound,
  filledLedger,
  memoryPlace,
  openAt,
  sealed,
  turns,
} from '../ledger/ledger-fixture.ts';
import { assetDraft } from '../terminal/tick-world.ts';
import { mirrorPlace, openMirror, probeSlot, serverOf } from './mirror-fixture.ts';

async function damage(store: LedgerStore, table: string, key: string): Promise<void> {
  const row = { table, key, value: formatWire('was') };
  const views = [{ ...sealed(row), value: formatWire('another') }];
  await store.commit({ entries: [], tiles: [], views, head: null });
}

/** A store whose rewrite waits, or ends as if the process was killed, before the first row of its rows is written. */
function interrupted(store: LedgerStore): {
  readonly store: LedgerStore;
  readonly reached: Promise<void>;
  readonly go: () => void;
  readonly kill: () => void;
} {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  let go = (): void => undefined;
  let kill = (): void => undefined;
  const gate = new Promise<void>((resolve, reject) => {
    go = resolve;
    kill = () => reject(new Error('killed'));
  });
  gate.catch(() => undefined);
  const held: LedgerStore = {
    ...bound(store),
    rewrite(size, rest) {
      const views = async function* (): AsyncGenerator<SealedRow> {
        reach();
        await gate;
        yield* rest.views;
      };
      return store.rewrite(size, { ...rest, views: views() });
    },
  };
  return { store: held, reached, go: () => go(), kill: () => kill() };
}

test('rows derived again: readers have all rows of the shown head while rows are derived again', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC'), assetDraft('ETH'), assetDraft('SOL')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const slow = interrupted(place.store);
  const mirror = await openMirror(
    { ...place, store: slow.store as typeof place.store },
    serverOf(ledger),
  );
  await damage(place.store, 'assets', 'BTC');
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  await slow.reached;
  // A sound row, of a head that is shown and whose size is unchanged.
  try {
    assert.equal(mirror.size, 7);
    assert.ok(assetRow(mirror.shown, 'SOL') !== undefined, 'the row of SOL is not there');
  } finally {
    slow.go();
    await turns(20);
  }
});

test('rows derived again: the own keys of co-signers that a recounter compares once are all there while rows are derived again', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const slow = interrupted(place.store);
  const mirror = await openMirror(
    { ...place, store: slow.store as typeof place.store },
    serverOf(ledger),
  );
  const count = async (table: string): Promise<number> => {
    let found = 0;
    for await (const _ of mirror.rowKeys(table)) found += 1;
    return found;
  };
  assert.equal(await count('assets'), 1);
  await damage(place.store, 'log', 'genesis');
  const checking = (async () => {
    for await (const _ of mirror.stored.checkRows(() => undefined));
  })();
  await slow.reached;
  const found = await count('assets');
  slow.go();
  await checking;
  assert.equal(found, 1, `keys of a table such as ${SAID} that rowKeys gives meanwhile`);
});

test('rows derived again: a kill while rows are derived again loses nothing that the mirror has of its own', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const slow = interrupted(place.store);
  const mirror = await MirrorStore.open(nodeSha256, slow.store);
  await mirror.show(mirror.size);
  await mirror.keepOlder([mirror.held as Uint8Array]);
  await damage(place.store, 'assets', 'BTC');
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  await slow.reached;
  slow.kill();
  await turns(20);
  const again = await MirrorStore.open(nodeSha256, place.store);
  assert.equal(again.older.length, 1, 'the older heads that were acknowledged');
  assert.notEqual(again.held, undefined);
});

test('rows derived again: a reader whose process was killed while rows are derived again starts', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const slow = interrupted(place.store);
  const mirror = await openMirror(
    { ...place, store: slow.store as typeof place.store },
    serverOf(ledger),
  );
  await damage(place.store, 'assets', 'BTC');
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  await slow.reached;
  slow.kill();
  await turns(20);
  // As `startReader` opens it: the accepted head is in memory alone.
  const accepted = probeSlot(new MemoryNoteSlot());
  const again = await openMirror({ ...place, accepted }, serverOf(ledger));
  assert.equal(again.size, 5);
});

test('rows derived again: an answer that was made while rows were derived again is not kept', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC'), assetDraft('SOL')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const slow = interrupted(place.store);
  let publication: Publication | undefined;
  const mirror = await openMirror(
    { ...place, store: slow.store as typeof place.store },
    serverOf(ledger),
    { onHeld: ({ size }, tables) => publication?.changed(size, tables) },
  );
  publication = new Publication(mirror, nodeSha256);
  const before = publication.version;
  await damage(place.store, 'assets', 'BTC');
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  await slow.reached;
  slow.go();
  await turns(50);
  assert.equal(assetRow(mirror.shown, 'BTC')?.symbol, 'BTC');
  assert.notEqual(publication.version, before, 'answers are kept under the version from before');
});

test('rows derived again: a row in a damaged block of LevelDB is derived again, as one with another digest is', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  let isDamaged = false;
  const store: LedgerStore = {
    ...bound(place.store),
    view(table, key) {
      if (isDamaged && table === 'assets') {
        throw Object.assign(new Error('Corruption: bad entry in block'), {
          code: 'LEVEL_CORRUPTION',
        });
      }
      return place.store.view(table, key);
    },
    async rewrite(size, rest) {
      await place.store.rewrite(size, rest);
      isDamaged = false;
    },
  };
  const mirror = await openMirror(
    { ...place, store: store as typeof place.store },
    serverOf(ledger),
  );
  isDamaged = true;
  await ledger.write(() => [assetDraft('BTC', false)]);
  await assert.rejects(mirror.follow());
  await turns(200);
  assert.equal(isDamaged, false);
  assert.equal(mirror.blocked, undefined);
  await mirror.follow();
  assert.equal(assetRow(mirror.shown, 'BTC')?.listed, false);
});

/** Two rows that fill what StoredViews holds, as the reads of a long log do. */
function bigRow(key: string): SealedRow {
  return sealed({ table: 'big', key, value: formatWire('x'.repeat(5_000_000)) });
}

function evict(shown: ViewState): void {
  for (const key of ['1', '2']) shown.get('big', key);
}

test('rows derived again: a poll while rows are derived again says nothing against the log', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const slow = interrupted(place.store);
  const store: LedgerStore = {
    ...slow.store,
    view: (table, key) => (table === 'big' ? bigRow(key) : place.store.view(table, key)),
  };
  const mirror = await openMirror(
    { ...place, store: store as typeof place.store },
    serverOf(ledger),
  );
  await damage(place.store, 'assets', 'BTC');
  await ledger.write(() => [assetDraft('ETH')]);
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  await slow.reached;
  evict(mirror.shown);
  const following = mirror.follow();
  await turns(50);
  slow.go();
  await following;
});

for (const code of ['LEVEL_IO_ERROR', 'LEVEL_CORRUPTION']) {
  test(`rows of a mirror: a poll that cannot read a row of the copy (${code}) says nothing against the log`, async () => {
    const ledger = await filledLedger(await memoryPlace(), 3);
    const place = await mirrorPlace();
    await (await openMirror(place, serverOf(ledger))).follow();
    let fails = false;
    const store: LedgerStore = {
      ...bound(place.store),
      view(table, key) {
        if (table === 'big') return bigRow(key);
        if (fails)
          throw Object.assign(new Error('IO error: /d/000005.ldb: Input/output error'), { code });
        return place.store.view(table, key);
      },
    };
    const mirror = await openMirror(
      { ...place, store: store as typeof place.store },
      serverOf(ledger),
    );
    evict(mirror.shown);
    fails = true;
    await ledger.write(() => [assetDraft('ETH')]);
    const error: unknown = await mirror.follow().catch((each: unknown) => each);
    // A recounter takes other codes for faults of the publisher.
    assert.equal(faultCode(error), 'storage_failed', String(error));
  });
}

test('rows derived again: rows are derived once for one damaged row, though the scrub runs meanwhile', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const slow = interrupted(place.store);
  let rewrites = 0;
  const store: LedgerStore = {
    ...bound(place.store),
    rewrite(size, rest) {
      rewrites += 1;
      return slow.store.rewrite(size, rest);
    },
  };
  const mirror = await openMirror(
    { ...place, store: store as typeof place.store },
    serverOf(ledger),
  );
  await damage(place.store, 'assets', 'BTC');
  assert.throws(() => mirror.shown.get('assets', 'BTC'), { code: 'ledger_corrupt' });
  await slow.reached;
  const found: string[] = [];
  const scrub = (async () => {
    for await (const _ of mirror.stored.checkRows((name) => found.push(name)));
  })();
  await turns(30);
  slow.go();
  await scrub;
  await turns(30);
  assert.deepEqual([rewrites, found], [1, []]);
});

test('rows of a mirror: a mirror whose disk has no room for the rows a second time opens, as it did before', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const store: LedgerStore = {
    ...bound(place.store),
    scratch: () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })),
  };
  const mirror = await MirrorStore.open(nodeSha256, store, 'before', undefined, 2);
  assert.equal(mirror.size, 5);
});

test('rows of a mirror: a row that cannot be derived again for want of room does not stop the mirror', async () => {
  const { mirror, damaged, room } = await running();
  await damaged();
  assert.throws(() => mirror.shown.get('assets', 'BTC'), { code: 'ledger_corrupt' });
  await turns(50);
  room.full = false;
  assert.equal(mirror.stopped, undefined, String(mirror.stopped));
});

/** A mirror whose disk gets full, and a row of it that can be damaged. */
async function running(): Promise<{
  readonly mirror: MirrorStore;
  readonly damaged: () => Promise<void>;
  readonly room: { full: boolean };
}> {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const room = { full: false };
  const store: LedgerStore = {
    ...bound(place.store),
    scratch: () =>
      room.full
        ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
        : place.store.scratch(),
  };
  const mirror = await MirrorStore.open(nodeSha256, store, 'before', undefined, 2);
  await mirror.show(mirror.size);
  room.full = true;
  return { mirror, damaged: () => damage(place.store, 'assets', 'BTC'), room };
}

test('rows derived again: readers of a ledger have all rows of the shown head while rows are derived again', async () => {
  const place = await memoryPlace();
  const first = await filledLedger(place, 3);
  await first.write(() => [assetDraft('BTC'), assetDraft('SOL')]);
  const slow = interrupted(place.store);
  const ledger = await openAt({ ...place, store: slow.store as typeof place.store });
  await turns(50);
  await damage(place.store, 'assets', 'BTC');
  assert.throws(() => assetRow(ledger.shown, 'BTC'), { code: 'ledger_corrupt' });
  await slow.reached;
  const found = assetRow(ledger.shown, 'SOL');
  slow.go();
  await turns(50);
  assert.ok(found !== undefined, 'the row of SOL is not there');
});
