import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import { formatDate, parseDate, type TimeText, parseTime, toDate } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import { ruleVersions } from '@assay/core/view/rules';
import { firstPeriodOf, initialFeed, nextRule, nextSet, setsOf } from '@assay/node/feed/feed-plan';
import {
  CHAIN_GENESIS,
  cosignerSet,
  HANDS,
  OTHER_PROMISES,
} from '../../core/fixture/cosigner-fixture.ts';
import { layoffsRule, SampleLog } from '../../core/fixture/fixture.ts';
import { TICKER } from './feed-world.ts';

const NOW = parseTime('2026-07-30T14:30:00Z' as TimeText);

/** A log with two versions of its rule and as many sets; the last set waits. */
function log(): SampleLog {
  const made = new SampleLog();
  made.append('genesis/1', { ...CHAIN_GENESIS, ...OTHER_PROMISES }, '2026-01-01T00:00:00Z');
  for (const [version, from] of [
    [1, '2015-01-03'],
    [2, '2026-08-01'],
  ] as const) {
    made.append(
      'rule/1',
      { rule: layoffsRule({ version, applies_from: from }) },
      '2026-01-01T00:00:00Z',
    );
  }
  made.append('cosigners/1', cosignerSet(), '2026-01-01T00:00:00Z');
  made.append('cosigners/1', two(1), '2026-02-01T00:00:00Z');
  made.append('cosigners/1', cosignerSet({ number: 2 }), '2026-07-29T00:00:00Z');
  return made;
}

const two = (number: number): ReturnType<typeof cosignerSet> =>
  cosignerSet({
    number,
    cosigners: HANDS.slice(0, 2).map(({ key }, i) => ({ name: `recounter-${i + 1}`, key })),
  });

const keys = (count: number): FeedAccount['sets'][number]['keys'] =>
  HANDS.slice(0, count).map(({ key }) => key) as never;

function feed(change: Partial<FeedAccount> = {}): FeedAccount {
  const [rule] = ruleVersions(log().views, TICKER);
  const first = {
    hash: rule?.hash as never,
    first: parseDate(toDate('2015-01-03')),
    effective: 0n,
  };
  const effective = BigInt(parseTime('2026-02-10T00:00:00Z' as TimeText));
  return {
    rules: [first],
    sets: [{ effective, threshold: 2, keys: keys(2) }],
    latest: null,
    ...change,
  } as FeedAccount;
}

test('feed plan: the first period of a rule is the one that it applies from', () => {
  const rule = layoffsRule({ applies_from: '2026-07-25' });
  assert.equal(formatDate(firstPeriodOf(rule)), '2026-07-25');
});

test('feed plan: a feed begins with the rule of the oldest print, and the newest set in force', () => {
  const { views } = log();
  const row = logRow(views);
  assert.ok(row !== undefined);
  const versions = ruleVersions(views, TICKER);
  const made = initialFeed(views, row, TICKER, versions[1]?.hash, NOW);
  assert.equal(made?.rule, versions[1]?.hash);
  assert.equal(made?.first, parseDate(toDate('2026-08-01')));
  assert.deepEqual(made?.cosigners, keys(2));
  assert.equal(made?.nextHash, row.next_report_key_sha256);
  // No print yet: the first rule, while no other has come into force.
  assert.equal(initialFeed(views, row, TICKER, undefined, NOW)?.rule, versions[0]?.hash);
  const early = parseTime('2025-12-31T00:00:00Z' as TimeText);
  assert.equal(initialFeed(views, row, TICKER, undefined, early), undefined, 'no set in force');
});

test('feed plan: the next rule is barred too late', () => {
  const { views } = log();
  const versions = ruleVersions(views, TICKER);
  const begins = parseTime('2026-08-01T00:00:00Z' as TimeText);
  const week = 7 * 86_400;
  assert.deepEqual(nextRule(views, TICKER, feed(), begins - week), {
    hash: versions[1]?.hash,
    first: parseDate(toDate('2026-08-01')),
    barred: undefined,
  });
  const late = feed({ latest: parseDate(toDate('2026-08-01')) });
  const barred = (now: number): string | undefined => nextRule(views, TICKER, feed(), now)?.barred;
  assert.match(barred(begins - week + 1) ?? '', /version 2 begins before the chain would have it/);
  assert.equal(barred(begins - 400 * 86_400), undefined);
  assert.equal(
    nextRule(views, TICKER, feed(), begins - 400 * 86_400 - 1),
    undefined,
    'not in sight',
  );
  assert.match(
    nextRule(views, TICKER, late, begins - week)?.barred ?? '',
    /version 2 begins before/,
  );
  const unknown = feed({ rules: [{ hash: '7'.repeat(64) as never, first: 2, effective: 0n }] });
  assert.equal(nextRule(views, TICKER, unknown, begins - week), undefined);
});

test('feed plan: sets of a feed are distinguished by when it was made, though two are alike', () => {
  const { views } = log();
  assert.deepEqual(
    setsOf(views, feed())?.map(({ number }) => number),
    [1],
  );
  assert.equal(nextSet(views, feed())?.number, 2);
  const begun = (time: string): FeedAccount =>
    feed({
      sets: [{ effective: BigInt(parseTime(time as TimeText)), threshold: 2, keys: keys(3) }],
    });
  assert.equal(nextSet(views, begun('2026-01-02T00:00:00Z'))?.number, 1);
  assert.equal(nextSet(views, begun('2026-08-10T00:00:00Z')), undefined);
  const strange = feed({ sets: [{ effective: 0n, threshold: 1, keys: keys(1) }] });
  assert.equal(setsOf(views, strange), undefined);
  assert.equal(nextSet(views, strange), undefined);
});
