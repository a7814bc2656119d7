import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Hash, toHash } from '@assay/core/hash/hash';
import type { BareHead, PendingBatch } from '@assay/node/ledger/guard/head-guard';
import { PostgresGuard, type PostgresGuardOptions } from '@assay/node/postgres/postgres-guard';
import { MOVE, PENDING, TAKE } from '@assay/node/postgres/schema';
import { FakeDatabase, type Script } from './fake-database.ts';
import { headGuardSuite } from '../ledger/guard/head-guard-suite.ts';

const root = (byte: number): Hash => toHash(new Uint8Array(32).fill(byte));
const head = (size: number): BareHead => ({ size, root: root(size) });

/** The batch of one entry that ends at `size`. */
function batch(size: number): PendingBatch {
  const from = size === 1 ? undefined : head(size - 1);
  return { from, to: head(size), entries: [new TextEncoder().encode(`entry ${size - 1}`)] };
}

let names = 0;

function guardOf(
  t: TestContext,
  database: FakeDatabase,
  options: Partial<PostgresGuardOptions> = {},
): PostgresGuard {
  const guard = new PostgresGuard({
    addresses: [{ host: 'db', port: 5432 }],
    openSession: database.open,
    needsStandby: true,
    timeoutMs: 10_000,
    makeName: () => `session ${(names += 1)}`,
    log: 'log',
    keepEntries: 10,
    dropEveryMs: 0,
    ...options,
  });
  t.after(() => guard.close());
  return guard;
}

const fault = (code: string): object => ({ name: 'Fault', code });

headGuardSuite('postgres', (t) => {
  const database = new FakeDatabase();
  return Promise.resolve(() => Promise.resolve(guardOf(t, database)));
});

const ENDS: readonly Script[] = [
  { kind: 'notice', text: 'WARNING 01000: canceling wait for synchronous replication' },
  { kind: 'notice', text: 'NOTICE 00000: anything' },
  { kind: 'lost after' },
  { kind: 'lost before' },
];

for (const script of ENDS) {
  const what = script.kind === 'notice' ? script.text : script.kind;
  test(`postgres guard: a move ends its epoch after this: ${what}`, async (t) => {
    const database = new FakeDatabase();
    const guard = guardOf(t, database);
    await guard.take('a', 'a');
    database.script(MOVE, script);
    await assert.rejects(guard.move(batch(1)), fault('guard_unknown'));
    // The row may have the head: nothing goes on from it without another epoch.
    await assert.rejects(guard.move(batch(2)), fault('epoch_over'));
    assert.equal(database.ended.length, 1, 'the session is ended');
    const { head: found } = await guard.take('a', 'a');
    assert.deepEqual(found, script.kind === 'lost before' ? undefined : head(1));
  });

  test(`postgres guard: no epoch is owned after this: ${what}`, async (t) => {
    const database = new FakeDatabase();
    const guard = guardOf(t, database);
    database.script(TAKE, script);
    await assert.rejects(guard.take('a', 'a'), fault('guard_unknown'));
    await assert.rejects(guard.move(batch(1)), fault('epoch_over'));
  });
}

test('postgres guard: a commit without an answer is not known, and its session is ended', async (t) => {
  const database = new FakeDatabase();
  const guard = guardOf(t, database, { timeoutMs: 30 });
  await guard.take('a', 'a');
  database.script(MOVE, { kind: 'silence' });
  await assert.rejects(guard.move(batch(1)), fault('guard_unknown'));
  assert.equal(database.ended.length, 1);
});

test('postgres guard: an epoch whose batches cannot be read is not owned', async (t) => {
  const database = new FakeDatabase();
  const guard = guardOf(t, database);
  database.script(PENDING, { kind: 'lost before' });
  await assert.rejects(guard.take('a', 'a'), fault('guard_unknown'));
  await assert.rejects(guard.move(batch(1)), fault('epoch_over'));
});

test('postgres guard: a writer that was shut out moves nothing, whatever number its epoch had', async (t) => {
  const database = new FakeDatabase();
  const [a, b] = [guardOf(t, database), guardOf(t, database)];
  await a.take('a', 'a');
  await a.move(batch(1));
  await assert.rejects(b.take('b', 'b'), fault('epoch_over'));
  await b.take('b', 'anybody');
  // As after a database that was brought back from an old backup.
  const row = database.rows.get('log');
  assert.ok(row !== undefined);
  row.epoch = 1;
  await assert.rejects(a.move(batch(2)), fault('epoch_over'));
  assert.equal(row.size, 1);
});

test('postgres guard: a head of another writer in our own epoch is a conflict', async (t) => {
  const database = new FakeDatabase();
  const guard = guardOf(t, database);
  await guard.take('a', 'a');
  await guard.move(batch(1));
  const row = database.rows.get('log');
  assert.ok(row !== undefined);
  row.root = root(9);
  await assert.rejects(guard.move(batch(2)), fault('guard_conflict'));
});

test('postgres guard: settings that change while a writer runs end its epoch', async (t) => {
  for (const change of [{ standbys: '' }, { commits: 'local' }, { messages: 'error' }]) {
    const database = new FakeDatabase();
    const guard = guardOf(t, database);
    await guard.take('a', 'a');
    const before = { ...database.settings };
    Object.assign(database.settings, change);
    await assert.rejects(guard.move(batch(1)), fault('guard_unsafe'));
    Object.assign(database.settings, before);
    await assert.rejects(guard.move(batch(1)), fault('epoch_over'));
  }
});

test('postgres guard: batches that do not lead to the head are refused', async (t) => {
  const database = new FakeDatabase();
  const guard = guardOf(t, database);
  await guard.take('a', 'a');
  for (const size of [1, 2, 3]) await guard.move(batch(size));
  const all = database.pending.get('log') ?? [];
  database.pending.set(
    'log',
    [all[0], all[2]].filter((each) => each !== undefined),
  );
  await assert.rejects(guard.take('a', 'a'), fault('guard_corrupt'));
  await assert.rejects(guard.move(batch(4)), fault('epoch_over'), 'nothing is owned then');
});
