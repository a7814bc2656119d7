import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toHashHex } from '@assay/core/hash/hash';
import { formatHead, parseHead } from '@assay/core/view/head';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { rebuild, recover } from '@assay/node/ledger/derived/recover';
import { compareRows } from '@assay/node/ledger/store/sealed-row';
import type { LedgerStore, SealedRow } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { layoffsRule } from '../../../core/fixture/fixture.ts';
import { assetDraft } from '../../terminal/tick-world.ts';
import {
  bound,
  contents,
  entriesOf,
  filledLedger,
  GENESIS_DRAFT,
  memoryPlace,
  note,
  openAt,
  type Place,
  requireSound,
  sealed,
  guardedSize,
} from '../ledger-fixture.ts';

const fault = (code: string): { name: string; code: string } => ({ name: 'Fault', code });

/** A log whose guard holds `swapped` entries and whose database holds `more` behind them. */
async function cutShort(swapped: number, more: number): Promise<Place> {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, swapped - 1);
  if (more === 0) return place;
  place.guard.fail = 'failed';
  const drafts = [
    { kind: 'rule/1', body: { rule: layoffsRule() } } as const,
    ...Array.from({ length: more - 1 }, (_, i) => note(`more ${i}`)),
  ];
  await assert.rejects(
    ledger.write(() => drafts),
    fault('stopped'),
  );
  place.guard.fail = undefined;
  return place;
}

/** The rows are derived in memory, or beside the store. */
const OPTIONS = [{}, { most: 0 }] as const;

const run = ({ store, guard }: Place, options = {}): ReturnType<typeof recover> =>
  recover(nodeSha256, store, guard, undefined, options);

test('recover: it drops what was never swapped in, with its tiles and rows, and nothing else', async () => {
  for (const [swapped, more] of [
    [1, 1],
    [5, 3],
    [200, 400],
    [255, 1],
    [256, 1],
    [257, 255],
    [10, 0],
  ] as const) {
    for (const options of OPTIONS) await dropped(swapped, more, options);
  }
});

async function dropped(swapped: number, more: number, options: object): Promise<void> {
  const place = await cutShort(swapped, more);
  const before = (await entriesOf(place.store)).slice(0, swapped);
  assert.deepEqual(await run(place, options), { size: swapped, dropped: more });
  assert.deepEqual(await entriesOf(place.store), before);
  await requireSound(place.store, swapped);
  const held = guardedSize(place.guard);
  const ledger = await openAt(place);
  assert.equal(ledger.published?.size, swapped);
  assert.equal(guardedSize(place.guard), held);
  assert.deepEqual([...ledger.shown.list('tickers')], []);
  await ledger.write(() => [note('and on')]);
  await requireSound(place.store, swapped + 1);
  assert.deepEqual(await run(place, options), { size: swapped + 1, dropped: 0 });
}

test('recover: it mends head, tiles and views of a log that lost them', async () => {
  const place = await cutShort(300, 5);
  const good = (await entriesOf(place.store)).slice(0, 300);
  const { store } = place;
  await store.rewrite(305, {
    tiles: [{ level: 3, index: 9, bytes: Buffer.from('stray') }],
    views: [sealed({ table: 'log', key: 'genesis', value: Buffer.from('{"a": 1}') })],
    head: Buffer.from('nonsense'),
  });
  await assert.rejects(openAt(place), fault('ledger_corrupt'));
  assert.deepEqual(await run(place), { size: 300, dropped: 5 });
  assert.deepEqual(await entriesOf(store), good);
  await requireSound(store, 300);
});

test('recover: fewer entries than the guard has seen are refused, and stay', async () => {
  const place = await cutShort(300, 0);
  const short = await cutShort(299, 0);
  const before = await contents(short.store);
  await assert.rejects(run({ ...short, guard: place.guard }), fault('ledger_behind'));
  assert.deepEqual(await contents(short.store), before);
  const empty = { ...short, store: (await memoryPlace()).store };
  await assert.rejects(run({ ...empty, guard: place.guard }), fault('ledger_behind'));
  assert.deepEqual(await contents(empty.store), []);
});

test('recover: other entries than the guard has seen are refused, and stay', async () => {
  const place = await cutShort(300, 0);
  const fork = await memoryPlace();
  const ledger = await openAt(fork);
  await ledger.write(() => [GENESIS_DRAFT, ...Array.from({ length: 400 }, () => note('fork'))]);
  const before = await contents(fork.store);
  await assert.rejects(run({ ...fork, guard: place.guard }), fault('ledger_differs'));
  assert.deepEqual(await contents(fork.store), before);
});

