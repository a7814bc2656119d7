import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import type { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Deliveries, type DeliveriesParts } from '@assay/node/webhook/deliveries';
import { MessageReader } from '@assay/node/webhook/message-reader';
import type { Filter } from '@assay/node/webhook/subscription';
import { SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import { SubscriptionStore } from '@assay/node/webhook/subscription-store';
import { layoffsRule, sampleReport } from '../../core/fixture/fixture.ts';
import { SIGNATURE } from '../../core/view/small-log.ts';
import {
  filledLedger,
  memoryPlace,
  note,
  ORIGIN,
  REPORT_SIGNER,
  temporaryFolder,
} from '../ledger/ledger-fixture.ts';
import { answersChallenges, netOf, Receiver } from './receiver.ts';

const PRINTS: Filter = { types: ['print'], tickers: null, symbols: null };

interface World {
  readonly ledger: Ledger;
  readonly store: SubscriptionStore;
  readonly deliveries: Deliveries;
  /** Adds a subscription from the beginning of the log on; returns its secret. */
  readonly subscribe: (receiver: Receiver, filter?: Filter) => Promise<string>;
  readonly print: (count?: number) => Promise<void>;
}

/** A log with its rule, and what delivers from it. */
async function world(
  t: TestContext,
  receivers: readonly Receiver[],
  change: Partial<DeliveriesParts> = {},
): Promise<World> {
  const ledger = await filledLedger(await memoryPlace(), 0);
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  const store = await SubscriptionStore.open(await temporaryFolder(t), {
    cipher: new SubscriptionCipher(new Uint8Array(32)),
    sync: false,
  });
  const errors: string[] = [];
  const deliveries = new Deliveries({
    store,
    reader: new MessageReader(ledger, nodeSha256),
    signer: REPORT_SIGNER,
    nowMs: Date.now,
    onError: (reason) => errors.push(reason),
    net: netOf(...receivers),
    retryMs: [20, 20, 20],
    random: () => 0,
    ...change,
  });
  t.after(async () => {
    await deliveries.stop();
    await ledger.close();
    assert.deepEqual(errors, []);
  });
  let printed = 0;
  return {
    ledger,
    store,
    deliveries,
    async subscribe({ host, url }, filter = PRINTS) {
      const secret = await store.add(`x@${host}`, url, filter, { seq: 0, ordinal: 0 }, Date.now());
      assert.ok(secret !== undefined);
      return secret;
    },
    async print(count = 1) {
      for (let i = 0; i < count; i += 1) {
        const day = new Date(Date.UTC(2026, 0, 3 + 7 * printed)).toISOString().slice(0, 10);
        printed += 1;
        const report = sampleReport('final', { period: day });
        await ledger.write(() => [{ kind: 'report/1', body: { report, signature: SIGNATURE } }]);
      }
      deliveries.wake();
    },
  };
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 500; i += 1) {
    if (holds()) return;
    await sleep(10);
  }
  assert.fail(`not within 5 s: ${what}`);
}

interface Body {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly period: string;
    readonly log: { readonly origin: string; readonly seq: number; readonly leaf_hash: string };
  };
}
const bodies = (receiver: Receiver): readonly Body[] =>
  receiver.posts.map(({ body }) => JSON.parse(body) as Body);
const seqs = (receiver: Receiver): readonly number[] =>
  bodies(receiver).map(({ data }) => data.log.seq);

test('deliveries: each message in its order, signed, and naming its entry', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { ledger, deliveries, subscribe, print } = await world(t, [receiver]);
  const secret = await subscribe(receiver);
  await print(3);
  assert.equal(deliveries.behind, 5);
  deliveries.start();
  await until(() => receiver.posts.length === 3, 'three deliveries');
  await until(() => deliveries.behind === 0, 'all are delivered and searched');
  assert.deepEqual(seqs(receiver), [2, 3, 4]);
  for (const [i, { headers, body }] of receiver.posts.entries()) {
    const { data } = bodies(receiver)[i] as Body;
    const entry = (await ledger.entry(data.log.seq)) ?? new Uint8Array(0);
    assert.equal(data.log.leaf_hash, hashHex(leafHash(nodeSha256, entry)));
    assert.equal(data.log.origin, ORIGIN);
    const text = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
    const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('base64');
    assert.ok((headers['webhook-signature'] as string).startsWith(`v1,${mac} v1a,`));
    assert.equal(headers['content-type'], 'application/json');
  }
  // What comes later is sent when it is published.
  await print();
  await until(() => receiver.posts.length === 4, 'a fourth');
});

test('deliveries: what failed comes again under its id, before anything that follows it', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { deliveries, store, subscribe, print } = await world(t, [receiver]);
  await subscribe(receiver);
  await print(2);
  receiver.handle = (_, response) => {
    response.statusCode = receiver.posts.length < 3 ? 500 : 204;
    response.end();
  };
  deliveries.start();
  await until(() => receiver.posts.length === 4, 'two failures and two deliveries');
  assert.deepEqual(seqs(receiver), [2, 2, 2, 3]);
  const ids = receiver.posts.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids.slice(0, 3)).size, 1);
  assert.notEqual(ids[3], ids[0]);
  assert.equal(new Set(receiver.posts.slice(0, 3).map(({ body }) => body)).size, 1);
  await until(() => [...store.all()][0]?.progress.attempts === null, 'the failures are over');
});

