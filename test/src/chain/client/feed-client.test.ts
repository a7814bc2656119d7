import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { closeAddress, pageAddress } from '@assay/chain/addresses';
import type { FeedClient } from '@assay/chain/client/feed-client';
import { MAX_TRANSACTION_BYTES, type Outgoing } from '@assay/chain/client/sender';
import { startDevelopmentChain } from '@assay/chain/development/server';
import { httpRpc } from '@assay/chain/client/rpc';
import { formatFeed, parseFeed } from '@assay/core/feed/feed-account';
import { dissentMessage, formatPrint, type Print } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import type { Address } from '@solana/kit';
import { hashOf, type Party, partyOf } from '../fixture/party.ts';
import { closeBytes, needsSvm, PROGRAM_BYTES } from '../fixture/world.ts';
import { flakyRpc, type Troubles } from './flaky.ts';
import {
  type ClientWorld,
  NOW,
  openClientWorld,
  PERIOD,
  PROGRAM,
  publishPrint,
  TICKER,
} from './world.ts';

const SYSTEM = '11111111111111111111111111111111' as Address;
const OTHER = 'OTHER' as Ticker;

async function open(
  t: TestContext,
  options: Parameters<typeof openClientWorld>[0] = {},
): Promise<ClientWorld> {
  const world = await openClientWorld(options);
  t.after(() => world.chain.close());
  return world;
}

function through(world: ClientWorld, troubles: Troubles, crash?: () => void): FeedClient {
  return world.client(flakyRpc(world.chain, world.time, troubles, crash));
}

function pageAt(world: ClientWorld, index: number): Promise<Address> {
  return pageAddress(PROGRAM, world.feed, index).then(([address]) => address);
}

test('feed client: a print is sent once, then it is there', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const first = await publishPrint(world, client);
  assert.equal(first.kind, 'sent');
  assert.deepEqual(first.cosigners, world.parameters.cosigners);
  assert.equal(first.page, await pageAt(world, 92));
  const again = await publishPrint(world, client);
  assert.equal(again.kind, 'there');
  assert.deepEqual(again.record, first.record);
  // Its page was opened by the same transaction.
  assert.equal(world.paid.length, 1);
  const feed = await client.feed(TICKER);
  assert.equal(feed?.account.latest, PERIOD);
  const page = await client.page(world.feed, 92);
  assert.deepEqual(page?.account.slots[7]?.settled, first.record);
  assert.equal(await client.page(world.feed, 91), undefined);
});

test('feed client: the co-signers are those that signed', needsSvm, async (t) => {
  const world = await open(t);
  const message = formatPrint(world.print());
  const [one, , three] = world.cosigners as [Party, Party, Party];
  const signatures = world.signed(message, [world.publisher, three, one]);
  const done = await world.client().publish(TICKER, message, signatures);
  assert.deepEqual(done.cosigners, [one.key, three.key]);
});

test('feed client: 5 co-signers fit, the others come behind', needsSvm, async (t) => {
  const world = await open(t, { cosigners: 7 });
  const client = world.client();
  const sizes = (count: number): number[] =>
    world.chain.ledger.history.newest(count).map(({ wire }) => wire.bytes.length);
  const done = await publishPrint(world, client);
  assert.deepEqual(done.cosigners, world.parameters.cosigners);
  assert.equal(world.paid.length, 2);
  // With its page, its first five and a priority fee, it fits to within 38 bytes.
  assert.deepEqual(sizes(2), [1194, 820]);
  assert.ok(sizes(2).every((each) => each <= MAX_TRANSACTION_BYTES));
  // Which transaction wrote it, and not the one that added to it, is told.
  assert.ok(done.kind === 'sent' && done.sent.transaction === world.paid[0]?.transaction);
  assert.equal(done.sent.slot, done.record.slot);
  assert.equal((await publishPrint(world, client)).kind, 'there');
  await publishPrint(world, client, { period: PERIOD - 7 });
  assert.equal(world.paid.length, 4);
  assert.equal(sizes(2)[0], 1150);
});