test('recover: a broken chain below the guard’s head is refused, and stays', async () => {
  const place = await cutShort(300, 5);
  const entries = await entriesOf(place.store);
  const broken = await openMemoryStore();
  await broken.commit({
    entries: entries
      .map((bytes, seq) => ({ seq, bytes: seq === 7 ? (entries[8] as Uint8Array) : bytes }))
      .filter(({ seq }) => seq !== 290),
    tiles: [],
    views: [],
    head: Buffer.from('x'),
  });
  const before = await contents(broken);
  await assert.rejects(recover(nodeSha256, broken, place.guard), fault('ledger_corrupt'));
  assert.deepEqual(await contents(broken), before);
});

test('recover: an empty guard says nothing to go back to', async () => {
  const place = await cutShort(3, 0);
  const before = await contents(place.store);
  const guard = new MemoryHeadGuard();
  await assert.rejects(recover(nodeSha256, place.store, guard), fault('refused'));
  assert.deepEqual(await contents(place.store), before);
});

test('recover: a rewrite that fails leaves a log that can be recovered again', async () => {
  const place = await cutShort(300, 5);
  const inner = bound(place.store);
  for (const after of [false, true]) {
    const store: LedgerStore = {
      ...inner,
      async rewrite(size, rest) {
        if (after) await inner.rewrite(size, rest);
        throw new Error('disk: EIO');
      },
    };
    await assert.rejects(recover(nodeSha256, store, place.guard), /EIO/);
    await requireSound(inner, after ? 300 : 305);
  }
  assert.deepEqual(await run(place), { size: 300, dropped: 0 });
});

test('rebuild: a sound log has the same bytes afterwards', async () => {
  for (const notes of [0, 1, 255, 256, 600]) {
    const place = await memoryPlace();
    const ledger = await filledLedger(place, notes);
    await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
    const before = await contents(place.store);
    for (const options of OPTIONS) {
      assert.deepEqual(await rebuild(nodeSha256, place.store, place.guard, options), {
        size: notes + 2,
        rows: 3,
        changed: 0,
      });
      assert.deepEqual(await contents(place.store), before);
    }
    assert.equal((await openAt(place)).published?.size, notes + 2);
  }
});

test('rebuild: rows that are gone, strange or changed come out right, and are counted', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 300);
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  for (let i = 0; i < 6; i += 1) await ledger.write(() => [assetDraft(`A${i}`)]);
  const { store } = place;
  const size = 308;
  const before = await contents(store);
  const head = (await store.head()) as Uint8Array;
  const sound: SealedRow[] = [];
  for await (const row of store.views()) sound.push(row);
  const strange = ['a', 'assets', 'log', 'z'].flatMap((table) =>
    ['', '0', 'zz'].map((key) => sealed({ table, key, value: Buffer.from('1') })),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('kept', 'gone', 'other', 'damaged'), {
        minLength: sound.length,
        maxLength: sound.length,
      }),
      fc.subarray(strange),
      fc.constantFrom(...OPTIONS),
      async (fates, added, options) => {
        const rows = sound.flatMap((row, i) => {
          if (fates[i] === 'gone') return [];
          if (fates[i] === 'other') return [sealed({ ...row, value: Buffer.from('{}') })];
          return [fates[i] === 'damaged' ? { ...row, value: Buffer.from('{}') } : row];
        });
        await store.rewrite(size, { views: [...rows, ...added].sort(compareRows), head });
        assert.deepEqual(await rebuild(nodeSha256, store, place.guard, options), {
          size,
          rows: sound.length,
          changed: fates.filter((fate) => fate !== 'kept').length + added.length,
        });
        assert.deepEqual(await contents(store), before);
      },
    ),
    { numRuns: 100 },
  );
});

test('rebuild: entries that are not under the head are corrupt, and nothing is written', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 10);
  const head = parseHead(nodeSha256, (await place.store.head()) as Uint8Array);
  for (const bad of [
    { ...head, size: 12 },
    { ...head, root: toHashHex('ab'.repeat(32)) },
  ]) {
    const bytes = formatHead(nodeSha256, bad);
    await place.store.commit({ entries: [], tiles: [], views: [], head: bytes });
    const before = await contents(place.store);
    await assert.rejects(rebuild(nodeSha256, place.store, place.guard), fault('ledger_corrupt'));
    assert.deepEqual(await contents(place.store), before);
  }
});

test('rebuild: an empty database has nothing to build from', async () => {
  const store = await openMemoryStore();
  await assert.rejects(rebuild(nodeSha256, store, new MemoryHeadGuard()), fault('not_found'));
});

test('rebuild: a database behind the guard is refused, and nothing is written', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 10);
  const ahead = await memoryPlace();
  await filledLedger(ahead, 11);
  const before = await contents(place.store);
  await assert.rejects(rebuild(nodeSha256, place.store, ahead.guard), fault('ledger_behind'));
  assert.deepEqual(await contents(place.store), before);
  await rebuild(nodeSha256, ahead.store, place.guard);
});
