import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, toHash } from '@assay/core/hash/hash';
import { formatHead } from '@assay/core/view/head';
import type { Ledger, Repaired } from '@assay/node/ledger/ledger';
import { sumOf } from '@assay/node/ledger/store/sealed-row';
import type { LedgerStore, SealedRow, StoreBatch } from '@assay/node/ledger/store/store';
import { type RowProgress, StoredLog } from '@assay/node/ledger/store/stored-log';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { layoffsRule } from '../../../core/fixture/fixture.ts';
import {
  contents,
  filledLedger,
  memoryPlace,
  note,
  openAt,
  type Place,
  requireSound,
  sealed,
} from '../ledger-fixture.ts';

const SIZE = 602;

interface World {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly repaired: Repaired[];
}

async function world(): Promise<World> {
  const place = await memoryPlace();
  const filled = await filledLedger(place, 600);
  await filled.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  await filled.idle();
  const repaired: Repaired[] = [];
  const ledger = await openAt(place, { onRepaired: (each) => repaired.push(each) });
  return { place, ledger, repaired };
}

/** Writes behind the ledger's back. */
async function rot({ place }: World, batch: Partial<StoreBatch>): Promise<void> {
  await place.store.commit({ entries: [], tiles: [], views: [], head: null, ...batch });
}

async function rowsOf({ place }: World): Promise<readonly SealedRow[]> {
  const rows: SealedRow[] = [];
  for await (const row of place.store.views()) rows.push(row);
  return rows;
}

/** What a check of all rows finds, and whether it says that it is repaired. */
async function checkRows({ ledger }: World): Promise<readonly (readonly [string, boolean])[]> {
  const found: (readonly [string, boolean])[] = [];
  const passes = ledger.stored.checkRows((name, isRepaired) => found.push([name, isRepaired]));
  for await (const { done, of } of passes) assert.ok(done <= of + 1);
  return found;
}

test('stored log: a log that is as it was is left alone, bundle by bundle', async () => {
  const log = await world();
  const before = await contents(log.place.store);
  const sizes: number[] = [];
  for (const index of [0, 1, 2]) {
    const { entries, damaged, badTiles, bytes } = await log.ledger.stored.checkBundle(index);
    assert.deepEqual([damaged, badTiles], [[], []]);
    assert.ok(bytes > 0);
    sizes.push(entries.length);
  }
  assert.deepEqual(sizes, [256, 256, 90]);
  assert.deepEqual(await checkRows(log), []);
  assert.deepEqual(await contents(log.place.store), before);
  assert.deepEqual(log.repaired, []);
});

test('stored log: a hash tile is derived again and written at once, though nothing is appended', async () => {
  const log = await world();
  const bytes = (await log.place.store.tile(0, 1)) as Uint8Array;
  const bad = bytes.with(77, (bytes[77] as number) ^ 4);
  // It was read before it rotted: what is checked is what is stored.
  await log.ledger.tile({ level: 0, index: 1, width: 256 });
  await rot(log, { tiles: [{ level: 0, index: 1, bytes: bad }] });
  const { badTiles, damaged } = await log.ledger.stored.checkBundle(1);
  assert.deepEqual([badTiles, damaged], [[], []]);
  assert.deepEqual(log.repaired, [{ part: 'tile', name: '0/1' }]);
  assert.deepEqual(await log.place.store.tile(0, 1), bytes);
});

test('stored log: each damaged entry of a bundle is named, and nothing is written any more', async () => {
  const log = await world();
  const entry = async (seq: number): Promise<Uint8Array> => {
    const bytes = (await log.place.store.entry(seq)) as Uint8Array;
    return bytes.with(30, (bytes[30] as number) ^ 1);
  };
  const entries = [
    { seq: 300, bytes: await entry(300) },
    { seq: 411, bytes: await entry(411) },
  ];
  await rot(log, { entries });
  const checked = await log.ledger.stored.checkBundle(1);
  assert.deepEqual(checked.damaged, [300, 411]);
  assert.equal(checked.entries.length, 254, 'the others are sound');
  assert.deepEqual(
    [log.ledger.blocked?.code, log.ledger.blocked?.at],
    ['ledger_corrupt', 'entry 300'],
  );
  await assert.rejects(
    log.ledger.write(() => [note('more')]),
    { code: 'ledger_corrupt' },
  );
});

