import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { leafHash } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { assetRow } from '@assay/core/view/assets';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire/wire';
import type { ChangedTables } from '@assay/node/ledger/record';
import { RowLayer } from '@assay/node/ledger/store/layered-views';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { CHAIN_START, endOf, type ReadEntry, readNext } from '@assay/node/mirror/entry-chain';
import { MIRROR_TABLE } from '@assay/node/mirror/mirror-rows';
import { MirrorStore } from '@assay/node/mirror/mirror-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import {
  bound,
  CHECKPOINTS,
  entriesOf,
  filledLedger,
  memoryPlace,
  naiveRoot,
  type ProbeStore,
  sealed,
  turns,
} from '../ledger/ledger-fixture.ts';
import { assetDraft } from '../terminal/tick-world.ts';
import { mirrorPlace, openMirror, serverOf } from './mirror-fixture.ts';

const SYMBOLS = ['BTC', 'ETH', 'SOL'];

/** A log whose entries change the same few rows again and again, and the rows at each of its sizes. */
interface Copied {
  readonly read: readonly ReadEntry[];
  readonly rows: readonly ViewState[];
}

async function copied(): Promise<Copied> {
  const place = await memoryPlace();
  const log = await filledLedger(place, 0);
  const symbols = Array.from({ length: 30 }, (_, i) => SYMBOLS[(i % 5) % 3] as string);
  await log.write(() => symbols.map((symbol) => assetDraft(symbol)));
  const parse = bodyParser(nodeSha256);
  const read: ReadEntry[] = [];
  const rows: ViewState[] = [new MemoryViews()];
  let end = CHAIN_START;
  for (const bytes of await entriesOf(place.store)) {
    const next = readNext(parse, end, bytes, leafHash(nodeSha256, bytes));
    read.push(next);
    end = endOf(next);
    const views = new MemoryViews();
    views.replace(rows.at(-1) as MemoryViews);
    const { known, seq, at } = next;
    assert.ok(known !== undefined && log.log !== undefined);
    views.write(foldEntry({ ...known, seq, at, log: log.log }, views, nodeSha256));
    rows.push(views);
  }
  return { read, rows };
}

const LOG = copied();

function headAt(read: readonly ReadEntry[], size: number): Uint8Array {
  return CHECKPOINTS.sign(size, naiveRoot(read.slice(0, size).map(({ leaf }) => leaf)));
}

/** The rows are those of `size` entries, by their keys and in lists of both directions, and no others. */
function requireRows(found: ViewState, { rows }: Copied, size: number): void {
  const expected = rows[size];
  const all = rows.at(-1) as MemoryViews;
  assert.ok(expected !== undefined);
  for (const table of [...all.tables(), MIRROR_TABLE]) {
    assert.deepEqual([...found.list(table)], [...expected.list(table)], `${table} at ${size}`);
    assert.deepEqual([...found.descend(table)], [...expected.descend(table)]);
    for (const [key] of all.list(table)) {
      assert.deepEqual(found.get(table, key), expected.get(table, key), `${table} ${key}`);
    }
  }
  for (const key of ['held', 'bytes']) assert.equal(found.get(MIRROR_TABLE, key), undefined);
}

const open = (store: LedgerStore, most?: number): Promise<MirrorStore> =>
  MirrorStore.open(nodeSha256, store, 'before', undefined, most);

const STEP = fc.record({
  entries: fc.integer({ min: 1, max: 4 }),
  isWhole: fc.boolean(),
  after: fc.constantFrom('go on', 'go on', 'open again', 'derive'),
});