test('feed client: co-signers whom somebody left out are added', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  for (const fields of [
    {},
    { status: 'corrected' },
    { status: 'provisional', period: PERIOD - 7 },
  ] as const) {
    const message = formatPrint(world.print(fields));
    const [first, second, third] = world.cosigners as [Party, Party, Party];
    const bring = (...parties: readonly Party[]): ReturnType<FeedClient['publish']> =>
      client.publish(TICKER, message, world.signed(message, [world.publisher, ...parties]));
    const stripped = await bring(first, second);
    assert.deepEqual(stripped.cosigners, [first.key, second.key]);
    const added = await bring(first, second, third);
    assert.equal(added.kind, 'sent');
    assert.deepEqual(added.cosigners, world.parameters.cosigners);
    const { record } = added;
    assert.deepEqual({ ...record, cosigners: stripped.record.cosigners }, stripped.record);
    // Nothing is missing, whoever is named.
    assert.equal((await bring(first, second, third)).kind, 'there');
    assert.equal((await bring(third)).kind, 'there');
    // Nobody of another set counts, and without the publisher nothing is added.
    assert.equal((await bring(first, await partyOf('a stranger'))).kind, 'there');
  }
});

test(
  'feed client: after a rotation nothing is added, and the print is there',
  needsSvm,
  async (t) => {
    const world = await open(t);
    const client = world.client();
    const message = formatPrint(world.print());
    const few = world.signed(message, [world.publisher, ...world.cosigners.slice(0, 2)]);
    await client.publish(TICKER, message, few);
    const held = world.chain.ledger.account(world.feed);
    assert.ok(held);
    const feed = parseFeed(held.data);
    const publisher = (await partyOf('next publisher')).key as typeof feed.publisher;
    const data = formatFeed({ ...feed, publisher });
    const { lamports } = held;
    world.chain.ledger.setAccount({ address: world.feed, owner: PROGRAM, lamports, data });
    const done = await publishPrint(world, client);
    assert.deepEqual([done.kind, done.cosigners.length], ['there', 2]);
  },
);

test('feed client: no signature that a quorum needs is left out', needsSvm, async (t) => {
  const world = await open(t, { cosigners: 8 });
  const { ledger } = world.chain;
  // No parser takes such a set: the account of another program's day.
  const demand = (threshold: number): void => {
    const held = ledger.account(world.feed);
    assert.ok(held);
    const feed = parseFeed(held.data);
    const sets = feed.sets.map((set) => ({ ...set, threshold }));
    const data = formatFeed({ ...feed, sets });
    ledger.setAccount({ address: world.feed, owner: PROGRAM, lamports: held.lamports, data });
  };
  const client = world.client();
  const expected = '6 co-signers in one transaction';
  demand(6);
  const tooLarge = { code: 'too_large', at: 'signatures', expected, found: '5 fit' };
  await assert.rejects(publishPrint(world, client), tooLarge);
  await client.openPage(TICKER, 92);
  await assert.rejects(publishPrint(world, client), tooLarge);
  await assert.rejects(publishPrint(world, client, { status: 'void', value: 0n }), tooLarge);
  // A provisional demands none, and fewer than are demanded were never a quorum.
  assert.equal((await publishPrint(world, client, { status: 'provisional' })).kind, 'sent');
  const message = formatPrint(world.print());
  const few = world.signed(message, [world.publisher, ...world.cosigners.slice(0, 5)]);
  await assert.rejects(client.publish(TICKER, message, few), { code: 'refused', at: 'no_quorum' });
  demand(5);
  assert.equal((await publishPrint(world, client)).kind, 'sent');
});

test(
  'feed client: another final or void bars for good, and both are named',
  needsSvm,
  async (t) => {
    const world = await open(t);
    const client = world.client();
    await publishPrint(world, client);
    const [first, second] = [hashOf('a report'), hashOf('another')];
    const barred = {
      code: 'refused',
      at: 'settled',
      expected: `final 0 of report ${second}`,
      found: `final 0 of report ${first}`,
    };
    await assert.rejects(publishPrint(world, client, { report: second }), barred);
    const value: Partial<Print> = { status: 'void', value: 0n, report: second };
    await assert.rejects(publishPrint(world, client, value), {
      ...barred,
      expected: `void 0 of report ${second}`,
    });
    // The same report with another number is another print.
    await assert.rejects(publishPrint(world, client, { value: 1n }), { at: 'settled' });
    assert.equal(world.paid.length, 1);
  },
);

