import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerRpc } from '@assay/chain/development/json-rpc';
import { parseBase64 } from '@assay/core/bytes/base64';
import { parseHex } from '@assay/core/bytes/hex';
import { PAGE_BYTES } from '@assay/core/feed/page-account';
import { formatPrint, printOf } from '@assay/core/report/print';
import { reportHash } from '@assay/core/report/report';
import { onchainRow } from '@assay/core/view/onchain';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { createSolanaRpcFromTransport } from '@solana/kit';
import { SKIP } from '../../chain/development/world.ts';
import { HANDS } from '../../core/fixture/cosigner-fixture.ts';
import { REPORT_SIGNER } from '../ledger/ledger-fixture.ts';
import { FeedWorld, ruleAt, TICKER, WEEK } from './feed-world.ts';

test(
  'poster: what the chain does not take is told, and tried again later',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    await world.final('2026-07-18');
    await world.poll();
    // A report that says another number of decimals than its rule: the chain refuses, the verifier too.
    await world.final(WEEK, { decimals: 2 });
    await world.poll();
    assert.match(
      world.reasons().join(),
      /The chain does not take the final of LAYOFFS 2026-07-25: bad_decimals\./,
    );
    assert.equal(world.feeds.figures.differences, 1);
    const told = world.told.length;
    await world.poll();
    assert.equal(world.told.length, told, 'not at once again');
    world.go(31);
    await world.poll();
    assert.equal(world.told.length, told + 1);
    // It bars nothing but itself.
    await world.final('2026-07-11');
    await world.poll();
    assert.equal(world.posted().length, 2);
    await world.end();
  },
);

test('poster: a poll has an end, and the next one goes on', { skip: SKIP }, async () => {
  const world = await FeedWorld.make({ limits: { mostPerPoll: 2 } });
  world.goTo('2026-07-30T14:30:00Z');
  for (const period of ['2026-07-11', '2026-07-18', '2026-07-25']) await world.final(period);
  await world.poll();
  assert.equal(world.posted().length, 1, 'a feed and a print');
  await world.poll();
  assert.equal(world.posted().length, 3);
  await world.end();
});

test('poster: what is wrong with one print stops nothing else', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T14:30:00Z');
  const final = await world.final('2026-07-18');
  await world.poll();
  // No ledger takes such a rule: a page cannot tell where its periods belong.
  const { hash, rule } = ruleAt(world.ledger.tip, WEEK) ?? {};
  assert.ok(hash !== undefined && rule !== undefined);
  await world.final('2026-07-22', { rule: { hash, version: rule.version } });
  await world.close('2026-07-29', reportHash(nodeSha256, final));
  await world.final(WEEK);
  await world.poll();
  assert.deepEqual(
    world.posted().map(({ of, period }) => [of, period]),
    [
      ['print', '2026-07-18'],
      ['print', WEEK],
      ['close', '2026-07-29'],
    ],
  );
  assert.match(
    world.reasons().join(),
    /Assay cannot bring a print of LAYOFFS 2026-07-22 to the chain: the index is weekly, and its periods end on a Saturday/,
  );
  assert.doesNotMatch(world.reasons().join(), /does not answer/);
  await world.end();
});

test('poster: one stale page does not lose a dissent', { skip: SKIP }, async () => {
  let stale = false;
  const world = await FeedWorld.make({
    rpc: (chain) =>
      createSolanaRpcFromTransport(async <Response>({ payload }: { payload: unknown }) => {
        await Promise.resolve();
        const answer = answerRpc(payload, chain.methods);
        const { value } = ((answer as { result?: unknown }).result ?? {}) as { value?: unknown };
        if (stale && Array.isArray(value)) {
          for (const [i, each] of value.entries()) {
            const data = (each as { data?: unknown } | null)?.data;
            const text: unknown = Array.isArray(data) ? data[0] : undefined;
            const isPage = typeof text === 'string' && parseBase64(text).length === PAGE_BYTES;
            if (isPage) value[i] = null;
          }
        }
        return answer as Response;
      }),
  });
  world.goTo('2026-07-30T14:30:00Z');
  const final = await world.final();
  await world.poll();
  await world.dissent(final, HANDS[2]);
  stale = true;
  await world.poll();
  stale = false;
  world.go(60);
  await world.poll();
  const feed = (await world.client().feed(TICKER))?.address;
  assert.ok(feed !== undefined);
  const page = await world.client().page(feed, 92);
  assert.equal(page?.account.slots.find((slot) => slot !== null)?.settled?.dissents, 0b100);
  await world.end();
});

test('poster: who co-signed on chain alone is not in the entry', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T14:30:00Z');
  await world.final('2026-07-18');
  await world.poll();
  const final = await world.final(WEEK);
  // A relayer has a signature that the log has not.
  const message = formatPrint(printOf(nodeSha256, final));
  await world.client().publish(TICKER, message, [
    { key: REPORT_SIGNER.publicKey, signature: REPORT_SIGNER.sign(message) },
    ...HANDS.map(({ key, sign }) => ({
      key: parseHex(key, 32),
      signature: parseHex(sign(message), 64),
    })),
  ]);
  await world.poll();
  const row = onchainRow(world.ledger.shown, reportHash(nodeSha256, final));
  assert.deepEqual(
    row?.cosigners,
    HANDS.slice(0, 2).map(({ key }) => key),
  );
  await world.end();
});