test('deliveries: a receiver that always fails is paused with its cursor, and its owner can go on', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com', (_, response) => {
    response.writeHead(500).end();
  });
  const other = await Receiver.start(t, 'b.venue.com');
  const { deliveries, store, subscribe, print } = await world(t, [receiver, other]);
  await subscribe(receiver);
  await subscribe(other);
  await print(2);
  deliveries.start();
  const first = () => [...store.all()][0];
  await until(() => first()?.progress.state === 'paused', 'it is paused');
  assert.equal(receiver.posts.length, 4);
  // One that is paused is not behind.
  await until(() => deliveries.behind === 0, 'nobody is behind');
  assert.equal(first()?.progress.reason, 'exhausted');
  assert.equal(first()?.progress.cursor.seq, 2);
  // Nobody else waits for it.
  assert.deepEqual(seqs(other), [2, 3]);
  receiver.handle = answersChallenges;
  await store.move(first()?.id ?? '', (before) => ({
    ...before,
    state: 'active',
    reason: null,
    attempts: null,
  }));
  await until(() => receiver.posts.length === 6, 'it goes on');
  assert.deepEqual(seqs(receiver).slice(-2), [2, 3]);
});

test('deliveries: 410 ends them, and a replay begins where its owner says', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com', (_, response) => {
    response.writeHead(410).end();
  });
  const { deliveries, store, subscribe, print } = await world(t, [receiver]);
  await subscribe(receiver);
  await print(3);
  deliveries.start();
  const first = () => [...store.all()][0];
  await until(() => first()?.progress.state === 'disabled', 'it is disabled');
  assert.equal(receiver.posts.length, 1);
  receiver.handle = answersChallenges;
  await store.move(first()?.id ?? '', (before) => ({
    ...before,
    state: 'active',
    reason: null,
    attempts: null,
    cursor: { seq: 3, ordinal: 0 },
  }));
  await until(() => receiver.posts.length === 3, 'the last two');
  assert.deepEqual(seqs(receiver).slice(1), [3, 4]);
});

test('deliveries: a filter decides, and a change of it holds from the cursor on', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { deliveries, ledger, store, subscribe, print } = await world(t, [receiver]);
  await subscribe(receiver, { ...PRINTS, tickers: ['CPI'] });
  await print(2);
  for (let i = 0; i < 20; i += 1) await ledger.write(() => [note(`${i}`)]);
  deliveries.start();
  const cursor = (): number => [...store.all()][0]?.progress.cursor.seq ?? 0;
  await until(() => cursor() === 24, 'the whole log was searched');
  assert.equal(receiver.posts.length, 0);
  const { id } = [...store.all()][0] as { readonly id: string };
  await store.change(id, { filter: PRINTS });
  await print();
  await until(() => receiver.posts.length === 1, 'the one that came after the change');
  assert.deepEqual(seqs(receiver), [24]);
  await store.move(id, (before) => ({ ...before, cursor: { seq: 0, ordinal: 0 } }));
  await until(() => receiver.posts.length === 4, 'all of them');
  assert.deepEqual(seqs(receiver).slice(1), [2, 3, 24]);
});

test('deliveries: a process that ends in the middle sends again what was not stored as delivered', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { deliveries, store, ledger, subscribe, print } = await world(t, [receiver]);
  await subscribe(receiver);
  await print(2);
  let answer = (): void => {};
  receiver.handle = (_, response) => {
    answer = () => response.end();
  };
  deliveries.start();
  await until(() => receiver.posts.length === 1, 'the first is under way');
  // What the store has then is what a process finds that was killed.
  const kept = [...store.all()][0]?.progress.cursor;
  assert.deepEqual(kept, { seq: 0, ordinal: 0 });
  answer();
  await until(() => receiver.posts.length === 2, 'the second');
  assert.deepEqual([...store.all()][0]?.progress.cursor, { seq: 2, ordinal: 1 });
  receiver.handle = answersChallenges;
  const again = new Deliveries({
    store,
    reader: new MessageReader(ledger, nodeSha256),
    signer: REPORT_SIGNER,
    nowMs: Date.now,
    onError: (reason) => assert.fail(reason),
    net: netOf(receiver),
  });
  answer();
  again.start();
  await until(() => receiver.posts.length >= 3, 'the second again');
  assert.deepEqual(seqs(receiver).slice(0, 3), [2, 3, 3]);
});