test('feed client: a provisional that was overtaken is not sent', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const provisional = (issue: number, more: Partial<Print> = {}): ReturnType<typeof publishPrint> =>
    publishPrint(world, client, { status: 'provisional', issue, ...more });
  assert.equal((await provisional(1)).kind, 'sent');
  await assert.rejects(provisional(0), { code: 'refused', at: 'overtaken' });
  await assert.rejects(provisional(1, { value: 9n }), { code: 'refused', at: 'differs' });
  assert.equal((await provisional(1)).kind, 'there');
  assert.equal((await publishPrint(world, client)).kind, 'sent');
  await assert.rejects(provisional(2), {
    code: 'refused',
    at: 'overtaken',
    found: `final 0 of report ${hashOf('a report')}`,
  });
  // What stood before the final still stands.
  assert.equal((await provisional(1)).kind, 'there');
});

test('feed client: corrections come in order', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const correction = (issue: number): ReturnType<typeof publishPrint> =>
    publishPrint(world, client, { status: 'corrected', issue, value: BigInt(issue) });
  await assert.rejects(correction(1), { code: 'refused', at: 'no_final' });
  await publishPrint(world, client);
  await assert.rejects(correction(2), { code: 'refused', at: 'bad_issue' });
  assert.equal((await correction(1)).kind, 'sent');
  assert.equal((await correction(2)).kind, 'sent');
  await assert.rejects(correction(1), { code: 'refused', at: 'overtaken' });
});

test("feed client: the program's refusals have its names", needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const message = formatPrint(world.print());
  await assert.rejects(client.publish(TICKER, message, world.signed(message, [world.publisher])), {
    code: 'refused',
    at: 'no_quorum',
  });
  await assert.rejects(publishPrint(world, client, { series: hashOf('x') }), {
    code: 'refused',
    at: 'wrong_series',
  });
  const forged = [...world.signed(message).slice(1), ...world.signed(message.slice(1)).slice(0, 1)];
  await assert.rejects(client.publish(TICKER, message, forged), {
    code: 'refused',
    at: 'Custom 2',
  });
  await assert.rejects(publishPrint(world, client, { period: PERIOD + 1 }), {
    code: 'out_of_range',
  });
  await assert.rejects(client.publish(OTHER, message, []), { code: 'not_found' });
  assert.deepEqual(world.paid, []);
});

test(
  'feed client: what was there, though sending it ended otherwise, is there',
  needsSvm,
  async (t) => {
    const world = await open(t);
    const fields: Partial<Print> = { status: 'provisional' };
    const lies = Array.from({ length: 9 }, () => 'lie_unknown' as const);
    // It lands; the node hides it until its blockhash is over; the next attempt finds it settled.
    const hiding: Troubles = { getSignatureStatuses: lies, getEpochInfo: ['expire'] };
    const done = await publishPrint(world, through(world, hiding), fields);
    assert.equal(done.kind, 'there');
    const { history } = world.chain.ledger;
    const [last, before] = [history.newest(1)[0], history.newest(2)[0]];
    assert.equal(last?.error, null);
    assert.equal(before?.wire.message.instructions.length, 3, 'the feed was made before it');
  },
);

test('feed client: nothing is reported as on chain that was not seen', needsSvm, async (t) => {
  const world = await open(t);
  const client = through(world, {
    sendTransaction: ['lost', 'lost', 'lost'],
    getSignatureStatuses: ['lie_final'],
  });
  await assert.rejects(publishPrint(world, client), { code: 'unmet', at: 'account' });
});

test('feed client: an account that comes late is waited for', needsSvm, async (t) => {
  const world = await open(t);
  const done = await publishPrint(
    world,
    through(world, { getMultipleAccounts: ['none', 'none', 'old', 'busy'] }),
  );
  assert.equal(done.kind, 'sent');
});

test(
  'feed client: a crash between sending and keeping it loses and doubles nothing',
  needsSvm,
  async (t) => {
    const world = await open(t);
    const crash = new AbortController();
    const outs: Outgoing[] = [];
    const dying = through(world, { sendTransaction: ['crash'] }, () => crash.abort());
    await assert.rejects(
      publishPrint(
        world,
        dying,
        {},
        {
          signal: crash.signal,
          onOut: async (out) => {
            outs.push(out);
            await Promise.resolve();
          },
        },
      ),
      { code: 'timeout', at: 'abort' },
    );
    const outcome = await world.sender().outcome(outs[0] as Outgoing);
    assert.equal(outcome.kind, 'finalized');
    assert.equal((await publishPrint(world, world.client())).kind, 'there');
    assert.equal(world.chain.ledger.history.newest(1)[0]?.wire.signature, outs[0]?.signature);
  },
);

