import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPrimary, serverStates, type ServerOptions } from '@assay/node/postgres/primary';
import type { ServerAddress } from '@assay/node/postgres/session';
import { FakeDatabase } from './fake-database.ts';

const fault = (code: string): object => ({ name: 'Fault', code });

/** Servers by the names of their hosts; one that is undefined does not answer. */
function options(
  servers: Readonly<Record<string, FakeDatabase | undefined>>,
  needsStandby = true,
): ServerOptions {
  return {
    addresses: Object.keys(servers).map((host) => ({ host, port: 5432 })),
    openSession: ({ host }: ServerAddress) =>
      servers[host]?.open() ?? Promise.reject(new Error('connect ECONNREFUSED')),
    needsStandby,
    timeoutMs: 1000,
    makeName: () => 'name',
  };
}

function standby(): FakeDatabase {
  const database = new FakeDatabase();
  database.settings.recovery = true;
  return database;
}

test('primary: the server that is in no recovery is taken, and the others are left', async () => {
  const [second, first] = [standby(), new FakeDatabase()];
  const all = options({ gone: undefined, second, first });
  const { address } = await openPrimary(all);
  assert.equal(address.host, 'first');
  assert.equal(second.ended.length, 1);
  assert.deepEqual(
    (await serverStates(all)).map(({ state }) => state),
    ['silent', 'standby', 'primary'],
  );
});

test('primary: none is unreachable, and why is said of each', async () => {
  await assert.rejects(
    openPrimary(options({ gone: undefined, second: standby() })),
    (error: Error) => {
      assert.match(
        error.message,
        /gone:5432: connect ECONNREFUSED; second:5432: it is in recovery/,
      );
      return true;
    },
  );
});

test('primary: two are refused, and two addresses of one are one', async () => {
  const [first, second] = [new FakeDatabase(), new FakeDatabase()];
  assert.ok(await openPrimary(options({ first, second })));
  second.started = '2026-01-02';
  await assert.rejects(openPrimary(options({ first, second })), fault('guard_unsafe'));
  assert.ok(first.ended.length > 0 && second.ended.length > 0, 'no session is left open');
});

test('primary: a server whose commits do not count is refused', async () => {
  for (const change of [
    { fsync: 'off' },
    { commits: 'off' },
    { commits: 'remote_write' },
    { messages: 'error' },
    { standbys: '' },
  ]) {
    const first = new FakeDatabase();
    Object.assign(first.settings, change);
    await assert.rejects(
      openPrimary(options({ first })),
      fault('guard_unsafe'),
      JSON.stringify(change),
    );
    assert.equal(first.ended.length, 1);
  }
  const alone = new FakeDatabase();
  alone.settings.standbys = '';
  assert.ok(await openPrimary(options({ alone }, false)));
});

test('primary: tables are made once, and one that a crash empties is refused', async () => {
  const first = new FakeDatabase();
  await openPrimary(options({ first }));
  assert.deepEqual([...first.tables.keys()].toSorted(), [
    'assay_follower',
    'assay_head',
    'assay_pending',
  ]);
  first.tables.set('assay_head', 'u');
  await assert.rejects(openPrimary(options({ first })), fault('guard_unsafe'));
});

test('primary: a server that stops answering anywhere in an opening is unreachable, and is left', async () => {
  const whole = new FakeDatabase();
  let asked = 0;
  const counting = await whole.open();
  await openPrimary({
    ...options({ first: whole }),
    openSession: () =>
      Promise.resolve({
        query: (text, values) => {
          asked += 1;
          return counting.query(text, values);
        },
        end: () => counting.end(),
      }),
  });
  assert.ok(asked > 4, `${asked} statements`);
  for (let last = 0; last < asked; last += 1) {
    const database = new FakeDatabase();
    const session = await database.open();
    let at = 0;
    let ended = 0;
    const hangs: ServerOptions = {
      ...options({ first: database }),
      timeoutMs: 20,
      openSession: () =>
        Promise.resolve({
          query: (text, values) => {
            at += 1;
            return at > last ? new Promise<never>(() => undefined) : session.query(text, values);
          },
          end: () => {
            ended += 1;
          },
        }),
    };
    await assert.rejects(openPrimary(hangs), fault('unreachable'), `after ${last} statements`);
    assert.ok(ended > 0, 'the connection is ended');
  }
});
