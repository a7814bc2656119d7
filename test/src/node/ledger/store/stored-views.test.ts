import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewWrite } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire/wire';
import { LayeredViews } from '@assay/node/ledger/store/layered-views';
import { openLevelStore, openMemoryStore } from '@assay/node/ledger/store/level-store';
import { sealRow } from '@assay/node/ledger/store/sealed-row';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { StoredViews } from '@assay/node/ledger/store/stored-views';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import { requireSameRows } from './row-comparison.ts';

async function put(store: LedgerStore, writes: readonly ViewWrite[]): Promise<readonly number[]> {
  const views = writes.map(({ table, key, value }) =>
    sealRow(nodeSha256, { table, key, value: formatWire(value) }),
  );
  await store.commit({ entries: [], tiles: [], views, head: null });
  return views.map(({ value }) => value.length);
}

const WRITES = fc.uniqueArray(
  fc.record({
    table: fc.constantFrom('a', 'b', 'a/b', 'stamped'),
    key: fc.constantFrom('0', '1', '2', '3', '4', '5'),
    value: fc.nat(9),
  }),
  { selector: ({ table, key }) => `${table} ${key}`, maxLength: 6 },
);

test('stored views: under commits and openings of any kind they have the rows of a state in memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ writes: WRITES, opens: fc.boolean() }), { maxLength: 8 }),
      fc.constantFrom(0, 200, 1 << 20),
      async (steps, most) => {
        const store = await openMemoryStore();
        const model = new MemoryViews();
        let rows = await StoredViews.open(nodeSha256, store, { most });
        for (const { writes, opens } of steps) {
          rows.apply(writes, await put(store, writes));
          model.write(writes);
          if (opens) rows = await StoredViews.open(nodeSha256, store, { most });
          requireSameRows(new LayeredViews(rows), model);
          for (const key of ['0', '5']) {
            assert.deepEqual(rows.get('stamped', key), model.get('stamped', key));
          }
        }
        await store.close();
      },
    ),
    { numRuns: 40 },
  );
});

test('stored views: a table whose keys are not held is never listed by mistake', async () => {
  const store = await openMemoryStore();
  await put(store, [
    { table: 'stamped', key: 'x', value: 1 },
    { table: 'stamps', key: 'y', value: 2 },
  ]);
  const rows = await StoredViews.open(nodeSha256, store);
  assert.equal(rows.keyCount, 1);
  assert.equal(rows.get('stamped', 'x'), 1);
  assert.throws(() => [...rows.keys('stamped')], TypeError);
  assert.throws(() => [...rows.keysBack('stamped')], TypeError);
  await store.close();
});

test('stored views: a row whose bytes have changed on the disk is refused when it is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-rows-'));
  try {
    const store = await openLevelStore(join(folder, 'ledger'), { sync: false });
    await put(store, [{ table: 'a', key: 'sound', value: 1 }]);
    const sealed = sealRow(nodeSha256, { table: 'a', key: 'bad', value: formatWire(241_000) });
    const views = [{ ...sealed, value: formatWire(341_000) }];
    await store.commit({ entries: [], tiles: [], views, head: null });
    const rows = await StoredViews.open(nodeSha256, store);
    assert.deepEqual([...rows.keys('a')], ['bad', 'sound']);
    assert.equal(rows.get('a', 'sound'), 1);
    assert.throws(() => rows.get('a', 'bad'), { code: 'ledger_corrupt' });
    assert.equal(rows.get('a', 'none'), undefined);
    await store.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('stored views: what is held of the rows is bounded, and what was used last is held', async () => {
  const store = await openMemoryStore();
  const writes = Array.from({ length: 100 }, (_, i) => ({
    table: 'a',
    key: String(i),
    value: 'x'.repeat(100),
  }));
  await put(store, writes);
  let reads = 0;
  const counting = {
    viewKeys: store.viewKeys.bind(store),
    view: (table: string, key: string) => {
      reads += 1;
      return store.view(table, key);
    },
  };
  const rows = await StoredViews.open(nodeSha256, counting, { most: 2000 });
  const first = rows.get('a', '0');
  for (let i = 1; i < 50; i += 1) {
    rows.get('a', String(i));
    assert.equal(rows.get('a', '0'), first);
  }
  assert.equal(reads, 50, 'the row that is used again and again was read once');
  rows.get('a', '1');
  assert.equal(reads, 51, 'and one that was not used for long is read again');
  await store.close();
});
