import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import type { ChainRecord } from '@assay/core/feed/record';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { printOf, seriesId } from '@assay/core/report/print';
import { type Report, reportHash } from '@assay/core/report/report';
import { parseDate } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import { ruleVersions } from '@assay/core/view/rules';
import {
  closeDifferences,
  feedDifferences,
  pageDifferences,
} from '@assay/node/feed/feed-difference';
import {
  cosignOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../../core/fixture/cosigner-fixture.ts';
import { layoffsRule, type SampleLog, sha256 } from '../../core/fixture/fixture.ts';
import { TICKER } from './feed-world.ts';

const ADDRESS = 'A'.repeat(32);

function world(): { log: SampleLog; report: Report; feed: FeedAccount } {
  const log = recountedLog();
  const rule = layoffsRule({ applies_from: '2015-01-03' });
  log.append('rule/1', { rule });
  const row = logRow(log.views);
  const [first] = ruleVersions(log.views, TICKER);
  assert.ok(row !== undefined && first !== undefined);
  const report = recountedReport('final', { log: row.log, rule: { hash: first.hash, version: 1 } });
  log.append('report/1', { report, signature: '1'.repeat(128) });
  log.append('cosign/1', cosignOf(report, HANDS[0]));
  const feed = {
    cadence: rule.period,
    decimals: rule.decimals,
    ticker: TICKER,
    log: row.log,
    series: formatHex(seriesId(sha256, row.log, TICKER)),
    publisher: row.report_key,
    nextHash: row.next_report_key_sha256,
    recoveryHash: row.recovery_key_sha256,
    rotation: null,
    rules: [{ hash: first.hash, first: parseDate(rule.applies_from), effective: 0n }],
    sets: [{ effective: 0n, threshold: 2, keys: HANDS.map(({ key }) => key) }],
  } as unknown as FeedAccount;
  return { log, report, feed };
}

test('feed difference: every field that a log says has its sentence', () => {
  const { log, feed } = world();
  const said = (change: Partial<FeedAccount>): string =>
    feedDifferences(
      { state: log.views, sha256, ticker: TICKER, address: ADDRESS },
      { ...feed, ...change },
    ).join(' | ');
  assert.equal(said({}), '');
  const other = '9'.repeat(64) as HashHex;
  const begin = `The feed of LAYOFFS at ${ADDRESS} has`;
  for (const [change, words] of [
    [{ log: other }, `the log ${other}`],
    [{ series: other }, `the series ${other}`],
    [{ publisher: other }, `the publisher ${other}`],
    [{ nextHash: other }, `the commitment to the next key ${other}`],
    [{ recoveryHash: other }, `the commitment to the recovery key ${other}`],
    [{ cadence: 'month' }, 'the cadence month'],
    [{ decimals: 3 }, '3 decimals'],
    [
      { rotation: { effective: 1n, coming: other, afterHash: other } },
      `a change of its key to ${other}`,
    ],
    [{ rules: [{ hash: other, first: 2, effective: 0n }] }, `the rule ${other} from 1970-01-03 on`],
    [
      { rules: [{ ...feed.rules[0], first: 2 }] },
      `the rule ${feed.rules[0]?.hash} from 1970-01-03 on`,
    ],
    [
      { sets: [{ effective: 0n, threshold: 3, keys: HANDS.map(({ key }) => key) }] },
      'co-signer sets',
    ],
  ] as const) {
    assert.ok(said(change as never).startsWith(`${begin} ${words}`), said(change as never));
  }
});

test('feed difference: a record, its report, its co-signers', () => {
  const { log, report, feed } = world();
  const { value, publishedAt, status, decimals, settleable, withheld, issue } = printOf(
    sha256,
    report,
  );
  const record: ChainRecord = {
    value,
    publishedAt,
    status,
    decimals,
    settleable,
    withheld,
    issue,
    report: reportHash(sha256, report),
    rule: 0,
    set: 0,
    cosigners: 0b001,
    dissents: 0,
    slot: 5n,
  };
  const said = (change: Partial<ChainRecord>): string => {
    const slot = {
      period: parseDate(report.period),
      provisional: null,
      settled: { ...record, ...change },
      corrected: null,
      dissent: false,
    };
    const page = { bump: 0, index: 92, feed: '0'.repeat(64) as never, slots: [null, slot] };
    return pageDifferences(
      { state: log.views, sha256, ticker: TICKER, address: ADDRESS },
      feed,
      page,
    ).join(' | ');
  };
  assert.equal(said({}), '');
  assert.match(
    said({ report: '9'.repeat(64) as never }),
    /is of report 9{64}, which the log does not have/,
  );
  assert.match(said({ value: value + 1n }), /is not what report [0-9a-f]{64} says/);
  assert.match(said({ issue: 1 }), /is not what/);
  assert.match(
    said({ cosigners: 0b011 }),
    new RegExp(`is co-signed by ${HANDS[1].key}, of whom the log has no agreement`),
  );
  assert.match(said({ dissents: 0b001 }), new RegExp(`has a dissent by ${HANDS[0].key}`));
});

test('feed difference: versions of a Close are in the order of the log', () => {
  const { log } = world();
  const day = '2026-07-30';
  const close = {
    bump: 0,
    day: parseDate(day as never),
    feed: '0',
    log: '0',
    slot: 1n,
  } as never as Parameters<typeof closeDifferences>[1];
  const words = closeDifferences(
    { state: log.views, address: ADDRESS },
    { ...close, hashes: ['9'.repeat(64) as never] },
  );
  assert.deepEqual(words, [
    `The Close of ${day} on chain, at ${ADDRESS}, has ${'9'.repeat(64)}, which the log does not have.`,
  ]);
});
