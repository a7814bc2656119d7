import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addressOfKey } from '@assay/chain/addresses';
import { formatHex } from '@assay/core/bytes/hex';
import { dissentMessage, formatPrint, printOf } from '@assay/core/report/print';
import { reportHash } from '@assay/core/report/report';
import { parseEntry } from '@assay/core/log/entry';
import { parseDate } from '@assay/core/time/time';
import { onchainRow } from '@assay/core/view/onchain';
import type { ChainRpc } from '@assay/chain/client/rpc';
import type { DevelopmentChain } from '@assay/chain/development/development-chain';
import { answerRpc } from '@assay/chain/development/json-rpc';
import { createSolanaRpcFromTransport } from '@solana/kit';
import fc from 'fast-check';
import { keySigner } from '@assay/chain/client/key-signer';
import { FileOutgoing } from '@assay/node/feed/outgoing';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { SKIP } from '../../chain/development/world.ts';
import {
  flakyRpc,
  type Trouble,
  TROUBLED,
  TROUBLES,
  type Troubles,
} from '../../chain/client/flaky.ts';
import type { TestTime } from '../../chain/client/world.ts';
import { handOf, HANDS } from '../../core/fixture/cosigner-fixture.ts';
import { REPORT_SIGNER, temporaryFolder } from '../ledger/ledger-fixture.ts';
import { DAY_S, FeedWorld, PAYER, TICKER, WEEK } from './feed-world.ts';

test('feeds: the life of a period, from the first print to a dissent', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T12:31:10Z');
  const provisional = world.report('provisional');
  const first = await world.publish(provisional);
  await world.poll();
  const { account: feed } = (await world.client().feed(TICKER)) ?? {};
  assert.equal(feed?.rules.length, 1);
  assert.deepEqual(world.told, ['print 2026-07-25']);
  assert.deepEqual(
    world.posted().map(({ digest, cosigners }) => [digest, cosigners]),
    [[first, []]],
  );

  world.goTo('2026-07-30T14:30:00Z');
  const final = world.report('final');
  const digest = await world.publish(final);
  await world.cosign(final, HANDS[2]);
  await world.poll();
  assert.equal(onchainRow(world.ledger.shown, digest), undefined, 'one co-signer of two');
  assert.equal(world.feeds.progress.waiting, 1);
  assert.equal(world.feeds.progress.waiting_since, null);
  await world.cosign(final, HANDS[0]);
  await world.poll();
  const row = onchainRow(world.ledger.shown, digest);
  assert.deepEqual(row?.cosigners, [HANDS[0].key, HANDS[2].key]);
  assert.notEqual(row.transaction, null);
  assert.equal(world.feeds.progress.waiting, 0);

  world.goTo('2026-08-03T09:00:00Z');
  const corrected = world.report('corrected');
  await world.publish(corrected);
  await world.cosign(corrected, HANDS[0], HANDS[1], HANDS[2]);
  await world.poll();
  const fixed = onchainRow(world.ledger.shown, reportHash(nodeSha256, corrected));
  assert.equal(fixed?.cosigners.length, 3);

  await world.dissent(final, HANDS[1]);
  await world.poll();
  const page = await world.client().page((await world.client().feed(TICKER))?.address as never, 92);
  const slot = page?.account.slots.find((each) => each?.period === parseDate(WEEK as never));
  assert.equal(slot?.dissent, true);
  assert.equal(slot.settled?.dissents, 0b010);
  const ran = world.ran();
  world.go(700);
  await world.poll();
  assert.equal(world.ran(), ran, 'nothing is sent again');
  assert.deepEqual(world.reasons(), []);
  await world.end();
});

