import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FollowerMark, Followers, type FollowersOptions } from '@assay/node/postgres/followers';
import { FOLLOWERS } from '@assay/node/postgres/schema';
import { FakeDatabase } from './fake-database.ts';

function optionsOf(database: FakeDatabase): FollowersOptions {
  return {
    addresses: [{ host: 'db', port: 5432 }],
    openSession: database.open,
    needsStandby: true,
    timeoutMs: 10_000,
    makeName: () => 'name',
    log: 'log',
    keepEntries: 3,
    dropEveryMs: 0,
  };
}

/** A row at `size`, with a batch for each of its entries. */
function filled(size: number): FakeDatabase {
  const database = new FakeDatabase();
  const root = new Uint8Array(32);
  database.rows.set('log', { epoch: 1, writer: 'a', size, root });
  const batches = Array.from({ length: size }, (_, i) => ({
    from_size: i,
    from_root: i === 0 ? null : root,
    size: i + 1,
    root,
    entries: new Uint8Array(),
  }));
  database.pending.set('log', batches);
  return database;
}

const left = (database: FakeDatabase): readonly number[] =>
  (database.pending.get('log') ?? []).map(({ size }) => size);

async function dropped(database: FakeDatabase, size: number, writer = 'a'): Promise<Followers> {
  const followers = new Followers(optionsOf(database), () => ({ epoch: 1, writer }));
  followers.settled(size);
  for (let i = 0; i < 50; i += 1) await turn();
  return followers;
}

test('followers: without any, all batches but the last one are dropped', async () => {
  const database = filled(5);
  const followers = await dropped(database, 5);
  assert.deepEqual(left(database), [5]);
  assert.deepEqual(followers.concerns(), []);
  await followers.close();
});

test('followers: a batch waits for each of them', async () => {
  const database = filled(5);
  const mark = new FollowerMark(optionsOf(database), 'log', 'b');
  assert.equal(await mark.confirm(3), true);
  database.followers.set('c', { size: 4, age: 1 });
  const followers = await dropped(database, 5);
  assert.deepEqual(left(database), [4, 5]);
  assert.equal(await mark.confirm(2), false, 'the batch that follows is gone');
  await mark.forget();
  assert.deepEqual([...database.followers.keys()], ['c']);
  mark.end();
  await followers.close();
});

test('followers: one that is further behind than is kept is named, and waited for no longer', async () => {
  const database = filled(9);
  database.followers.set('slow', { size: 2, age: 400 });
  database.followers.set('near', { size: 7, age: 400 });
  const followers = await dropped(database, 9);
  assert.deepEqual(left(database), [8, 9]);
  const [slow, near] = followers.concerns().map(({ reason }) => reason);
  assert.match(near ?? '', /The standby near has said nothing for 400 seconds/);
  assert.match(slow ?? '', /The standby slow is 7 entries behind/);
  await followers.close();
});

test('followers: a writer that was shut out drops nothing', async () => {
  const database = filled(5);
  const followers = await dropped(database, 5, 'another');
  assert.deepEqual(left(database), [1, 2, 3, 4, 5]);
  await followers.close();
});

test('followers: what fails is told, and done again later', async () => {
  const database = filled(5);
  for (let i = 0; i < 10_000; i += 1) database.script(FOLLOWERS, { kind: 'lost before' });
  const followers = await dropped(database, 5);
  assert.match(followers.concerns()[0]?.reason ?? '', /cannot be dropped/);
  database.unscript(FOLLOWERS);
  while (left(database).length > 1) await new Promise((resolve) => setTimeout(resolve, 1));
  for (let i = 0; i < 50; i += 1) await turn();
  assert.deepEqual(left(database), [5]);
  assert.deepEqual(followers.concerns(), []);
  await followers.close();
});

test('followers: a connection that is opened while they are closed ends with them', async () => {
  const database = filled(5);
  let open = 0;
  const options: FollowersOptions = {
    ...optionsOf(database),
    async openSession() {
      const session = await database.open();
      await turn();
      open += 1;
      const end = (): void => {
        open -= 1;
        session.end();
      };
      return { ...session, query: session.query.bind(session), end };
    },
  };
  // Whoever closes owns nothing any more.
  const followers = new Followers(options, () => undefined);
  followers.settled(5);
  await followers.close();
  assert.equal(open, 0);
});
