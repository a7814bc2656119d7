import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import { Settling, type SettlingLimits } from '@assay/node/ledger/guard/settling';
import { Ledger } from '@assay/node/ledger/ledger';
import { compareAtStart } from '@assay/node/ledger/start';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { rotationTo1 } from '../../../verifier/fixture/rotated-log.ts';
import {
  bound,
  CHECKPOINTS,
  contents,
  filledLedger,
  Gate,
  GENESIS_DRAFT,
  memoryPlace,
  NOON,
  note,
  openAt,
  type Place,
  type ProbeStore,
  probeStore,
  requireSound,
  temporaryFolder,
  turns,
} from '../ledger-fixture.ts';
import { fault, RULE } from '../served-ledger.ts';

const NEVER: SettlingLimits = { bytes: Infinity, ms: 1e9, mostBytes: Infinity };

/** A settling whose syncs end when the test says so. */
function held(limits: SettlingLimits) {
  const syncs: { readonly end: () => void; readonly fail: (cause: Error) => void }[] = [];
  const settled: number[] = [];
  const failed: unknown[] = [];
  const settling = new Settling({
    store: { sync: () => new Promise((end, fail) => void syncs.push({ end, fail })) },
    guard: { settled: (size) => Promise.resolve(void settled.push(size)) },
    limits,
    onFailed: (cause) => void failed.push(cause),
  });
  return { settling, syncs, settled, failed };
}

test('settling: a guard is told after a sync, of what was written before that began, one at a time', async () => {
  const { settling, syncs, settled } = held({ bytes: 100, ms: 1e9, mostBytes: 300 });
  settling.add(1, 60);
  await turns();
  assert.equal(syncs.length, 0);
  settling.add(2, 60);
  settling.add(3, 60);
  settling.add(4, 60);
  await turns();
  assert.deepEqual([syncs.length, settled], [1, []]);
  syncs[0]?.end();
  await turns();
  assert.deepEqual([syncs.length, settled], [2, [2]]);
  syncs[1]?.end();
  await turns();
  assert.deepEqual([syncs.length, settled], [2, [2, 4]]);
});

test('settling: what is little is settled after a time', async () => {
  const { settling, syncs, settled } = held({ bytes: 100, ms: 20, mostBytes: 300 });
  settling.add(1, 60);
  for (let tries = 0; syncs.length === 0 && tries < 500; tries += 1) await sleep(10);
  syncs[0]?.end();
  await turns();
  assert.deepEqual(settled, [1]);
});

test('settling: the next commit waits while too much is unsettled', async () => {
  const { settling, syncs } = held({ bytes: 100, ms: 1e9, mostBytes: 300 });
  settling.add(1, 300);
  await settling.room();
  settling.add(2, 1);
  let hasRoom = false;
  const room = settling.room().then(() => (hasRoom = true));
  await turns();
  assert.equal(hasRoom, false);
  syncs[0]?.end();
  await room;
});

test('settling: everything is settled on demand, also what came while a sync was under way', async () => {
  const { settling, syncs, settled } = held({ bytes: 100, ms: 1e9, mostBytes: 300 });
  settling.add(1, 100);
  settling.add(2, 1);
  const all = settling.settle();
  await turns();
  syncs[0]?.end();
  await turns();
  syncs[1]?.end();
  await all;
  assert.deepEqual(settled, [1, 2]);
});

test('settling: after a sync that failed nothing is settled, until a restart', async () => {
  const { settling, syncs, settled, failed } = held({ bytes: 100, ms: 1, mostBytes: 300 });
  const cause = new Error('EIO');
  settling.add(1, 100);
  syncs[0]?.fail(cause);
  await turns();
  assert.deepEqual(failed, [cause]);
  await assert.rejects(settling.room(), cause);
  await assert.rejects(settling.settle(), cause);
  settling.add(2, 500);
  await sleep(20);
  assert.deepEqual([syncs.length, settled], [1, []]);
  settling.restart();
  syncs[1]?.end();
  await settling.settle();
  assert.deepEqual(settled, [2]);
});

test('settling: after a halt none begins, whatever was due, until a restart', async () => {
  const { settling, syncs, settled } = held({ bytes: 100, ms: 1, mostBytes: 300 });
  settling.add(1, 100);
  settling.add(2, 100);
  let isHalted = false;
  const halted = settling.halt().then(() => (isHalted = true));
  await turns();
  assert.equal(isHalted, false);
  syncs[0]?.end();
  await halted;
  await settling.settle();
  settling.add(3, 100);
  await sleep(20);
  assert.deepEqual([syncs.length, settled], [1, [1]]);
  settling.restart();
  syncs[1]?.end();
  await turns();
  assert.deepEqual(settled, [1, 3]);
});

