import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { formatPrint, printOf } from '@assay/core/report/print';
import { type Report, reportHash } from '@assay/core/report/report';
import { parseDate } from '@assay/core/time/time';
import { onchainRow } from '@assay/core/view/onchain';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { SKIP } from '../../chain/development/world.ts';
import { type Hand, HANDS } from '../../core/fixture/cosigner-fixture.ts';
import { REPORT_SIGNER } from '../ledger/ledger-fixture.ts';
import { FeedWorld, TICKER, WEEK } from './feed-world.ts';

const hashOf = (report: Report): ReturnType<typeof reportHash> => reportHash(nodeSha256, report);

/** Keys that the chain shows as co-signers of what settles a week. */
async function shown(world: FeedWorld, period = WEEK): Promise<readonly string[]> {
  const client = world.client();
  const feed = await client.feed(TICKER);
  assert.ok(feed !== undefined);
  const place = pagePlace(ordinalOf('week_ending_saturday', parseDate(period as never)));
  const page = await client.page(feed.address, place.index);
  const bits = page?.account.slots[place.slot]?.settled?.cosigners ?? 0;
  return (feed.account.sets[0]?.keys ?? []).filter((_, i) => ((bits >> i) & 1) === 1);
}

/** A world with a feed, and a final of the week with these agreements. */
async function settled(
  hands: readonly Hand[],
  options: Parameters<typeof FeedWorld.make>[0] = {},
): Promise<{ world: FeedWorld; final: Report }> {
  const world = await FeedWorld.make(options);
  world.goTo('2026-07-30T14:30:00Z');
  const final = world.report('final');
  await world.publish(final);
  await world.cosign(final, ...hands);
  return { world, final };
}

/** Somebody else brings a print with these co-signers. */
async function relay(world: FeedWorld, report: Report, hands: readonly Hand[]): Promise<void> {
  const message = formatPrint(printOf(nodeSha256, report));
  await world.client().publish(TICKER, message, [
    { key: REPORT_SIGNER.publicKey, signature: REPORT_SIGNER.sign(message) },
    ...hands.map(({ key, sign }) => ({
      key: parseHex(key, 32),
      signature: parseHex(sign(message), 64),
    })),
  ]);
}

test(
  'a co-signature after the print is brought, once, and the entry stays',
  { skip: SKIP },
  async () => {
    const { world, final } = await settled(HANDS.slice(0, 2));
    await world.poll();
    const [ada, ben, cy] = HANDS.map(({ key }) => key);
    assert.deepEqual(await shown(world), [ada, ben]);
    await world.cosign(final, ...HANDS.slice(2));
    const ran = world.ran();
    await world.poll();
    assert.deepEqual(await shown(world), [ada, ben, cy]);
    assert.deepEqual(onchainRow(world.ledger.shown, hashOf(final))?.cosigners, [ada, ben]);
    assert.equal(world.ran(), ran + 1);
    assert.ok((world.spent.get('cosign fee') ?? 0n) > 0n);
    await world.poll();
    assert.equal(world.ran(), ran + 1);
    assert.deepEqual((await world.outgoing.get()).out, []);
    assert.deepEqual(world.reasons(), []);
    await world.end();
  },
);

test('what a relayer left out is added where the log has it', { skip: SKIP }, async () => {
  const { world, final } = await settled([], {});
  await world.final('2026-07-18');
  await world.poll();
  await world.cosign(final, ...HANDS);
  // He is first, with as few as the chain takes.
  await relay(world, final, HANDS.slice(0, 2));
  assert.equal((await shown(world)).length, 2);
  await world.poll();
  assert.equal((await shown(world)).length, 3);
  const row = onchainRow(world.ledger.shown, hashOf(final));
  assert.equal(row?.cosigners.length, 3);
  assert.equal(row.transaction, null, 'what added to it did not bring it');
  await world.end();
});

test(
  'what lacks a co-signature when a process ends is brought by the next',
  { skip: SKIP },
  async () => {
    const { world, final } = await settled(HANDS.slice(0, 2));
    await world.poll();
    await world.cosign(final, ...HANDS.slice(2));
    await world.feeds.stop();
    world.feeds = world.makeFeeds();
    await world.poll();
    assert.equal((await shown(world)).length, 3);
    // One more start finds nothing to do.
    await world.feeds.stop();
    const ran = world.ran();
    world.feeds = world.makeFeeds();
    await world.poll();
    assert.equal(world.ran(), ran);
    await world.end();
  },
);

test('the rest of a set is waited for, so long and no longer', { skip: SKIP }, async () => {
  const limits = { gatherS: 120 };
  const { world, final } = await settled(HANDS.slice(0, 2), { limits });
  await world.poll();
  assert.deepEqual(world.posted(), []);
  world.go(119);
  await world.poll();
  assert.deepEqual(world.posted(), []);
  world.go(1);
  await world.poll();
  assert.equal(onchainRow(world.ledger.shown, hashOf(final))?.cosigners.length, 2);

  const all = await world.final('2026-07-18');
  await world.dissent(all, HANDS[2]);
  await world.poll();
  assert.notEqual(onchainRow(world.ledger.shown, hashOf(all)), undefined, 'all have been heard');
  await world.end();
});

test('for a provisional no co-signature is brought', { skip: SKIP }, async () => {
  const world = await FeedWorld.make();
  world.goTo('2026-07-30T12:31:10Z');
  const provisional = world.report('provisional');
  await world.publish(provisional);
  await world.poll();
  await world.cosign(provisional, ...HANDS);
  const ran = world.ran();
  await world.poll();
  assert.equal(world.ran(), ran);
  await world.end();
});