test('deliveries: what is not published yet is told to nobody', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { ledger, subscribe, print, store } = await world(t, [receiver]);
  await subscribe(receiver);
  await print(3);
  const reader = new MessageReader(
    {
      published: ledger.published && { ...ledger.published, size: 3 },
      shown: ledger.shown,
      entries: (start, end) => ledger.entries(start, end),
    },
    nodeSha256,
  );
  const progress = [...store.all()][0]?.progress;
  assert.ok(progress !== undefined);
  const first = await reader.next(progress.cursor, PRINTS);
  assert.equal(first.cursor.seq, 2);
  const rest = await reader.next({ seq: 2, ordinal: 1 }, PRINTS);
  assert.deepEqual(rest, { cursor: { seq: 3, ordinal: 0 } });
});

test('deliveries: a test message moves nothing, and its outcome is shown', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { deliveries, store, subscribe } = await world(t, [receiver]);
  await subscribe(receiver);
  const [subscription] = [...store.all()];
  assert.ok(subscription !== undefined);
  const outcome = await deliveries.test(subscription);
  assert.equal(outcome.outcome, '200');
  assert.ok(outcome.delivered);
  assert.match(receiver.posts[0]?.headers['webhook-id'] as string, /^msg_test_[0-9a-f]{32}$/);
  assert.equal(bodies(receiver)[0]?.type, 'test');
  assert.deepEqual(deliveries.shown(subscription.id), [outcome]);
  assert.equal([...store.all()][0], subscription);
});

test('deliveries: 40 receivers at once are all served, each in order', async (t) => {
  const receivers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => Receiver.start(t, `r${i}.venue.com`)),
  );
  const { deliveries, subscribe, print } = await world(t, receivers);
  for (const each of receivers) await subscribe(each);
  await print(5);
  deliveries.start();
  await until(() => receivers.every(({ posts }) => posts.length === 5), 'all have all');
  for (const each of receivers) assert.deepEqual(seqs(each), [2, 3, 4, 5, 6]);
});

test('deliveries: receivers that are slow and far behind leave a turn to everybody', async (t) => {
  const order: string[] = [];
  const slow = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      Receiver.start(t, `r${i}.venue.com`, (_received, response) => {
        order.push(`r${i}`);
        setTimeout(() => response.end(), 20);
      }),
    ),
  );
  const { deliveries, subscribe, print } = await world(t, slow);
  for (const each of slow) await subscribe(each);
  await print(8);
  deliveries.start();
  await until(() => order.length === 8 * 40, 'all have all');
  // 32 are called at the same time, so the last ones come in the second round.
  for (const name of ['r32', 'r39']) {
    const earlier = order.slice(0, order.indexOf(name)).filter((each) => each === 'r0').length;
    assert.ok(earlier <= 2, `${earlier} messages to the first receiver before one to ${name}`);
  }
});

test('deliveries: a receiver that is far behind has few entries read for each message', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { ledger, print } = await world(t, [receiver]);
  await print(300);
  let read = 0;
  const reader = new MessageReader(
    {
      published: ledger.published,
      shown: ledger.shown,
      async *entries(start, end) {
        for await (const entry of ledger.entries(start, end)) {
          read += 1;
          yield entry;
        }
      },
    },
    nodeSha256,
  );
  const first = await reader.next({ seq: 0, ordinal: 0 }, PRINTS);
  assert.equal(first.cursor.seq, 2);
  assert.ok(read < 40, `${read} entries for one message`);
  let cursor = first.cursor;
  let found = 1;
  for (;;) {
    const next = await reader.next({ ...cursor, ordinal: cursor.ordinal + 1 }, PRINTS);
    cursor = next.cursor;
    if (next.message === undefined) break;
    found += 1;
  }
  assert.equal(found, 300);
  assert.ok(read <= 304, `${read} entries for all`);
});

test('deliveries: the state of the service is told once to those who asked, and moves nothing', async (t) => {
  const [mine, failing, other] = (await Promise.all(
    ['a', 'b', 'c'].map((name) => Receiver.start(t, `${name}.venue.com`)),
  )) as [Receiver, Receiver, Receiver];
  failing.handle = (_, response) => response.writeHead(500).end();
  const { deliveries, store, subscribe } = await world(t, [mine, failing, other]);
  const wants: Filter = { types: ['status'], tickers: ['CPI'], symbols: null };
  await subscribe(mine, wants);
  await subscribe(failing, wants);
  await subscribe(other);
  deliveries.announce('degraded', ['before the start nobody is told']);
  deliveries.start();
  await until(
    () => [...store.all()].every(({ progress }) => progress.cursor.seq === 2),
    'all are at the head',
  );
  const before = [...store.all()].map(({ progress }) => progress);
  deliveries.announce('halted', ['the disk is full']);
  await until(() => mine.posts.length + failing.posts.length === 2, 'both are told');
  const [told] = mine.posts.map(({ body }) => JSON.parse(body) as { type: string; data: object });
  assert.deepEqual(told?.data, { kind: 'status', state: 'halted', reasons: ['the disk is full'] });
  assert.equal(told?.type, 'status');
  await sleep(100);
  assert.deepEqual(
    [mine, failing, other].map(({ posts }) => posts.length),
    [1, 1, 0],
  );
  assert.deepEqual(
    [...store.all()].map(({ progress }) => progress),
    before,
  );
});
