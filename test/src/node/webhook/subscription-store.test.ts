import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { PrivateLog } from '@assay/node/intake/private-log';
import { parseWebhookKey, SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import {
  PROGRESS_FILE,
  RECEIVERS_FILE,
  secretsInForce,
  SubscriptionStore,
} from '@assay/node/webhook/subscription-store';
import { type Filter, isWanted, type Progress } from '@assay/node/webhook/subscription';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const KEY = new Uint8Array(32).fill(7);
const open = (folder: string, key = KEY, maxSubscriptions = 100): Promise<SubscriptionStore> =>
  SubscriptionStore.open(folder, {
    cipher: new SubscriptionCipher(key),
    sync: false,
    maxSubscriptions,
  });
const ALL: Filter = { types: ['print'], tickers: null, symbols: null };
const EMAIL = 'ada.lovelace@venue.example.com';
const URL_ = 'https://hooks.venue.example.com/in/4711';
const NOW = 1_800_000_000_000;
const HEAD = { seq: 5, ordinal: 0 };

const only = (store: SubscriptionStore) => {
  const [first] = [...store.all()];
  assert.ok(first !== undefined);
  return first;
};
const files = (folder: string): string =>
  [RECEIVERS_FILE, PROGRESS_FILE].map((name) => readFileSync(join(folder, name), 'utf8')).join('');

test('subscriptions: what is stored is there again, and says nothing without the key', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  const secret = await store.add(EMAIL, URL_, ALL, HEAD, NOW);
  assert.ok(secret !== undefined);
  await store.close();
  const text = files(folder);
  for (const each of [
    EMAIL,
    'lovelace',
    URL_,
    'hooks.venue',
    secret,
    Buffer.from(secret, 'hex').toString('base64'),
  ]) {
    assert.ok(!text.includes(each), each);
  }
  const again = await open(folder);
  const { email, url, filter, progress } = only(again);
  assert.deepEqual({ email, url, filter }, { email: EMAIL, url: URL_, filter: ALL });
  assert.deepEqual(progress.cursor, HEAD);
  assert.equal(again.bySecret(secret, NOW)?.email, EMAIL);
  assert.equal(again.bySecret('00'.repeat(32), NOW), undefined);
  await again.close();
  await assert.rejects(
    open(folder, new Uint8Array(32).fill(8)),
    (error) => faultCode(error) === 'key_locked',
  );
});

test('subscriptions: an e-mail on file changes nothing, and costs the same', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  await store.add(EMAIL, URL_, ALL, HEAD, NOW);
  const before = only(store);
  const lines = (): readonly string[] => files(folder).trim().split('\n');
  const [sealed = ''] = lines();
  const other = { types: ['close'] as const, tickers: null, symbols: null };
  assert.equal(
    await store.add(EMAIL.toUpperCase(), URL_, other, { seq: 9, ordinal: 0 }, NOW),
    undefined,
  );
  assert.equal(only(store), before);
  assert.equal(store.size, 1);
  // One more line in each file, as for a new one, and the sealed one is as long.
  assert.equal(lines().length, 4);
  const decoy = lines().find((line) => line.includes('sealed') && line !== sealed) ?? '';
  assert.ok(Math.abs(decoy.length - sealed.length) <= 8, `${decoy.length} ${sealed.length}`);
  await store.close();
  const again = await open(folder);
  assert.equal(again.size, 1);
  assert.deepEqual(only(again), before);
  await again.close();
});

test('subscriptions: two signups at once for one e-mail give one secret', async (t) => {
  const store = await open(await temporaryFolder(t));
  const secrets = await Promise.all(
    Array.from({ length: 5 }, (_, i) => store.add(EMAIL, `${URL_}${i}`, ALL, HEAD, NOW)),
  );
  assert.equal(secrets.filter((each) => each !== undefined).length, 1);
  assert.equal(store.size, 1);
  await store.close();
});

