import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '@assay/core/rule/rule';
import type { HashHex } from '@assay/core/hash/hash';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import { formatHex } from '@assay/core/bytes/hex';
import { formatDate, parseTime, type TimeText } from '@assay/core/time/time';
import { firstOnChain, unloggedIn } from '@assay/verifier/feed/feed-check';
import { accountsOf, chained, keyOf, lookupOf, TICKER } from '../fixture/chained-log.ts';
import { testSigner } from '../../node/ledger/ledger-fixture.ts';
import { judgeSite, siteOf } from '../fixture/published.ts';

test('a rule on chain begins with its first period, from 1970 on', () => {
  for (const [period, from, first] of [
    ['week_ending_saturday', '2015-01-03', '2015-01-03'],
    ['week_ending_saturday', '2015-01-04', '2015-01-10'],
    ['week_ending_saturday', '1967-01-07', '1970-01-03'],
    ['utc_day', '2026-02-28', '2026-02-28'],
    ['utc_day', '1900-01-01', '1970-01-01'],
    ['month', '2026-03-01', '2026-03-01'],
    ['month', '2026-03-02', '2026-04-01'],
    ['month', '2026-12-31', '2027-01-01'],
  ] as const) {
    const rule = { period, applies_from: from } as unknown as Rule;
    assert.equal(formatDate(firstOnChain(rule)), first, `${period} ${from}`);
  }
});

test('a set that the log lacks came after its newest entry, as far as two clocks agree, or is a finding', async () => {
  // The newest entry says 2026-08-07T00:10:00Z, and a set waits a week.
  for (const [time, outcome] of [
    ['2026-08-13T22:10:00Z', 'findings'],
    ['2026-08-13T22:10:01Z', 'verified'],
    ['2026-08-14T00:10:01Z', 'verified'],
  ] as const) {
    const log = chained();
    const set = { threshold: 1, keys: [keyOf('ada')] };
    log.accounts.feed.sets.push({ ...set, effective: BigInt(parseTime(time)) });
    const chain = lookupOf(accountsOf(log));
    const verdict = await judgeSite(siteOf(log.published), {}, { chain });
    assert.equal(verdict.outcome, outcome, time);
    if (verdict.outcome !== 'verified') continue;
    assert.equal(verdict.onchain?.newer, 1);
    const named = verdict.not_checked.map(({ what }) => what);
    assert.ok(named.includes('1 rules and co-signer sets on chain that the log does not have'));
  }
});

test('what of a feed the log does not have, by number', () => {
  const { published, accounts } = chained();
  const { feed } = accounts;
  const numbers = (): readonly (readonly number[])[] => {
    const { rules, sets } = unloggedIn(feed as FeedAccount, TICKER, published.views);
    return [[...rules], [...sets]];
  };
  assert.deepEqual(numbers(), [[], []]);
  feed.sets.unshift({ threshold: 1, keys: [keyOf('ada')], effective: 1n });
  feed.rules.push({ hash: 'ab'.repeat(32) as HashHex, first: 1, effective: 1n });
  assert.deepEqual(numbers(), [[1], [0]]);
});

test('a rotation on chain that the log has promised is reported; later without its entry, or to another key, it is a finding', async () => {
  // The newest entry says 2026-08-07T00:10:00Z.
  const promised = formatHex(testSigner(3).publicKey) as HashHex;
  for (const [coming, effective, outcome] of [
    [promised, '2026-08-10T00:00:00Z', 'verified'],
    [promised, '2026-07-31T00:10:01Z', 'verified'],
    [promised, '2026-07-31T00:10:00Z', 'findings'],
    [keyOf('dora'), '2026-08-10T00:00:00Z', 'findings'],
  ] as const) {
    const log = chained();
    log.accounts.feed.rotation = {
      effective: BigInt(parseTime(effective as TimeText)),
      coming,
      afterHash: 'ab'.repeat(32) as HashHex,
    };
    const verdict = await judgeSite(
      siteOf(log.published),
      {},
      { chain: lookupOf(accountsOf(log)) },
    );
    assert.equal(verdict.outcome, outcome, `${coming} ${effective}`);
    if (verdict.outcome === 'verified') {
      const told = verdict.not_checked.map(({ what }) => what);
      assert.ok(
        told.some((what) => what.startsWith("a change of the publisher's key")),
        effective,
      );
    }
  }
});
