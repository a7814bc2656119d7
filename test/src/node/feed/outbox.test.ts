import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf, errandOf, Outbox } from '@assay/node/feed/outbox';
import { MemoryOutgoing, type OutEntry } from '@assay/node/feed/outgoing';

const DAY_S = 86_400;
const entry = (of: string, transaction: string): OutEntry => ({
  of,
  transaction,
  last_valid_block_height: 5,
  rent: 100,
});

test('outbox: one transaction for each thing, kept until it is forgotten', async () => {
  const store = new MemoryOutgoing();
  const box = new Outbox(store, () => 0);
  await box.put(entry('print/a', 'one'));
  await box.put(entry('print/a', 'two'));
  await box.put(entry('close/b', 'three'));
  assert.deepEqual(
    box.open().map(({ transaction }) => transaction),
    ['two', 'three'],
  );
  box.land('print/a', { transaction: 'two', slot: 9n });
  assert.equal(box.isOpen('print/a'), false);
  assert.equal(box.isOpen('close/b'), true);
  assert.equal(box.landed('print/a')?.slot, 9n);
  const next = new Outbox(store, () => 0);
  await next.load();
  assert.equal(next.isOpen('print/a'), true, 'another process asks again');
  await box.forget(['print/a']);
  assert.equal(box.landed('print/a'), undefined);
  assert.deepEqual(
    (await store.get()).out.map(({ of }) => of),
    ['close/b'],
  );
});

test('outbox: a day and a week of lamports; what comes once is no rate', async () => {
  let now = 100 * DAY_S;
  const store = new MemoryOutgoing();
  const box = new Outbox(store, () => now);
  box.spend(50n, true);
  box.spend(7n, false);
  assert.equal(box.spentToday(), 57n);
  assert.equal(box.spentInWeek(), 7n);
  now += 6 * DAY_S;
  assert.equal(box.spentToday(), 0n);
  box.spend(1n, false);
  assert.equal(box.spentInWeek(), 8n);
  now += DAY_S;
  assert.equal(box.spentInWeek(), 1n, 'seven days, this one included');
  await box.put(entry('print/a', 'one'));
  const next = new Outbox(store, () => now - DAY_S);
  await next.load();
  assert.equal(next.spentToday(), 1n, 'a restart spends no day anew');
  for (let day = 0; day < 30; day += 1) {
    now += DAY_S;
    box.spend(1n, false);
  }
  await box.put(entry('print/b', 'two'));
  assert.ok((await store.get()).spent.length <= 9);
});

test('outbox: what an outcome has cost', () => {
  const out = entry('print/a', 'one');
  const cost = (outcome: Parameters<typeof costOf>[1]): readonly bigint[] =>
    Object.values(costOf(out, outcome)) as bigint[];
  assert.deepEqual(cost({ kind: 'finalized', slot: 1n, fee: 20n }), [20n, 100n]);
  assert.deepEqual(cost({ kind: 'failed', slot: 1n, fee: 20n, error: 'settled' }), [20n, 0n]);
  assert.deepEqual(cost({ kind: 'expired' }), [0n, 0n]);
  assert.equal(errandOf('set/LAYOFFS/3'), 'set');
});