for (const most of [0, 20_000]) {
  test(`mirror views: readers have the rows of the head that is held, at every moment of a copy; most ${most}`, async () => {
    const log = await LOG;
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 12 }), async (steps) => {
        const { store } = await memoryPlace();
        let mirror = await open(store, most);
        let held = 0;
        for (const { entries, isWhole, after } of steps) {
          const start = mirror.size;
          const size = Math.min(start + entries, log.read.length);
          if (size === start) break;
          const before = held;
          const told: ChangedTables[] = [];
          store.gate.shut();
          const committed = mirror.commit(
            log.read.slice(start, size),
            isWhole ? headAt(log.read, size) : undefined,
            (tables) => {
              told.push(tables);
              requireRows(mirror.shown, log, size);
            },
          );
          await turns(1);
          requireRows(mirror.shown, log, before);
          requireRows(mirror.tip, log, size);
          store.gate.open();
          await committed;
          if (isWhole) held = size;
          const [tables] = told;
          assert.equal(told.length, isWhole ? 1 : 0);
          const listed = tables === 'all' ? undefined : tables;
          if (isWhole) assert.ok(before === 0 ? tables === 'all' : listed?.has('assets') !== false);
          assert.equal(listed?.has(MIRROR_TABLE) ?? false, false);
          if (after === 'open again') {
            mirror = await open(store, most);
            assert.deepEqual(mirror.mended, []);
            await mirror.show(held);
          } else if (after === 'derive') {
            // Whatever is stored is found to be damaged by the check of all rows.
            await damage(store, { table: 'log', key: 'genesis', value: formatWire(1) });
            for await (const _ of mirror.stored.checkRows(() => undefined));
          }
          requireRows(mirror.shown, log, held);
          requireRows(mirror.tip, log, size);
        }
        await mirror.close();
      }),
      { numRuns: 25 },
    );
  });
}

/** Changes a row in a store, and not its digest. */
async function damage(
  store: LedgerStore,
  row: { readonly table: string; readonly key: string; readonly value: Uint8Array },
): Promise<void> {
  const views = [{ ...sealed(row), value: formatWire('another') }];
  await store.commit({ entries: [], tiles: [], views, head: null });
}

const ROW = { table: 'assets', key: 'BTC', value: formatWire('BTC') };

/** A store with a mirror of 20 entries, of which 12 are held. */
async function partly(): Promise<{ readonly store: ProbeStore; readonly mirror: MirrorStore }> {
  const { read } = await LOG;
  const { store } = await memoryPlace();
  const mirror = await open(store, 0);
  await mirror.commit(read.slice(0, 12), headAt(read, 12));
  await mirror.commit(read.slice(12, 16), undefined);
  await mirror.commit(read.slice(16, 20), undefined);
  return { store, mirror };
}

for (const fail of ['failed', 'failed, but on disk'] as const) {
  test(`mirror views: after a commit that ${fail} readers have what was shown, and a restart goes on`, async () => {
    const log = await LOG;
    const { store, mirror } = await partly();
    store.fail = fail;
    const next = log.read.slice(20, 26);
    await assert.rejects(mirror.commit(next, headAt(log.read, 26)), { code: 'stopped' });
    requireRows(mirror.shown, log, 12);
    assert.equal(mirror.stopped?.code, 'stopped');
    store.fail = undefined;
    await assert.rejects(mirror.commit(next, headAt(log.read, 26)), { code: 'stopped' });
    requireRows(mirror.shown, log, 12);
    const again = await open(store, 0);
    assert.equal(again.size, fail === 'failed' ? 20 : 26);
    await again.show(12);
    requireRows(again.shown, log, 12);
    await again.commit(log.read.slice(again.size), headAt(log.read, log.read.length));
    requireRows(again.shown, log, log.read.length);
  });
}

test('mirror views: a damaged row is refused when it is read, and all are derived again', async () => {
  const log = await LOG;
  const { store } = await partly();
  const mirror = await open(store, 0);
  await mirror.show(20);
  await damage(store, ROW);
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  for (let tries = 0; tries < 200 && mirror.mended.length === 0; tries += 1) await turns();
  requireRows(mirror.shown, log, 20);
  await mirror.commit(log.read.slice(20, 25), headAt(log.read, 25));
  requireRows(mirror.shown, log, 25);
  assert.equal(mirror.mended.length, 1);
  const again = await open(store, 0);
  assert.deepEqual(again.mended, [], 'the rows of the mirror itself are still among them');
  assert.deepEqual(again.held, headAt(log.read, 25));
  assert.equal(again.bytes, mirror.bytes);
});