/** What the system says where too many files are open. */
function tooMany(): Error {
  return new Fault('storage_failed', 'ledger database', {
    cause: Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open' }),
  });
}

test('settling: where no file can be opened for a sync it is tried again after a time', async () => {
  const { settling, syncs, settled, failed } = held({ bytes: 100, ms: 30, mostBytes: 300 });
  settling.add(1, 400);
  let hasRoom = false;
  const room = settling.room().then(() => (hasRoom = true));
  syncs[0]?.fail(tooMany());
  await turns();
  // Neither a commit that waits nor one that was added makes the tries more.
  settling.add(2, 100);
  await turns();
  assert.deepEqual([syncs.length, settled, failed, hasRoom], [1, [], [], false]);
  for (let tries = 0; syncs.length === 1 && tries < 500; tries += 1) await sleep(10);
  syncs[1]?.end();
  await room;
  await turns();
  assert.deepEqual([settled, failed], [[2], []]);
});

test('settling: a commit that waits while no file can be opened fails after ten tries, and says why', async () => {
  const cause = tooMany();
  let tries = 0;
  const settling = new Settling({
    store: { sync: () => ((tries += 1), Promise.reject(cause)) },
    guard: { settled: () => Promise.resolve() },
    limits: { bytes: 1000, ms: 1, mostBytes: 300 },
    onFailed: () => assert.fail('nothing has failed'),
  });
  settling.add(1, 400);
  await assert.rejects(settling.room(), cause);
  assert.ok(tries >= 10, `${tries}`);
  await settling.halt();
});

test('settling: a close does not wait until files can be opened', async () => {
  const { settling, syncs, failed } = held({ bytes: 100, ms: 1e9, mostBytes: 300 });
  settling.add(1, 1);
  const cause = tooMany();
  const all = settling.settle();
  syncs[0]?.fail(cause);
  await assert.rejects(all, cause);
  assert.deepEqual([syncs.length, failed], [1, []]);
  await settling.halt();
});

/** A store in memory that can lose the commits that were not synced. */
async function losing(): Promise<{
  readonly store: LedgerStore;
  /** How many could be lost. */
  readonly count: () => number;
  /** What a power failure leaves, which takes those for which `isLost` is true. */
  readonly after: (isLost: (i: number) => boolean) => Promise<LedgerStore>;
}> {
  const memory = await openMemoryStore();
  const unsynced: Parameters<LedgerStore['commit']>[0][] = [];
  const written: (readonly [Parameters<LedgerStore['commit']>[0], number | undefined])[] = [];
  const store: LedgerStore = {
    ...bound(memory),
    async commit(batch, { sync = true } = {}) {
      await memory.commit(batch);
      written.push([batch, sync ? undefined : unsynced.length]);
      if (!sync) unsynced.push(batch);
    },
    sync: () => Promise.reject(new Error('no sync is asked for')),
  };
  const after = async (isLost: (i: number) => boolean): Promise<LedgerStore> => {
    const left = await openMemoryStore();
    for (const [batch, i] of written) if (i === undefined || !isLost(i)) await left.commit(batch);
    return left;
  };
  return { store, count: () => unsynced.length, after };
}

/** A log of 400 entries, of which nothing is settled, in commits of one entry and of many. */
async function unsettled(): Promise<Place & Awaited<ReturnType<typeof losing>>> {
  const place = await memoryPlace();
  const disk = await losing();
  const store = probeStore(disk.store);
  const ledger = await openAt({ ...place, store }, { settling: NEVER });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [RULE]);
  for (let i = 0; i < 30; i += 1) {
    await ledger.write(() => Array.from({ length: i % 3 === 0 ? 38 : 1 }, () => note(`note ${i}`)));
  }
  return { ...place, ...disk, store };
}

test('settling: a database that lost all, some or the middle of what was not synced gets it from the guard', async () => {
  const place = await unsettled();
  const count = place.count();
  assert.equal(count, 31, 'the first commit alone is synced');
  const whole = await contents(place.store);
  const { size } = place.guard.shared.row?.head ?? { size: 0 };
  const losses: readonly (readonly [string, (i: number) => boolean])[] = [
    ['all', () => true],
    ['the end', (i) => i >= 12],
    ['the newest', (i) => i === count - 1],
    ['the middle', (i) => i >= 10 && i < 20],
    ['the beginning', (i) => i < count - 1],
    ['every other', (i) => i % 2 === 0],
    ['one with a tile, and the newest', (i) => i === 19 || i === count - 1],
    ['nothing', () => false],
  ];
  for (const [what, isLost] of losses) {
    const store = probeStore(await place.after(isLost));
    const { row, pending } = place.guard.shared;
    const ledger = await openAt({ store, guard: place.guard });
    assert.equal(ledger.published?.size, size, what);
    assert.deepEqual(await contents(store), whole, what);
    await ledger.write(() => [note('on')]);
    await requireSound(store, size + 1);
    Object.assign(place.guard.shared, { row, pending });
  }
});

