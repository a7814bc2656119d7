import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hash, toHash } from '@assay/core/hash/hash';
import type { BareHead, PendingBatch } from '@assay/node/ledger/guard/head-guard';
import { PostgresGuard } from '@assay/node/postgres/postgres-guard';
import { postgresSessions } from '@assay/node/postgres/postgres-session';
import type { ServerAddress } from '@assay/node/postgres/session';
import { headGuardSuite } from '../src/node/ledger/guard/head-guard-suite.ts';
import { noPostgres, PostgresServer } from './postgres-cluster.ts';

const absent = noPostgres();

const root = (byte: number): Hash => toHash(new Uint8Array(32).fill(byte));
const head = (size: number): BareHead => ({ size, root: root(size) });
const entry = (seq: number): Uint8Array => new TextEncoder().encode(`entry ${seq}`);

/** The batch of one entry that ends at `size`. */
function batch(size: number): PendingBatch {
  return {
    from: size === 1 ? undefined : head(size - 1),
    to: head(size),
    entries: [entry(size - 1)],
  };
}

let names = 0;

interface Asked {
  readonly log?: string;
  readonly needsStandby?: boolean;
  readonly timeoutMs?: number;
  readonly addresses?: readonly ServerAddress[];
}

function guardAt(server: PostgresServer, asked: Asked = {}): PostgresGuard {
  const { timeoutMs = 5000, needsStandby = false, log = 'log' } = asked;
  return new PostgresGuard({
    addresses: asked.addresses ?? [{ host: '127.0.0.1', port: server.port }],
    openSession: postgresSessions({
      database: server.database,
      user: server.user,
      password: () => Promise.resolve(server.password),
      tls: null,
      name: 'assay test',
      timeoutMs,
    }),
    needsStandby,
    timeoutMs,
    makeName: () => `session ${(names += 1)}`,
    log,
    keepEntries: 100,
    dropEveryMs: 10,
  });
}

const fault = (code: string): object => ({ name: 'Fault', code });

