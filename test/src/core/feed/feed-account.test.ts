import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FEED_BYTES,
  FEED_HEAD_BYTES,
  type FeedAccount,
  formatFeed,
  nextHashAt,
  parseFeed,
  parseFeedHead,
  publisherAt,
  ruleNumberOf,
  setNumberAt,
} from '@assay/core/feed/feed-account';
import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import fc from 'fast-check';
import { feedAccounts } from './arbitrary.ts';

const key = (digit: string): HashHex => digit.repeat(64) as HashHex;

const FEED: FeedAccount = {
  bump: 254,
  cadence: 'month',
  decimals: 1,
  ticker: 'CPI' as Ticker,
  genesis: key('1'),
  log: key('2'),
  series: key('3'),
  publisher: key('1'),
  nextHash: key('4'),
  recoveryHash: key('5'),
  rotation: { effective: 100n, coming: key('6'), afterHash: key('7') },
  latest: null,
  rules: [
    { hash: key('8'), first: 0, effective: 1n },
    { hash: key('9'), first: 59, effective: 50n },
  ],
  sets: [
    { effective: 1n, threshold: 1, keys: [key('a')] },
    { effective: 60n, threshold: 2, keys: [key('b'), key('c'), key('d')] },
  ],
};

test('feed account: what is formatted is parsed', () => {
  fc.assert(
    fc.property(feedAccounts, (feed) => {
      assert.deepEqual(parseFeed(formatFeed(feed)), feed);
    }),
    { numRuns: 50 },
  );
});

test('feed account: its head is read from its first bytes', () => {
  fc.assert(
    fc.property(feedAccounts, fc.nat(100), (feed, more) => {
      const bytes = formatFeed(feed);
      const { ticker, genesis, log } = feed;
      const head = { ticker, genesis, log, effective: feed.rules[0]?.effective };
      assert.deepEqual(parseFeedHead(bytes), head);
      assert.deepEqual(parseFeedHead(bytes.slice(0, FEED_HEAD_BYTES + more)), head);
    }),
  );
  assert.equal(FEED_HEAD_BYTES, 352);
  const bytes = formatFeed(FEED);
  assert.throws(
    () => parseFeedHead(bytes.slice(0, 351)),
    (error) => faultCode(error) === 'bad_length',
  );
  for (const at of [0, 7, 16]) {
    assert.throws(
      () => parseFeedHead(bytes.with(at, 1)),
      (error) => faultCode(error) === 'malformed',
    );
  }
});

test('feed account: bytes without a meaning are refused', () => {
  const refused = (at: number, value: number): void => {
    const bytes = formatFeed(FEED);
    bytes[at] = value;
    assert.throws(
      () => parseFeed(bytes),
      (error) => faultCode(error) === 'malformed',
      `byte ${at}`,
    );
  };
  refused(0, 0x41); // magic
  refused(9, 0); // cadence
  refused(9, 4);
  refused(11, 0); // rules used: one less than there are
  refused(11, 1);
  refused(11, 17);
  refused(12, 0); // sets used
  refused(12, 17);
  for (const at of [13, 14, 15, 300, 303]) refused(at, 1); // zero
  refused(16, 0x63); // ticker
  refused(20, 0x41); // ticker, behind its end
  refused(304 + 36, 1); // rule's zero
  refused(304 + 2 * 48, 1); // behind the last rule
  refused(1072 + 8, 0); // a set without keys
  refused(1072 + 8, 9);
  refused(1072 + 10, 1); // set's zero
  refused(1072 + 16 + 32, 1); // behind the last key
  refused(FEED_BYTES - 1, 1);
  const bytes = formatFeed({ ...FEED, rotation: null });
  bytes[232] = 1;
  assert.throws(
    () => parseFeed(bytes),
    (error) => faultCode(error) === 'malformed',
  );
  assert.throws(
    () => parseFeed(bytes.subarray(1)),
    (error) => faultCode(error) === 'bad_length',
  );
});

test('feed account: who publishes, which rule and which set at a time', () => {
  assert.deepEqual([publisherAt(FEED, 99n), publisherAt(FEED, 100n)], [key('1'), key('6')]);
  assert.deepEqual([nextHashAt(FEED, 99n), nextHashAt(FEED, 100n)], [key('4'), key('7')]);
  assert.equal(publisherAt({ ...FEED, rotation: null }, 1000n), key('1'));
  assert.deepEqual(
    [-1, 0, 58, 59, 90].map((period) => ruleNumberOf(FEED, period)),
    [undefined, 0, 0, 1, 1],
  );
  assert.deepEqual(
    [0n, 1n, 59n, 60n].map((now) => setNumberAt(FEED, now)),
    [undefined, 0, 0, 1],
  );
});