test('subscriptions: what is deleted is in neither file', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  const secret = await store.add(EMAIL, URL_, ALL, HEAD, NOW);
  await store.add('other@venue.example.com', URL_, ALL, HEAD, NOW);
  const { id } = only(store);
  assert.ok(await store.remove(id));
  assert.ok(!(await store.remove(id)));
  assert.equal(store.bySecret(secret ?? '', NOW), undefined);
  assert.ok(!files(folder).includes(id));
  await store.close();
  const again = await open(folder);
  assert.equal(again.size, 1);
  // The e-mail is as new as any other.
  assert.ok((await again.add(EMAIL, URL_, ALL, HEAD, NOW)) !== undefined);
  await again.close();
});

test('subscriptions: a secret is rotated, and the one before is good for its time alone', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  const first = (await store.add(EMAIL, URL_, ALL, HEAD, NOW)) ?? '';
  const { id } = only(store);
  const second = (await store.rotate(id, NOW + 1000)) ?? '';
  assert.deepEqual(secretsInForce(only(store), NOW), [second, first]);
  assert.deepEqual(secretsInForce(only(store), NOW + 1000), [second]);
  assert.ok(store.bySecret(first, NOW + 999) !== undefined);
  assert.equal(store.bySecret(first, NOW + 1000), undefined);
  const third = (await store.rotate(id, NOW + 5000)) ?? '';
  assert.deepEqual(secretsInForce(only(store), NOW + 10), [third, second]);
  assert.equal(store.bySecret(first, NOW), undefined);
  await store.close();
  const again = await open(folder);
  assert.ok(again.bySecret(third, NOW) !== undefined);
  await again.close();
});

test('subscriptions: once the newest secret is used, those before sign and are no keys', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  const first = (await store.add(EMAIL, URL_, ALL, HEAD, NOW)) ?? '';
  const { id, progress } = only(store);
  const second = (await store.rotate(id, NOW + 1000)) ?? '';
  await store.supersede(id);
  // A delivery that is under way is not sent again for it.
  assert.ok(await store.settle(id, progress, { ...progress, cursor: { seq: 6, ordinal: 0 } }));
  await store.close();
  const again = await open(folder);
  assert.equal(again.bySecret(first, NOW), undefined);
  assert.ok(again.bySecret(second, NOW) !== undefined);
  assert.deepEqual(secretsInForce(only(again), NOW), [second, first]);
  assert.equal(only(again).progress.cursor.seq, 6);
  await again.close();
});

test('subscriptions: what is settled at the same time is stored together, once for each, and a failed write stores none', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  for (let i = 0; i < 20; i += 1) await store.add(`${i}@venue.example.com`, URL_, ALL, HEAD, NOW);
  const settleAll = (seq: number): Promise<boolean[]> =>
    Promise.all(
      [...store.all()].flatMap(({ id, progress }) => {
        const after = { ...progress, cursor: { seq, ordinal: 0 } };
        // The second has been overtaken by the first.
        return [store.settle(id, progress, after), store.settle(id, progress, after)];
      }),
    );
  const append = t.mock.method(PrivateLog.prototype, 'append');
  const stored = await settleAll(7);
  assert.equal(stored.filter((each) => each).length, 20);
  assert.ok(append.mock.callCount() <= 2, `${append.mock.callCount()} writes`);
  append.mock.mockImplementation(() => Promise.reject(new Error('no space')));
  await assert.rejects(settleAll(8), { message: 'no space' });
  append.mock.restore();
  const seqs = (of: SubscriptionStore) => [...of.all()].map(({ progress }) => progress.cursor.seq);
  assert.deepEqual(new Set(seqs(store)), new Set([7]));
  await store.close();
  const again = await open(folder);
  assert.deepEqual(
    seqs(again),
    Array.from({ length: 20 }, () => 7),
  );
  await again.close();
});

test('subscriptions: attempts at another address, or by another filter, do not count', async (t) => {
  const store = await open(await temporaryFolder(t));
  await store.add(EMAIL, URL_, ALL, HEAD, NOW);
  const { id } = only(store);
  const attempts = { count: 9, next_ms: NOW + 1e8, failing_since_ms: NOW, last: '500' };
  for (const change of [{ url: `${URL_}2` }, { filter: { ...ALL, types: ['close'] as const } }]) {
    await store.move(id, (before) => ({ ...before, attempts }));
    await store.change(id, change);
    assert.equal(only(store).progress.attempts, null);
  }
  await store.move(id, (before) => ({ ...before, attempts }));
  await store.rotate(id, NOW);
  assert.deepEqual(only(store).progress.attempts, attempts);
  await store.close();
});

