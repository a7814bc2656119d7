import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import type { HashHex } from '@assay/core/hash/hash';
import { parseTime } from '@assay/core/time/time';
import { formatHex } from '@assay/core/bytes/hex';
import { type FeedAccount, formatFeed } from '@assay/core/feed/feed-account';
import type { Ticker } from '@assay/core/rule/ticker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { AccountBytes, ChainLookup, FeedListing } from '@assay/verifier/feed/chain-lookup';
import { FeedAddresses } from '@assay/core/feed/program-address';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { REPORT_SIGNER } from '../../node/ledger/ledger-fixture.ts';
import {
  accountsOf,
  chained,
  feedsAmong,
  fileOf,
  lookupOf,
  PROGRAM,
  READ_SLOT,
  TICKER,
} from '../fixture/chained-log.ts';
import { codesOf, folderOf, judgeFolder, judgeSite, siteOf } from '../fixture/published.ts';

const honest = chained();
const accounts: ReadonlyMap<string, AccountBytes> = accountsOf(honest);
const own = honest.accounts.feed as FeedAccount;
const GENESIS = formatHex(REPORT_SIGNER.publicKey);
const addresses = new FeedAddresses(nodeSha256, PROGRAM, GENESIS);
const MORE =
  /^whether there are more feeds on chain under the key [0-9a-f]{64} than the log names$/;

function judged(chain: ChainLookup): Promise<Verdict> {
  return judgeSite(siteOf(honest.published), {}, { chain });
}

/** The chain with one more feed, of `ticker` at `address` or where it belongs. */
function withFeed(
  ticker: string,
  change: Partial<FeedAccount> = {},
  address: string = addresses.feed(ticker as Ticker).address,
): ReadonlyMap<string, AccountBytes> {
  const data = formatFeed({ ...own, ticker: ticker as Ticker, ...change });
  return new Map([...accounts, [address, { owner: PROGRAM, data, slot: READ_SLOT }]]);
}

function reservationsOf(verdict: Verdict): readonly { class: string; what: string; why: string }[] {
  if (verdict.outcome === 'incomplete') return assert.fail(JSON.stringify(verdict));
  return verdict.not_checked.filter(({ what }) => MORE.test(what));
}

test('listed feeds: one of a ticker that the log has no rule for is a finding', async () => {
  const verdict = await judged(lookupOf(withFeed('FAKE')));
  assert.equal(verdict.outcome, 'findings');
  assert.deepEqual(codesOf(verdict), ['feed_unknown']);
  const [finding] = verdict.outcome === 'findings' ? verdict.findings : [];
  assert.deepEqual(
    [finding?.place, finding?.found],
    [`chain feed ${addresses.feed('FAKE' as Ticker).address}`, 'FAKE'],
  );
  assert.equal((await judged(lookupOf(accounts))).outcome, 'verified');
});

test('listed feeds: one of another log under the same key, and a second one of a ticker, are findings', async () => {
  const other = 'ab'.repeat(32) as HashHex;
  assert.deepEqual(codesOf(await judged(lookupOf(withFeed('FAKE', { log: other })))), [
    'feed_unknown',
  ]);
  const second = addresses.feed('FAKE' as Ticker).address;
  assert.deepEqual(codesOf(await judged(lookupOf(withFeed(TICKER, {}, second)))), ['feed_unknown']);
});

test('listed feeds: what is no feed of the program and the key is a finding, too', async () => {
  const [feed] = feedsAmong(accounts, PROGRAM, GENESIS);
  if (feed === undefined) return assert.fail();
  for (const change of [
    { owner: '1'.repeat(32) },
    { data: feed.data.slice(0, 100) },
    { data: new Uint8Array(feed.data.length) },
    { data: feed.data.with(40, (feed.data[40] ?? 0) ^ 1) },
  ]) {
    const listing: FeedListing = { feeds: [{ ...feed, ...change }], incomplete: undefined };
    const verdict = await judged(lookupOf(accounts, { feeds: () => Promise.resolve(listing) }));
    assert.deepEqual(codesOf(verdict), ['feed_differs']);
  }
});