test(
  'feeds: what another loop records meanwhile is not recorded again',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T12:31:10Z');
    await world.publish(world.report('provisional'));
    await world.poll();
    world.goTo('2026-07-30T14:30:00Z');
    const { nextSeq: before } = world.ledger;
    const digest = reportHash(nodeSha256, await world.final());
    const ran = world.ran();
    const other = world.makeFeeds();
    let looks = 0;
    // Whose chain it is, is asked once more before a row is written. The print stands by then.
    const rpc = new Proxy(world.rpc, {
      get: (target, name) =>
        name !== 'getGenesisHash'
          ? (Reflect.get(target, name) as unknown)
          : () => ({
              async send(): Promise<unknown> {
                if (world.ran() > ran && looks === 0) {
                  looks += 1;
                  await other.poll();
                }
                return target.getGenesisHash().send();
              },
            }),
    });
    const first = world.makeFeeds(rpc);
    await first.poll();
    assert.equal(looks, 1);
    let recorded = 0;
    for await (const bytes of world.ledger.entries(before, world.ledger.nextSeq)) {
      const { kind, body } = parseEntry(bytes);
      if (kind === 'print/1' && body['digest'] === digest) recorded += 1;
    }
    assert.equal(recorded, 1);
    assert.deepEqual(
      world.told,
      ['print 2026-07-25', 'print 2026-07-25'],
      'a provisional, a final',
    );
    await first.stop();
    await other.stop();
    await world.end();
  },
);

test('feeds: a void, and Closes with their versions', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-08-20T12:30:02Z');
  const report = world.report('void', '2026-08-01');
  const digest = await world.publish(report);
  await world.cosign(report, HANDS[0], HANDS[1]);
  const closes = [
    await world.close('2026-08-18', digest),
    await world.close('2026-08-19', digest),
    await world.close('2026-08-18', '5'.repeat(64) as never),
  ];
  await world.poll();
  const posted = world.posted();
  assert.deepEqual(
    posted.map(({ of, digest: each }) => [of, each]),
    [['print', digest], ...closes.map((hash) => ['close', hash])],
  );
  const held = await world
    .client()
    .closeAccount(posted[0]?.feed as never, parseDate('2026-08-18' as never));
  assert.deepEqual(held?.account.hashes, [closes[0], closes[2]]);
  assert.deepEqual(world.reasons(), []);
  assert.ok((world.spent.get('close rent') ?? 0n) > 0n);
  await world.end();
});

test('feeds: a later set of co-signers waits seven days on chain too', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T14:30:00Z');
  await world.final();
  await world.poll();
  await world.set(1, 2, HANDS.slice(0, 2));
  world.go(1000);
  await world.poll();
  assert.equal((await world.client().feed(TICKER))?.account.sets.length, 2);
  // In force by the log, and a while later on chain.
  world.go(7 * DAY_S - 990);
  const late = await world.final('2026-08-01');
  await world.poll();
  assert.equal(onchainRow(world.ledger.shown, reportHash(nodeSha256, late)), undefined);
  assert.equal(world.feeds.progress.waiting, 1);
  world.go(1001);
  await world.poll();
  const row = onchainRow(world.ledger.shown, reportHash(nodeSha256, late));
  assert.equal(row?.cosigners.length, 2);
  world.go(700);
  await world.poll();
  assert.deepEqual(world.reasons(), []);
  await world.end();
});

test(
  'feeds: what was recounted by a set that the chain has left behind',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    await world.final('2026-07-18');
    await world.poll();
    await world.set(1, 2, HANDS.slice(0, 2));
    await world.poll();
    world.go(7 * DAY_S - 100);
    const shared = await world.final('2026-07-25');
    const lost = world.report('final', '2026-08-01');
    await world.publish(lost);
    await world.cosign(lost, HANDS[0], HANDS[2]);
    world.go(200);
    await world.poll();
    const row = onchainRow(world.ledger.shown, reportHash(nodeSha256, shared));
    assert.deepEqual(row?.cosigners, [HANDS[0].key, HANDS[1].key], 'who is in both sets counts');
    world.go(1900);
    await world.poll();
    assert.equal(onchainRow(world.ledger.shown, reportHash(nodeSha256, lost)), undefined);
    assert.match(world.reasons().join(), /2026-08-01 could be on chain since .*quorum is missing/);
    // The third of the new set signs late.
    await world.cosign(lost, HANDS[1]);
    await world.poll();
    assert.notEqual(onchainRow(world.ledger.shown, reportHash(nodeSha256, lost)), undefined);
    await world.end();
  },
);