test('subscriptions: what a delivery settles does not undo what its owner did meanwhile', async (t) => {
  const store = await open(await temporaryFolder(t));
  await store.add(EMAIL, URL_, ALL, HEAD, NOW);
  const { id, progress } = only(store);
  const after: Progress = { ...progress, cursor: { seq: 6, ordinal: 0 } };
  await store.move(id, (before) => ({ ...before, cursor: { seq: 2, ordinal: 0 } }));
  assert.ok(!(await store.settle(id, progress, after)));
  assert.equal(only(store).progress.cursor.seq, 2);
  const now = only(store).progress;
  await store.change(id, { filter: { ...ALL, types: ['close'] } });
  assert.ok(!(await store.settle(id, now, { ...now, cursor: { seq: 3, ordinal: 0 } })));
  assert.equal(only(store).filter_version, 1);
  const then = only(store).progress;
  assert.ok(await store.settle(id, then, { ...then, cursor: { seq: 3, ordinal: 0 } }));
  assert.equal(only(store).progress.cursor.seq, 3);
  await store.close();
});

test('subscriptions: a file that a crash cut is read up to its last whole line', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  await store.add(EMAIL, URL_, ALL, HEAD, NOW);
  await store.add('b@venue.example.com', URL_, ALL, HEAD, NOW);
  await store.close();
  const path = join(folder, RECEIVERS_FILE);
  truncateSync(path, readFileSync(path).length - 10);
  const again = await open(folder);
  assert.deepEqual(
    [...again.all()].map(({ email }) => email),
    [EMAIL],
  );
  await again.close();
  writeFileSync(join(folder, PROGRESS_FILE), '{"id":1}\n');
  await assert.rejects(open(folder), (error) => faultCode(error) === 'ledger_corrupt');
});

test('subscriptions: a full store takes no more, and many moves do not make a file grow for ever', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder, KEY, 1);
  await store.add(EMAIL, URL_, ALL, HEAD, NOW);
  assert.ok(store.isFull);
  await assert.rejects(
    store.add('b@venue.example.com', URL_, ALL, HEAD, NOW),
    (error) => faultCode(error) === 'too_large',
  );
  const { id } = only(store);
  for (let seq = 0; seq < 10_050; seq += 1) {
    const { progress } = only(store);
    await store.settle(id, progress, { ...progress, cursor: { seq, ordinal: 0 } });
  }
  await store.close();
  assert.ok(readFileSync(join(folder, PROGRESS_FILE), 'utf8').split('\n').length < 200);
  const again = await open(folder);
  assert.equal(only(again).progress.cursor.seq, 10_049);
  await again.close();
});

test('the key of webhooks: 32 bytes in hex, which no error quotes', () => {
  assert.equal(parseWebhookKey('ab'.repeat(32)).length, 32);
  for (const text of ['', 'ab', 'AB'.repeat(32), 'zz'.repeat(32), `${'ab'.repeat(32)}00`]) {
    assert.throws(
      () => parseWebhookKey(text),
      (error: Error) =>
        faultCode(error) === 'bad_config' && (text === '' || !error.message.includes(text)),
    );
  }
});

test('filters: types, and the index or asset that a message is about', () => {
  const print = { type: 'print', subject: { ticker: 'CPI', symbol: null } } as const;
  const receipt = { type: 'receipt', subject: { ticker: null, symbol: 'SOL' } } as const;
  const close = { type: 'close', subject: { ticker: null, symbol: null } } as const;
  const some: Filter = {
    types: ['print', 'receipt', 'close'],
    tickers: ['LAYOFFS'],
    symbols: ['SOL'],
  };
  assert.deepEqual(
    [print, receipt, close].map((each) => isWanted(some, each)),
    [false, true, true],
  );
  const cpi: Filter = { ...some, tickers: ['CPI'], symbols: ['ETH'] };
  assert.deepEqual(
    [print, receipt, close].map((each) => isWanted(cpi, each)),
    [true, false, true],
  );
  assert.ok(!isWanted({ ...some, types: ['close'] }, receipt));
});