test('listed feeds: one that was made after the log was read is newer', async () => {
  const [rule] = own.rules;
  if (rule === undefined) return assert.fail();
  const rules = [{ ...rule, effective: rule.effective + 100n * 86_400n }];
  const verdict = await judged(lookupOf(withFeed('LATER', { rules })));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict));
  if (verdict.outcome !== 'verified') return;
  assert.equal(verdict.onchain?.newer, 1);
  assert.equal(verdict.reservations.newer_feeds, 1);
  const named = verdict.not_checked.filter(({ what }) => what.includes('LATER'));
  assert.deepEqual(
    named.map(({ class: cls }) => cls),
    ['chain'],
  );
  // No later entry makes it this log's.
  const other = withFeed('LATER', { rules, log: 'ab'.repeat(32) as HashHex });
  assert.deepEqual(codesOf(await judged(lookupOf(other))), ['feed_unknown']);
});

test('listed feeds: a live log that has stopped is held to the clock, and a copy to its own time', async () => {
  const [rule] = own.rules;
  if (rule === undefined) return assert.fail();
  const day = 86_400;
  const clock = parseTime(parseEntry(honest.published.entries.at(-1) as Uint8Array).at) + 108 * day;
  const madeAt = (effective: number): ChainLookup =>
    lookupOf(withFeed('FAKE', { rules: [{ ...rule, effective: BigInt(effective) }] }));
  const site = siteOf(honest.published);
  const live = (effective: number): Promise<Verdict> =>
    judgeSite(site, {}, { chain: madeAt(effective), now: clock });
  for (const effective of [clock - 107 * day, clock - 7201]) {
    assert.deepEqual(codesOf(await live(effective)), ['feed_unknown'], `${effective}`);
  }
  // As far as the clocks agree it may have been made just now; the first line counts it.
  const young = await live(clock - 7199);
  assert.equal(young.outcome, 'verified');
  assert.equal(young.reservations.newer_feeds, 1);
  const copy = await judgeFolder(
    folderOf(honest.published),
    {},
    { chain: madeAt(clock - 107 * day), now: clock },
  );
  assert.equal(copy.outcome, 'verified', JSON.stringify(copy));
  assert.equal(copy.reservations.newer_feeds, 1);
  const honestly = await judgeSite(site, {}, { chain: lookupOf(accounts), now: clock });
  assert.equal(honestly.outcome, 'verified', JSON.stringify(honestly));
  assert.equal(honestly.reservations.newer_feeds, 0);
});

test('listed feeds: who does not list them all is named, in the class of the chain', async () => {
  const refuses: FeedListing = { feeds: [], incomplete: 'rpc.example does not list them: no' };
  const refused = await judged(lookupOf(accounts, { feeds: () => Promise.resolve(refuses) }));
  assert.equal(refused.outcome, 'verified');
  assert.deepEqual(
    reservationsOf(refused).map((each) => [each.class, each.why]),
    [['chain', 'rpc.example does not list them: no']],
  );
  assert.equal(reservationsOf(await judged(fileOf(accounts))).length, 1);
  assert.deepEqual(reservationsOf(await judged(lookupOf(accounts))), []);
  // What is listed counts, whatever is not.
  const feeds = feedsAmong(withFeed('FAKE'), PROGRAM, GENESIS);
  const some: FeedListing = { feeds, incomplete: 'no more than these' };
  const found = await judged(lookupOf(accounts, { feeds: () => Promise.resolve(some) }));
  assert.deepEqual(codesOf(found), ['feed_unknown']);
  assert.equal(reservationsOf(found).length, 1);
});

test('listed feeds: a flood of them is bounded, and reported as one', async () => {
  const [feed] = feedsAmong(withFeed('FAKE'), PROGRAM, GENESIS).filter(
    ({ address }) => address === addresses.feed('FAKE' as Ticker).address,
  );
  if (feed === undefined) return assert.fail();
  const feeds = Array.from({ length: 5000 }, () => feed);
  const flooded = await judged(
    lookupOf(accounts, { feeds: () => Promise.resolve({ feeds, incomplete: undefined }) }),
  );
  assert.equal(flooded.outcome, 'findings');
  assert.deepEqual(
    reservationsOf(flooded).map(({ why }) => why),
    ['there are 5000'],
  );
});