test(
  'feeds: a later rule is registered in time, and one that comes too late is told of',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    await world.final();
    await world.rule({ version: 2, applies_from: '2026-08-01' });
    await world.poll();
    const firsts = async (): Promise<readonly number[] | undefined> =>
      (await world.client().feed(TICKER))?.account.rules.map(({ first }) => first);
    const [first, third] = ['2015-01-03', '2026-08-08'].map((day) => parseDate(day as never));
    assert.deepEqual(await firsts(), [first]);
    assert.match(world.reasons().join(), /cannot have its next rule: version 2 begins before/);
    await world.rule({ version: 3, applies_from: '2026-08-08' });
    await world.poll();
    assert.deepEqual(await firsts(), [first, third]);
    world.go(14 * DAY_S);
    const final = await world.final('2026-08-08');
    await world.poll();
    assert.notEqual(onchainRow(world.ledger.shown, reportHash(nodeSha256, final)), undefined);
    await world.end();
  },
);

test('feeds: an RPC of another chain posts nothing, and is named', { skip: SKIP }, async () => {
  const world = await FeedWorld.make({ chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' });
  world.goTo('2026-07-30T14:30:00Z');
  await world.final();
  await world.poll();
  assert.equal(world.ran(), 0);
  assert.match(
    world.reasons().join(),
    /Nothing is posted on chain: the RPC is of solana:\w{32}, and the log names solana:5eykt4/,
  );
  await world.end();
});

test(
  'feeds: a print that the log does not have is told of, and not written over',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    await world.final('2026-07-18');
    await world.poll();
    // Keys of the publisher and two co-signers were stolen.
    const foreign = world.report('final', WEEK, { value: '666' });
    const message = formatPrint(printOf(nodeSha256, foreign));
    const signatures = [
      { key: REPORT_SIGNER.publicKey, signature: REPORT_SIGNER.sign(message) },
      ...HANDS.slice(0, 2).map(({ key, sign }) => ({
        key: Uint8Array.from(Buffer.from(key, 'hex')),
        signature: Uint8Array.from(Buffer.from(sign(message), 'hex')),
      })),
    ];
    await world.client().publish(TICKER, message, signatures);
    world.go(700);
    await world.poll();
    assert.match(
      world.reasons().join(),
      new RegExp(
        `The final of LAYOFFS 2026-07-25 on chain, at \\w+, is of report ${reportHash(nodeSha256, foreign)}, which the log does not have`,
      ),
    );
    assert.equal(world.feeds.figures.differences, 1);
    const own = await world.final();
    const ran = world.ran();
    await world.poll();
    assert.equal(world.ran(), ran, 'nothing is sent');
    assert.match(world.reasons().join(), /The chain has another print in the place of the final/);
    assert.equal(onchainRow(world.ledger.shown, reportHash(nodeSha256, own)), undefined);
    await world.end();
  },
);

test(
  'feeds: a final that never can be posted is told of, by the next process too',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    await world.final('2026-07-18');
    await world.poll();
    const others = ['21', '22', '23']
      .map((seed) => handOf(seed.repeat(32)))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    await world.set(1, 2, others);
    await world.poll();
    world.go(7 * DAY_S - 100);
    await world.publish(world.report('provisional', '2026-07-25'));
    await world.final('2026-07-25');
    world.go(7200);
    await world.poll();
    const told = [
      'The final of LAYOFFS 2026-07-25 can never be posted on chain: its co-signers are replaced on chain.',
    ];
    assert.deepEqual(world.reasons(), told);
    assert.equal(world.feeds.figures.differences, 1);
    await world.feeds.stop();
    world.feeds = world.makeFeeds();
    await world.poll();
    assert.deepEqual(world.reasons(), told);
    await world.end();
  },
);