test('mirror views: a damaged row is no fault of the log, and the entries that need it come with the next commit', async () => {
  const log = await LOG;
  const { store } = await partly();
  const mirror = await open(store, 0);
  await mirror.show(12);
  await damage(store, ROW);
  const commit = (): Promise<void> => mirror.commit(log.read.slice(20), headAt(log.read, 31));
  await assert.rejects(commit(), { code: 'storage_failed' });
  assert.deepEqual(mirror.tip.get('assets', 'ETH'), log.rows[20]?.get('assets', 'ETH'));
  assert.deepEqual([mirror.stopped, mirror.size, mirror.end.size], [undefined, 20, 20]);
  requireRows(mirror.shown, log, 12);
  await commit();
  assert.equal(mirror.mended.length, 1);
  requireRows(mirror.shown, log, 31);
  assert.deepEqual((await open(store, 0)).mended, []);
});

test('mirror views: a poll that meets a damaged row of the copy fails without a word on the log, and the next goes on', async () => {
  const ledger = await filledLedger(await memoryPlace(), 3);
  await ledger.write(() => [assetDraft('BTC')]);
  const place = await mirrorPlace();
  await (await openMirror(place, serverOf(ledger))).follow();
  const mirror = await openMirror(place, serverOf(ledger));
  await damage(place.store, ROW);
  await ledger.write(() => [assetDraft('BTC', false)]);
  await assert.rejects(mirror.follow(), { code: 'storage_failed' });
  assert.deepEqual([mirror.blocked, mirror.size], [undefined, 5]);
  assert.deepEqual(await mirror.follow(), { kind: 'followed', size: 6, grew: 1 });
  assert.equal(assetRow(mirror.shown, 'BTC')?.listed, false);
});

test('mirror views: readers do not keep a row that the entries do not give, once the check has found it', async () => {
  const log = await LOG;
  const { store } = await partly();
  const mirror = await open(store, 0);
  await mirror.show(20);
  const views = [sealed({ ...ROW, value: formatWire({ symbol: 'BTC' }) })];
  await store.commit({ entries: [], tiles: [], views, head: null });
  assert.deepEqual(mirror.shown.get('assets', 'BTC'), { symbol: 'BTC' });
  for await (const _ of mirror.stored.checkRows(() => undefined));
  requireRows(mirror.shown, log, 20);
});

test('mirror views: where they cannot be derived again, nothing more is written', async () => {
  const log = await LOG;
  const { store } = await partly();
  const full = { ...bound(store), rewrite: () => Promise.reject(new Error('ENOSPC')) };
  const mirror = await open(full, 0);
  await mirror.show(20);
  await damage(store, ROW);
  assert.throws(() => assetRow(mirror.shown, 'BTC'), { code: 'ledger_corrupt' });
  await assert.rejects(mirror.commit(log.read.slice(20), headAt(log.read, 31)), {
    code: 'stopped',
  });
  assert.equal(mirror.stopped?.code, 'stopped');
});

test('mirror views: a start of many rows reads its own alone, and derives the others beside the store', async () => {
  const log = await LOG;
  const { store } = await partly();
  const calls: string[] = [];
  const reads: string[] = [];
  const watched: LedgerStore = {
    ...bound(store),
    views(table) {
      calls.push(`views ${table ?? 'of all tables'}`);
      return store.views(table);
    },
    view(table, key) {
      reads.push(`${table} ${key}`);
      return store.view(table, key);
    },
    scratch() {
      calls.push('scratch');
      return store.scratch();
    },
  };
  const mirror = await open(watched, 2);
  assert.deepEqual(calls, ['views mirror', 'scratch', 'views of all tables']);
  await mirror.show(20);
  reads.length = 0;
  requireRows(mirror.shown, log, 20);
  for (const each of SYMBOLS) assert.ok(reads.includes(`assets ${each}`), each);
  await mirror.commit(log.read.slice(20), headAt(log.read, 31));
  requireRows(mirror.shown, log, 31);
  assert.equal(calls.length, 3, 'to follow a log reads no range of rows');
});