test('stored log: where an entry and the tile above it are damaged both are named', async () => {
  const log = await world();
  const bytes = (await log.place.store.entry(5)) as Uint8Array;
  const tile = (await log.place.store.tile(0, 0)) as Uint8Array;
  await rot(log, {
    entries: [{ seq: 5, bytes: bytes.with(9, 0) }],
    tiles: [{ level: 0, index: 0, bytes: tile.with(9, (tile[9] as number) ^ 1) }],
  });
  const { badTiles, damaged } = await log.ledger.stored.checkBundle(0);
  assert.deepEqual(badTiles, ['0/0']);
  assert.ok(damaged.includes(5), 'without the leaves none of them can be trusted');
});

for (const [name, change] of [
  [
    'a value',
    (row: SealedRow) => ({ ...row, value: row.value.with(3, (row.value[3] as number) ^ 1) }),
  ],
  [
    'a digest',
    (row: SealedRow) => ({ ...row, digest: row.digest.with(0, (row.digest[0] as number) ^ 1) }),
  ],
  ['an older row', (row: SealedRow) => sealed({ ...row, value: Buffer.from('{"older":1}') })],
  ['a row too many', (row: SealedRow) => sealed({ ...row, key: `${row.key}x` })],
] as const) {
  test(`stored log: ${name} of the view rows is found, and the rows are written again`, async () => {
    const log = await world();
    const before = await contents(log.place.store);
    const [row] = await rowsOf(log);
    await rot(log, { views: [change(row as SealedRow)] });
    const found = await checkRows(log);
    assert.equal(found.length, 1);
    assert.equal(found[0]?.[1], true, 'it is sound now');
    assert.deepEqual(log.repaired, [{ part: 'row', name: 'all' }]);
    assert.deepEqual(await contents(log.place.store), before);
    assert.equal(log.ledger.blocked, undefined);
    await log.ledger.write(() => [note('more')]);
    await log.ledger.idle();
    await requireSound(log.place.store, SIZE + 1);
    assert.deepEqual(await checkRows(log), []);
  });
}

test('stored log: a damaged head is written again with the rows', async () => {
  const log = await world();
  const before = await contents(log.place.store);
  const head = (await log.place.store.head()) as Uint8Array;
  await rot(log, { head: head.with(12, (head[12] as number) ^ 1) });
  assert.deepEqual(await checkRows(log), [['of the head', true]]);
  assert.deepEqual(await contents(log.place.store), before);
});

test('stored log: rows that cannot be written again now are named as damaged', async () => {
  const log = await world();
  const [row] = await rowsOf(log);
  const { table, key } = row as SealedRow;
  // It was read before it rotted.
  assert.ok(log.ledger.tip.get(table, key) !== undefined);
  await rot(log, { views: [{ ...(row as SealedRow), value: Buffer.from('{}') }] });
  log.place.store.fail = 'failed';
  await assert.rejects(
    log.ledger.write(() => [note('lost')]),
    { code: 'stopped' },
  );
  const passes = log.ledger.stored.checkRows(() => undefined);
  await assert.rejects(passes.next(), { code: 'stopped' });
});

test('stored log: what is written while the rows are gone over is no damage', async () => {
  const log = await world();
  let size = SIZE;
  const append = async (): Promise<void> => {
    await log.ledger.write(() => [note(`note ${size}`)]);
    size += 1;
  };
  const busy = (async () => {
    for (let i = 0; i < 200; i += 1) await append();
  })();
  for (let i = 0; i < 20; i += 1) assert.deepEqual(await checkRows(log), []);
  await busy;
  assert.deepEqual(log.repaired, []);
});

test('stored log: a commit between the sum and the first row has both taken anew', async () => {
  const rows = ['a', 'b', 'c'].map((key) =>
    sealed({ table: 'table', key, value: Buffer.from('{}') }),
  );
  let count = 0;
  const stored = (): readonly SealedRow[] => rows.slice(0, count);
  const head = formatHead(nodeSha256, {
    size: 1,
    root: hashHex(toHash(new Uint8Array(32))),
    ...sumOf(rows),
  });
  const log = new StoredLog({
    sha256: nodeSha256,
    store: {
      head: () => Promise.resolve(head),
      async *views() {
        // Each of the first tries meets a commit.
        count = Math.min(count + 1, rows.length);
        yield* stored();
      },
    } as unknown as LedgerStore,
    tiles: () => assert.fail(),
    size: () => 1,
    sum: () => sumOf(stored()),
    writes: () => count,
    onDamaged: () => assert.fail(),
    writeTiles: () => assert.fail(),
    deriveRows: () => assert.fail(),
  });
  const progress: RowProgress[] = [];
  for await (const each of log.checkRows(() => assert.fail())) progress.push(each);
  assert.deepEqual(progress, [{ done: 3, of: 3, bytes: 3 * (2 + 32) }]);
});