test(
  'feeds: a payer who is given lamports does not wait out the pauses',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make({ lamports: 0n });
    world.goTo('2026-07-30T14:30:00Z');
    await world.final();
    for (let i = 0; i < 100; i += 1) {
      await world.poll();
      world.go(60);
    }
    assert.match(world.reasons().join(), /does not take the feed of LAYOFFS: AccountNotFound/);
    world.chain.ledger.airdrop(addressOfKey(formatHex(PAYER.publicKey)), 10_000_000_000n);
    await world.poll();
    assert.equal(world.posted().length, 1);
    await world.end();
  },
);

test('feeds: what stops posting is reported as what it is', { skip: SKIP }, async (t) => {
  const path = join(await temporaryFolder(t), 'outgoing.json');
  await writeFile(path, '{"out":[');
  const world = await FeedWorld.make({ outgoing: new FileOutgoing(path) });
  world.goTo('2026-07-30T14:30:00Z');
  await world.final();
  world.feeds = world.makeFeeds();
  await world.poll();
  assert.match(
    world.reasons().join(),
    /^Posting on chain does not go on: outgoing.json, found wire JSON/,
  );
  assert.equal(world.ran(), 0);
  await world.end();
});

test('feeds: a stranger in the feed itself stops posting under it', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T14:30:00Z');
  await world.final('2026-07-18');
  await world.poll();
  const publisher = keySigner(REPORT_SIGNER);
  await world.client().addSet(publisher, TICKER, 1, [formatHex(PAYER.publicKey)]);
  const rule = '7'.repeat(64);
  await world.client().addRule(publisher, TICKER, rule, parseDate('2026-09-05' as never));
  world.go(700);
  await world.poll();
  const told = world.reasons().join();
  assert.match(told, /has co-signer sets that the log does not have/);
  assert.match(told, /has the rule 7{64} from 2026-09-05 on, which the log does not have/);
  await world.final();
  const ran = world.ran();
  await world.poll();
  assert.equal(world.ran(), ran);
  await world.end();
});

test('feeds: a Close and a co-signature that the log does not have', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T14:30:00Z');
  const final = await world.final();
  // Whoever holds the report posts it with a signature that is not in the log yet.
  await world.final('2026-07-18');
  await world.poll();
  const dissent = dissentMessage(printOf(nodeSha256, final));
  await world.client().dissent(TICKER, dissent, [
    {
      key: Uint8Array.from(Buffer.from(HANDS[2].key, 'hex')),
      signature: Uint8Array.from(Buffer.from(HANDS[2].sign(dissent), 'hex')),
    },
  ]);
  world.go(700);
  await world.poll();
  assert.match(world.reasons().join(), /has a dissent by [0-9a-f]{64}, of whom the log has none/);
  await world.dissent(final, HANDS[2]);
  world.go(700);
  await world.poll();
  assert.deepEqual(world.reasons(), []);
  await world.end();
});

test(
  'feeds: what somebody else brought is written down without a transaction',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    await world.final('2026-07-18');
    await world.poll();
    const final = await world.final();
    const message = formatPrint(printOf(nodeSha256, final));
    const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
    await world.client().publish(TICKER, message, [
      { key: REPORT_SIGNER.publicKey, signature: REPORT_SIGNER.sign(message) },
      ...HANDS.slice(0, 2).map(({ key, sign }) => ({
        key: hex(key),
        signature: hex(sign(message)),
      })),
    ]);
    await world.poll();
    const row = onchainRow(world.ledger.shown, reportHash(nodeSha256, final));
    assert.equal(row?.transaction, null);
    assert.equal(row.cosigners.length, 2);
    await world.end();
  },
);

test('feeds: the lamports of a day, and a payer that runs dry', { skip: SKIP }, async () => {
  const world = await FeedWorld.make({ limits: { dailyLamports: 90_000_000n } });
  world.goTo('2026-07-30T14:30:00Z');
  await world.final('2026-07-25');
  await world.final('2025-07-26');
  await world.poll();
  assert.equal(world.posted().length, 1, 'a second page is beyond the day');
  assert.match(world.reasons().join(), /The lamports of a day are spent \(0.09 SOL\)/);
  world.go(DAY_S);
  await world.poll();
  assert.equal(world.posted().length, 2);
  assert.doesNotMatch(world.reasons().join(), /lamports of a day/);
  await world.end();
  const poor = await FeedWorld.make({ lamports: 90_000_000n });
  poor.goTo('2026-07-30T14:30:00Z');
  await poor.final();
  await poor.poll();
  assert.equal(poor.posted().length, 1);
  assert.match(poor.reasons().join(), /payer of the chain has lamports for less than about a week/);
  await poor.end();
});