test('feed client: a page that somebody opens meanwhile is no hindrance', needsSvm, async (t) => {
  const world = await open(t);
  // What it sees at first is from before.
  const client = through(world, { getMultipleAccounts: ['none', 'none', 'none', 'old'] });
  await assert.rejects(publishPrint(world, client, { value: 1n, series: hashOf('x') }), {
    at: 'wrong_series',
  });
  assert.equal((await world.client().openPage(TICKER, 92)).kind, 'sent');
  const done = await publishPrint(world, client);
  assert.equal(done.kind, 'sent');
  assert.equal(world.paid.length, 2);
  assert.equal((await world.client().openPage(TICKER, 92)).kind, 'there');
});

test('feed client: an account of somebody else is reported as one', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const { ledger } = world.chain;
  const address = await pageAt(world, 92);
  const put = (owner: Address, data: Uint8Array): void =>
    ledger.setAccount({ address, owner, lamports: 1_000_000n, data });
  put(SYSTEM, new Uint8Array(6480));
  await assert.rejects(publishPrint(world, client), { code: 'unmet', at: 'owner' });
  put(PROGRAM, new Uint8Array(7));
  await assert.rejects(publishPrint(world, client), { code: 'bad_length' });
  await assert.rejects(client.page(world.feed, 92), { code: 'bad_length' });
  // The page of another place.
  await client.openPage(TICKER, 91);
  put(PROGRAM, ledger.account(await pageAt(world, 91))?.data as Uint8Array);
  await assert.rejects(client.page(world.feed, 92), { code: 'unmet', at: 'index' });
  // Lamports that somebody sent ahead are no account.
  put(SYSTEM, new Uint8Array());
  assert.equal((await publishPrint(world, client)).kind, 'sent');
});

test('feed client: a feed is made once, and another one is refused', needsSvm, async (t) => {
  const world = await open(t, { begun: false });
  const client = world.client();
  const { parameters, publisher } = world;
  const { signer } = publisher;
  assert.equal(await client.feed(TICKER), undefined);
  const stranger = await partyOf('a stranger');
  await assert.rejects(client.initFeed(stranger.signer, parameters), {
    code: 'refused',
    at: 'not_publisher',
  });
  assert.equal((await client.initFeed(signer, parameters)).kind, 'sent');
  assert.equal((await client.initFeed(signer, parameters)).kind, 'there');
  const others = {
    cadence: 'utc_day',
    decimals: 1,
    log: hashOf('another'),
    recoveryHash: hashOf('another'),
    nextHash: hashOf('another'),
    rule: hashOf('another'),
    first: 9,
    threshold: 3,
    cosigners: parameters.cosigners.toReversed(),
  } as const;
  for (const [field, value] of Object.entries(others)) {
    await assert.rejects(client.initFeed(signer, { ...parameters, [field]: value }), {
      code: 'refused',
      at: 'differs',
      found: field,
    });
  }
  await assert.rejects(client.openPage(OTHER, 0), { code: 'not_found' });
});

test('feed client: a dissent is noted once, for each who has not', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const [one, two] = world.cosigners as [Party, Party];
  const message = dissentMessage(world.print());
  const bring = (...parties: readonly Party[]): ReturnType<FeedClient['dissent']> =>
    client.dissent(TICKER, message, world.signed(message, parties));
  await assert.rejects(bring(one), { code: 'refused', at: 'no_such_print' });
  await publishPrint(world, client);
  const first = await bring(one);
  assert.equal(first.kind, 'sent');
  assert.equal(first.record.dissents, 1);
  assert.equal((await bring(one)).kind, 'there');
  const both = await bring(one, two);
  assert.deepEqual([both.kind, both.record.dissents], ['sent', 3]);
  await assert.rejects(bring(await partyOf('a stranger')), {
    code: 'refused',
    at: 'unknown_signer',
  });
  const print = formatPrint(world.print());
  await assert.rejects(client.dissent(TICKER, print, []), { code: 'malformed' });
});