test('settling: the rows of a long log are derived again where a commit before others is lost', async () => {
  const place = await unsettled();
  const whole = await contents(place.store);
  const { pending } = place.guard.shared;
  // The first of them is the rule's, which has rows.
  const isLost = (i: number): boolean => i === 0 || i === place.count() - 1;
  const store = await place.after(isLost);
  const head = place.guard.shared.row?.head;
  const guarded = { head, pending, untaken: undefined };
  await compareAtStart(nodeSha256, store, guarded, [], undefined, { most: 0 });
  assert.deepEqual(await contents(store), whole);
});

/** The same store on a disk that is full. */
function full(store: LedgerStore): ProbeStore {
  const readOnly = new Fault('no_room', 'ledger database', { found: 'EROFS' });
  const refuse = (): Promise<never> => Promise.reject(readOnly);
  const { gate, commits, fail, failure } = probeStore(store);
  const blocked = { ...bound(store), readOnly, commit: refuse, rewrite: refuse };
  return Object.assign(blocked, { gate, commits, fail, failure });
}

test('settling: a full disk that lacks entries which the guard has is refused until there is room', async () => {
  const place = await unsettled();
  const { row, pending } = place.guard.shared;
  for (const isLost of [(i: number) => i === 12, (i: number) => i > 12, () => true]) {
    const left = await place.after(isLost);
    await assert.rejects(openAt({ ...place, store: full(left) }), fault('no_room'));
    assert.equal((await openAt({ ...place, store: probeStore(left) })).published?.size, 402);
    await turns();
    Object.assign(place.guard.shared, { row, pending });
  }
  const ledger = await openAt({ ...place, store: full(place.store) });
  assert.equal(ledger.published?.size, 402);
});

test('settling: a ledger that is closed leaves nothing to compare', async () => {
  const place = await memoryPlace();
  const ledger = await openAt(place, { settling: NEVER });
  await ledger.write(() => [GENESIS_DRAFT]);
  for (let i = 0; i < 5; i += 1) await ledger.write(() => [note(`${i}`)]);
  await turns();
  assert.equal(place.guard.shared.pending.length, 6);
  await ledger.close();
  assert.deepEqual(place.guard.shared.pending, []);
});

test('settling: a commit waits while the guard alone has too much', async () => {
  const place = await memoryPlace();
  const gate = new Gate();
  const store = Object.assign(place.store, { sync: () => gate.pass() });
  const settling = { bytes: 4096, ms: 1e9, mostBytes: 8192 };
  const ledger = await openAt({ ...place, store }, { settling });
  gate.shut();
  // A record takes 4096 bytes at least.
  for (const draft of [GENESIS_DRAFT, note('a'), note('b')]) await ledger.write(() => [draft]);
  let isWritten = false;
  const waiting = ledger.write(() => [note('c')]).then(() => (isWritten = true));
  await turns();
  assert.deepEqual([isWritten, place.guard.moves, gate.arrived], [false, 3, 1]);
  gate.open();
  await waiting;
});

test('settling: the journal of a guard does not grow with the log', async (t) => {
  const folder = join(await temporaryFolder(t), 'guard');
  const guard = await FileHeadGuard.open(folder, { sync: false });
  const place = await memoryPlace();
  // Slower than the commits are.
  const store = Object.assign(place.store, { sync: () => sleep(20) });
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store,
    guard,
    signer: CHECKPOINTS,
    now: () => NOON,
    askHeads: null,
  });
  await ledger.write(() => [GENESIS_DRAFT]);
  const text = 'x'.repeat(32_000);
  for (let i = 0; i < 60; i += 1) {
    await ledger.write(() => Array.from({ length: 32 }, () => note(text)));
  }
  let bytes = 0;
  for (const name of ['0', '1']) bytes += (await stat(join(folder, name))).size;
  assert.ok(bytes <= 20 * 1024 * 1024, `${bytes} bytes`);
  await ledger.close();
  const again = await FileHeadGuard.open(folder, { sync: false });
  assert.deepEqual((await again.peek())?.pending, []);
  await again.close();
});