test(
  'feeds: without an answer it waits longer each time, and goes on when there is one',
  { skip: SKIP },
  async () => {
    let down = true;
    let calls = 0;
    const world = await FeedWorld.make({
      rpc: (chain) =>
        downRpc(chain, () => {
          calls += 1;
          return down;
        }),
    });
    world.goTo('2026-07-30T14:30:00Z');
    await world.final();
    await world.poll();
    assert.equal(calls, 1);
    await world.poll();
    assert.equal(calls, 1, 'it is not asked at once');
    for (let i = 0; i < 8; i += 1) {
      world.go(300);
      await world.poll();
    }
    assert.match(world.reasons().join(), /RPC of the chain does not answer/);
    assert.match(world.reasons().join(), /2026-07-25 could be on chain since/);
    down = false;
    world.go(300);
    await world.poll();
    assert.equal(world.posted().length, 1);
    assert.deepEqual(world.reasons(), []);
    await world.end();
  },
);

test(
  'feeds: a provisional that a ready final has overtaken is left for good',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T12:31:10Z');
    await world.publish(world.report('provisional'));
    world.goTo('2026-07-30T14:30:00Z');
    await world.final();
    await world.poll();
    assert.equal(world.posted().length, 1);
    assert.equal(world.feeds.progress.waiting, 0);
    await world.feeds.stop();
    world.feeds = world.makeFeeds();
    await world.poll();
    assert.equal(world.feeds.progress.waiting, 0, 'also by a process that knows nothing of it');
    await world.end();
  },
);

test(
  'feeds: whatever the RPC does, everything stands once in the end',
  { skip: SKIP },
  async () => {
    const trouble = fc.constantFrom<Trouble>(...TROUBLES.filter((each) => each !== 'crash'));
    const each = fc.array(trouble, { maxLength: 6 });
    const named = Object.fromEntries(TROUBLED.map((method) => [method, each] as const));
    await fc.assert(
      fc.asyncProperty(fc.record(named), async (given) => {
        const troubles = structuredClone(given) as Troubles;
        let time: FeedWorld | undefined;
        const clock = {
          get seconds() {
            return time?.seconds ?? 0;
          },
          set seconds(value: number) {
            if (time !== undefined) time.seconds = value;
          },
        };
        const world = await FeedWorld.make({
          rpc: (chain) => flakyRpc(chain, clock as unknown as TestTime, troubles),
        });
        time = world;
        world.goTo('2026-07-30T14:30:00Z');
        const final = await world.final();
        await world.dissent(final, HANDS[2]);
        const isTroubled = (): boolean =>
          Object.values(troubles).some((all = []) => all.length > 0);
        for (let i = 0; i < 60 && (i < 5 || isTroubled()); i += 1) {
          await world.poll();
          world.go(200);
        }
        for (const left of Object.values(troubles)) left?.splice(0);
        for (let i = 0; i < 3; i += 1) {
          world.go(4000);
          await world.poll();
        }
        assert.equal(world.posted().length, 1);
        assert.deepEqual(world.reasons(), []);
        const ran = world.chain.ledger.history
          .newest(1000)
          .filter(({ error, fee }) => error === null && fee > 5000n);
        assert.equal(ran.length, 3, 'feed, print and dissent');
        await world.end();
      }),
      { numRuns: 12, includeErrorInReport: true },
    );
  },
);

function downRpc(chain: DevelopmentChain, isDown: () => boolean): ChainRpc {
  return createSolanaRpcFromTransport(async <Response>({ payload }: { payload: unknown }) => {
    if (isDown()) throw new TypeError('fetch failed');
    await Promise.resolve();
    return answerRpc(payload, chain.methods) as Response;
  });
}