describe('the head guard in one PostgreSQL', { skip: absent ?? false }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.close());

  let rows = 0;
  headGuardSuite('PostgreSQL', (t) => {
    const log = `suite ${(rows += 1)}`;
    return Promise.resolve(() => {
      const guard = guardAt(server, { log });
      t.after(() => guard.close());
      return Promise.resolve(guard);
    });
  });

  test('takes, moves and keeps the batches, over TCP with a password and over a socket', async () => {
    const guard = guardAt(server, { log: 'first' });
    assert.equal(await guard.look(), undefined);
    assert.equal(await guard.peek(), undefined);
    const taken = await guard.take('a', 'a');
    assert.deepEqual(taken, { epoch: 1, writer: 'a', head: undefined, pending: [] });
    await guard.move(batch(1));
    await guard.move(batch(2));
    await guard.close();
    const addresses = [{ host: server.socket, port: server.port }];
    const other = guardAt(server, { log: 'first', addresses });
    const row = { epoch: 1, writer: 'a', head: head(2) };
    assert.deepEqual(await other.look(), row);
    assert.deepEqual(await other.peek(), { ...row, pending: [batch(1), batch(2)] });
    await assert.rejects(other.take('b', 'b'), fault('epoch_over'));
    assert.deepEqual(await other.take('b', 'anybody'), {
      epoch: 2,
      writer: 'b',
      head: head(2),
      pending: [batch(1), batch(2)],
    });
    await other.close();
  });

  test('two addresses of one server are one server, and one that is silent is left out', async () => {
    const addresses = [
      { host: '127.0.0.1', port: 1 },
      { host: '127.0.0.1', port: server.port },
      { host: server.socket, port: server.port },
    ];
    const guard = guardAt(server, { log: 'addresses', addresses });
    assert.equal((await guard.take('a', 'a')).epoch, 1);
    await guard.close();
  });

  test('a writer that was shut out moves nothing', async () => {
    const [first, second] = [guardAt(server, { log: 'shut' }), guardAt(server, { log: 'shut' })];
    await first.take('a', 'a');
    await first.move(batch(1));
    await second.take('b', 'anybody');
    await assert.rejects(first.move(batch(2)), fault('epoch_over'));
    await second.move(batch(2));
    await assert.rejects(first.take('a', 'a'), fault('epoch_over'));
    assert.deepEqual((await second.look())?.head, head(2));
    await first.close();
    await second.close();
  });

  test('an epoch number that is used again is another writer', async () => {
    const guard = guardAt(server, { log: 'again' });
    await guard.take('a', 'a');
    await server.sql(`update assay_head set writer = 'b' where log = 'again'`);
    await assert.rejects(guard.move(batch(1)), fault('epoch_over'));
    await guard.close();
  });

  test('a session that lost its name or hides warnings moves nothing', async () => {
    for (const change of [
      `alter role assay set client_min_messages = error`,
      `alter role assay set synchronous_commit = off`,
    ]) {
      await server.sql(change);
      const guard = guardAt(server, { log: `settings ${change}` });
      await guard.take('a', 'a');
      await guard.move(batch(1));
      await guard.close();
    }
    await server.sql('alter role assay reset all');
  });

  test('a table that a crash empties is refused', async () => {
    await server.sql('create database other');
    await server.sql('alter table assay_pending set unlogged');
    const guard = guardAt(server, { log: 'unlogged' });
    await assert.rejects(guard.take('a', 'a'), fault('guard_unsafe'));
    await guard.close();
    await server.sql('alter table assay_pending set logged');
  });

  test('a standby is asked for and there is none', async () => {
    const guard = guardAt(server, { log: 'alone', needsStandby: true });
    await assert.rejects(guard.take('a', 'a'), fault('guard_unsafe'));
    await guard.close();
  });

  test('a statement that fails or is ended by somebody ends the epoch', async () => {
    const guard = guardAt(server, { log: 'ended' });
    await guard.take('a', 'a');
    await server.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'assay test'`,
    );
    await assert.rejects(guard.move(batch(1)), fault('guard_unknown'));
    await assert.rejects(guard.move(batch(1)), fault('epoch_over'));
    assert.equal((await guard.take('a', 'a')).epoch, 2);
    await guard.close();
  });

  test('a password that is wrong is in no message', async () => {
    const guard = new PostgresGuard({
      addresses: [{ host: '127.0.0.1', port: server.port }],
      openSession: postgresSessions({
        database: server.database,
        user: server.user,
        password: () => Promise.resolve('hush-hush'),
        tls: null,
        name: 'assay test',
        timeoutMs: 2000,
      }),
      needsStandby: false,
      timeoutMs: 2000,
      makeName: () => 'x',
      log: 'log',
      keepEntries: 1,
      dropEveryMs: 10,
    });
    await assert.rejects(guard.take('a', 'a'), (error: Error) => {
      assert.match(error.message, /password authentication failed/);
      assert.doesNotMatch(JSON.stringify(error) + error.message + error.stack, /hush-hush/);
      return true;
    });
    await guard.close();
  });

  test('batches are dropped once the writer and its followers have them, and the last one stays', async () => {
    const guard = guardAt(server, { log: 'drop' });
    await guard.take('a', 'a');
    for (const size of [1, 2, 3, 4]) await guard.move(batch(size));
    const left = async (): Promise<string> =>
      (await server.sql(`select size from assay_pending where log = 'drop' order by size`))
        .map((row) => row['size'])
        .join(' ');
    await server.sql(`insert into assay_follower values ('drop', 'b', 2)`);
    await guard.settled(4);
    await until(async () => (await left()) === '3 4');
    assert.equal(guard.followers[0]?.size, 2);
    await server.sql(`update assay_follower set size = 4 where log = 'drop'`);
    await guard.settled(4);
    await until(async () => (await left()) === '4');
    const other = guardAt(server, { log: 'drop' });
    assert.deepEqual((await other.take('b', 'anybody')).pending, [batch(4)]);
    await guard.close();
    await other.close();
  });
});

describe('the head guard in a pair of PostgreSQL', { skip: absent ?? false }, () => {
  async function pair(): Promise<readonly [PostgresServer, PostgresServer]> {
    const first = await PostgresServer.start();
    const second = await first.standby('second');
    await first.confirmedBy('second');
    return [first, second];
  }
  const bothOf = (a: PostgresServer, b: PostgresServer): readonly ServerAddress[] =>
    [a, b].map(({ port }) => ({ host: '127.0.0.1', port }));

  test('a wait that is cancelled leaves a row behind, and no move that counts', async () => {
    const [first, second] = await pair();
    const asked = { needsStandby: true, timeoutMs: 20_000 };
    const guard = guardAt(first, asked);
    try {
      await guard.take('a', 'a');
      await guard.move(batch(1));
      for (const [i, end] of ['pg_cancel_backend', 'pg_terminate_backend'].entries()) {
        const size = 2 + i;
        process.kill(await second.receiver(), 'SIGSTOP');
        const moved = assert.rejects(guard.move(batch(size)), fault('guard_unknown'));
        await until(async () => {
          const rows = await first.sql(
            `select ${end}(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
          );
          return rows.length > 0;
        });
        await moved;
        const [row] = await first.sql('select size from assay_head');
        assert.equal(Number(row?.['size']), size, 'the row is there, on one server alone');
        process.kill(await second.receiver(), 'SIGCONT');
        const taken = await guard.take('a', 'a');
        assert.deepEqual(taken.head, head(size), 'a clean take finds it on both');
      }
    } finally {
      await guard.close();
      await Promise.all([first.close(), second.close()]);
    }
  });

  test('a standby that says nothing ends the epoch after a time, and nothing is cancelled', async () => {
    const [first, second] = await pair();
    const guard = guardAt(first, { needsStandby: true, timeoutMs: 800 });
    try {
      await guard.take('a', 'a');
      const receiver = await second.receiver();
      process.kill(receiver, 'SIGSTOP');
      await assert.rejects(guard.move(batch(1)), fault('guard_unknown'));
      assert.equal((await first.sql('select size from assay_head'))[0]?.['size'], '0');
      process.kill(receiver, 'SIGCONT');
      await until(
        async () => (await first.sql('select size from assay_head'))[0]?.['size'] === '1',
      );
      assert.deepEqual((await guard.take('a', 'a')).head, head(1));
    } finally {
      await guard.close();
      await Promise.all([first.close(), second.close()]);
    }
  });

  test('names of standbys that are emptied while a writer runs end its epoch', async () => {
    const [first, second] = await pair();
    const guard = guardAt(first, { needsStandby: true });
    try {
      await guard.take('a', 'a');
      await first.set('synchronous_standby_names', '');
      await assert.rejects(guard.move(batch(1)), fault('guard_unsafe'));
      await assert.rejects(guard.take('a', 'a'), fault('guard_unsafe'));
    } finally {
      await guard.close();
      await Promise.all([first.close(), second.close()]);
    }
  });

  test('after a promotion the new writer has every head that was clean, and the old one moves none', async () => {
    const [first, second] = await pair();
    const addresses = bothOf(first, second);
    const old = guardAt(first, { needsStandby: true, timeoutMs: 1500, addresses });
    const next = guardAt(first, { needsStandby: false, timeoutMs: 1500, addresses });
    try {
      await old.take('a', 'a');
      for (const size of [1, 2, 3]) await old.move(batch(size));
      await second.promote();
      await assert.rejects(next.take('b', 'anybody'), fault('guard_unsafe'), 'two primaries');
      await assert.rejects(old.move(batch(4)), fault('guard_unknown'), 'nobody confirms it');
      await first.kill();
      const taken = await next.take('b', 'anybody');
      assert.deepEqual([taken.epoch, taken.head], [2, head(3)]);
      assert.equal(taken.pending.length, 3);
      await next.move(batch(4));
    } finally {
      await Promise.all([old.close(), next.close()]);
      await Promise.all([first.close(), second.close()]);
    }
  });
});

async function until(done: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await done()) return;
    await sleep(30);
  }
  assert.fail('it did not happen');
}