test('settling: a sync that fails stops the ledger, and the guard keeps what it has', async () => {
  const place = await memoryPlace();
  let fails = false;
  const store = Object.assign(place.store, {
    sync: () => (fails ? Promise.reject(new Error('disk: EIO')) : Promise.resolve()),
  });
  const ledger = await filledLedger({ ...place, store }, 1);
  await turns();
  assert.deepEqual(place.guard.shared.pending, []);
  fails = true;
  await ledger.write(() => [note('durable in the guard')]);
  await turns();
  assert.equal(ledger.stopped?.code, 'stopped');
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('stopped'),
  );
  assert.equal(place.guard.shared.pending.length, 1);
  fails = false;
  await ledger.resume();
  await ledger.write(() => [note('on')]);
  await turns();
  assert.deepEqual([ledger.published?.size, place.guard.shared.pending], [4, []]);
});

/** A place whose store tells of a sync of what was found and is not settled yet: a close may put older files back. */
async function keeping() {
  const place = await memoryPlace();
  const { store } = place;
  const seen = { isKept: false, early: 0, failing: false };
  const keeps = Object.assign(store, {
    reopen: () => Promise.resolve(void (seen.isKept = true)),
    settle: () => Promise.resolve(void (seen.isKept = false)),
    sync: () => {
      if (seen.isKept) seen.early += 1;
      return seen.failing ? Promise.reject(new Error('disk: EIO')) : Promise.resolve();
    },
  });
  return { place: { ...place, store: keeps }, seen };
}

test('settling: nothing that was found by a resume is synced before it is settled', async () => {
  const { place, seen } = await keeping();
  const ledger = await filledLedger(place, 1);
  await turns();
  seen.failing = true;
  await ledger.write(() => [note('durable in the guard')]);
  await turns();
  assert.equal(ledger.stopped?.code, 'stopped');
  seen.failing = false;
  await ledger.resume();
  await turns();
  assert.deepEqual(
    [seen, place.guard.shared.pending],
    [{ isKept: false, early: 0, failing: false }, []],
  );
});

test('settling: a close after a resume that failed settles nothing', async () => {
  const { place, seen } = await keeping();
  const ledger = await openAt(place, { settling: NEVER });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [note('durable in the guard')]);
  place.store.fail = 'failed';
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('stopped'),
  );
  place.store.fail = undefined;
  place.guard.fail = 'failed';
  await assert.rejects(ledger.resume());
  const pending = place.guard.shared.pending.length;
  assert.ok(pending >= 2);
  await ledger.close();
  assert.deepEqual(
    [seen.isKept, seen.early, place.guard.shared.pending.length],
    [true, 0, pending],
  );
});

test('settling: a close during the proof of a start settles nothing', async () => {
  const { place, seen } = await keeping();
  const before = await openAt(place, { settling: NEVER });
  await before.write(() => [GENESIS_DRAFT]);
  await before.write(() => [note('durable in the guard')]);
  seen.isKept = true;
  const ledger = await openAt(place, { prove: 'behind' });
  assert.equal(ledger.blocked?.code, 'unproven');
  await ledger.close();
  assert.deepEqual([seen.isKept, seen.early, place.guard.shared.pending.length], [true, 0, 2]);
});

test('settling: a guard whose epoch was not taken is told nothing', async () => {
  const place = await memoryPlace();
  const before = await openAt(place, { settling: NEVER });
  await before.write(() => [GENESIS_DRAFT]);
  await before.write(() => [note('a')]);
  const { take } = place.guard;
  Object.assign(place.guard, {
    take: () => Promise.reject(new Fault('no_room', 'head guard')),
  });
  const ledger = await openAt(place);
  await ledger.proven().catch(() => undefined);
  await turns();
  assert.equal(ledger.stopped?.code, 'no_room');
  assert.equal(place.guard.shared.pending.length, 2);
  Object.assign(place.guard, { take });
  await ledger.resume();
  await turns();
  assert.deepEqual(place.guard.shared.pending, []);
});

test('settling: what a data folder is opened with is synced at once', async () => {
  const place = await memoryPlace();
  const synced: boolean[] = [];
  const { store } = place;
  const spied = probeStore({
    ...bound(store),
    commit: (batch, options) => {
      synced.push(options?.sync ?? true);
      return store.commit(batch, options);
    },
  });
  const ledger = await openAt({ ...place, store: spied }, { settling: NEVER });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [note('a')]);
  await ledger.write(() => [{ kind: 'key/1', body: rotationTo1(ledger.log as HashHex) }]);
  await ledger.write(() => [note('b')]);
  assert.deepEqual(synced, [true, false, true, false]);
});