test('mirror views: the rows of fewer entries than are stored are beside the store until all are shown', async (t) => {
  const log = await LOG;
  const { store } = await partly();
  const places = new Set<LedgerStore>();
  const watched: LedgerStore = {
    ...bound(store),
    async scratch() {
      const made = await store.scratch();
      places.add(made.store);
      return {
        store: made.store,
        drop() {
          places.delete(made.store);
          return made.drop();
        },
      };
    },
  };
  const mirror = await open(watched, 2);
  const count = countRows(t);
  for (const size of [7, 12]) {
    await mirror.show(size);
    assert.equal(places.size, 1);
    requireRows(mirror.shown, log, size);
  }
  assert.equal(count.writes(), 0, 'none are in memory');
  await mirror.commit(log.read.slice(20), headAt(log.read, 31));
  assert.equal(places.size, 0);
  requireRows(mirror.shown, log, 31);
});

/** How often rows are put into states in memory, and how many rows all layers have. */
function countRows(t: TestContext): { readonly writes: () => number; readonly held: () => number } {
  const { mock: writing } = t.mock.method(MemoryViews.prototype, 'write');
  const { mock: setting } = t.mock.method(RowLayer.prototype, 'set');
  return {
    writes: () => writing.callCount(),
    held() {
      const layers = new Set(setting.calls.map((call) => call.this as RowLayer));
      return [...layers].flatMap((layer) =>
        [...layer.tables()].flatMap((table) => layer.keys(table)),
      ).length;
    },
  };
}

test('mirror views: a copy of a long log holds none of its rows, but what a head that is not shown yet has changed', async (t) => {
  const { read } = await LOG;
  const count = countRows(t);
  const { store } = await memoryPlace();
  const first = await open(store, 0);
  await first.show(0);
  for (let size = 0; size < 12; size += 4) {
    await first.commit(read.slice(size, size + 4), undefined);
    assert.equal(count.held(), 0, 'nothing was shown before');
  }
  const mirror = await open(store, 0);
  await mirror.show(0);
  await mirror.commit(read.slice(12, 14), headAt(read, 14));
  assert.equal(count.held(), 0);
  await mirror.commit(read.slice(14, 20), undefined);
  // Three assets, and an earlier one of each entry.
  assert.equal(count.held(), 3 + 6);
  await mirror.commit(read.slice(20, 22), undefined);
  assert.equal(count.held(), 3 + 8);
  await mirror.commit(read.slice(22, 24), headAt(read, 24));
  assert.equal(count.held(), 0);
  const again = await open(store, 0);
  await again.show(24);
  assert.equal(count.writes(), 0);
  await again.commit(read.slice(24, 26), undefined);
  const apart = await open(store, 0);
  await apart.show(24);
  assert.equal(count.writes(), 0);
  const short = await open(store, 26);
  await short.show(24);
  assert.ok(count.writes() >= 24, 'those of a short log are derived in memory');
});

for (const [name, row] of [
  ['of the log', ROW],
  ['of the mirror itself', { table: MIRROR_TABLE, key: 'held', value: formatWire('') }],
] as const) {
  for (const most of [0, 20_000]) {
    test(`mirror views: a start finds a damaged row ${name}, whether or not it reads them all; most ${most}`, async () => {
      const log = await LOG;
      const { store } = await partly();
      await damage(store, row);
      const mirror = await open(store, most);
      assert.equal(mirror.mended.length, 1);
      assert.deepEqual(mirror.held, row === ROW ? headAt(log.read, 12) : undefined);
      await mirror.commit(log.read.slice(20), headAt(log.read, 31));
      requireRows(mirror.shown, log, 31);
      const again = await open(store, most);
      assert.deepEqual([again.mended, again.held], [[], headAt(log.read, 31)]);
    });
  }
}