test('feed client: more dissents than fit come in several transactions', needsSvm, async (t) => {
  const world = await open(t, { cosigners: 8 });
  const client = world.client();
  await publishPrint(world, client);
  world.paid.length = 0;
  const message = dissentMessage(world.print());
  const signatures = world.signed(message, world.cosigners);
  const done = await client.dissent(TICKER, message, signatures);
  assert.deepEqual([done.kind, done.record.dissents], ['sent', 255]);
  assert.equal(world.paid.length, 2);
  assert.ok(done.kind === 'sent' && done.sent.transaction === world.paid[0]?.transaction);
  assert.equal((await client.dissent(TICKER, message, signatures)).kind, 'there');
  assert.equal(world.paid.length, 2);
});

test('feed client: a Close is brought once, each of its versions', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const day = Number(NOW / 86_400n) - 1;
  const log = hashOf('a log');
  const bring = (hash: string, on = day): ReturnType<FeedClient['close']> => {
    const message = closeBytes(log, on, hashOf(hash));
    return client.close(TICKER, message, world.signed(message, [world.publisher])[0] as never);
  };
  const first = await bring('a');
  assert.equal(first.kind, 'sent');
  assert.equal(first.account, (await closeAddress(PROGRAM, world.feed, day))[0]);
  assert.equal((await bring('b')).kind, 'sent');
  const again = await bring('a');
  assert.equal(again.kind, 'there');
  assert.deepEqual(again.closes.hashes, [hashOf('a'), hashOf('b')]);
  const held = await client.closeAccount(world.feed, day);
  assert.deepEqual(held?.account, again.closes);
  assert.equal(await client.closeAccount(world.feed, day - 1), undefined);
  await assert.rejects(bring('c', day + 1), { code: 'refused', at: 'day_not_over' });
  const signature = { key: new Uint8Array(32), signature: new Uint8Array(64) };
  const short = client.close(TICKER, new Uint8Array(75), signature);
  await assert.rejects(short, { code: 'bad_length' });
  const other = client.close(TICKER, new Uint8Array(76), signature);
  await assert.rejects(other, { code: 'malformed' });
});

test('feed client: rules and sets are appended once', needsSvm, async (t) => {
  const world = await open(t);
  const client = world.client();
  const { signer } = world.publisher;
  const rule = hashOf('rule 2');
  assert.equal((await client.addRule(signer, TICKER, rule, PERIOD + 21)).kind, 'sent');
  assert.equal((await client.addRule(signer, TICKER, rule, PERIOD + 21)).kind, 'there');
  const other = client.addRule(signer, TICKER, rule, PERIOD + 28);
  await assert.rejects(other, { code: 'refused', at: 'rule_waits' });
  const keys = world.cosigners.slice(0, 1).map(({ key }) => key);
  assert.equal((await client.addSet(signer, TICKER, 1, keys)).kind, 'sent');
  assert.equal((await client.addSet(signer, TICKER, 1, keys)).kind, 'there');
  const { cosigners } = world.parameters;
  await assert.rejects(client.addSet(signer, TICKER, 2, cosigners), {
    code: 'refused',
    at: 'set_waits',
  });
  const stranger = (await partyOf('a stranger')).signer;
  world.time.seconds += 604_801;
  await assert.rejects(client.addSet(stranger, TICKER, 2, cosigners), {
    code: 'refused',
    at: 'not_publisher',
  });
  assert.equal((await client.addSet(signer, TICKER, 2, cosigners)).kind, 'sent');
});

test('feed client: over HTTP it is the same', needsSvm, async (t) => {
  const world = await open(t, { begun: false });
  const started = await startDevelopmentChain({
    port: 0,
    now: world.time.now,
    tickMs: 0,
    slotSeconds: 1,
    programs: [{ address: PROGRAM, elf: PROGRAM_BYTES }],
  });
  t.after(() => started.close());
  assert.equal(started.ledger.slotSeconds, 1);
  assert.ok(started.ledger.airdrop(world.payer.address, 10n ** 12n));
  const client = world.client(httpRpc(started.rpc, { timeoutMs: 5000 }));
  await client.initFeed(world.publisher.signer, world.parameters);
  const sent = await publishPrint(world, client);
  assert.deepEqual(sent.cosigners, world.parameters.cosigners);
  assert.equal((await publishPrint(world, client)).kind, 'there');
  const tooFew = formatPrint(world.print({ period: PERIOD - 7 }));
  const signatures = world.signed(tooFew, [world.publisher]);
  await assert.rejects(client.publish(TICKER, tooFew, signatures), {
    code: 'refused',
    at: 'no_quorum',
  });
});
