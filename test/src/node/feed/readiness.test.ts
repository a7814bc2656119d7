import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import type { ReportRow } from '@assay/core/view/reports';
import { reportsOf } from '@assay/core/view/reports';
import { ruleVersions } from '@assay/core/view/rules';
import { parseDate, toDate } from '@assay/core/time/time';
import { readiness } from '@assay/node/feed/readiness';
import {
  cosignOf,
  cosignerSet,
  HANDS,
  recountedLog,
  recountedReport,
} from '../../core/fixture/cosigner-fixture.ts';
import { layoffsRule, type SampleLog } from '../../core/fixture/fixture.ts';
import { TICKER } from './feed-world.ts';

const NOW = 2_000_000_000;
const POSTING = { now: NOW, gatherS: 120 };

/** A log with a final, and the agreement of so many. */
function logOf(agreements: number, name = 'final'): { log: SampleLog; row: ReportRow } {
  const log = recountedLog();
  const rule = layoffsRule({ applies_from: '2015-01-03' });
  log.append('rule/1', { rule });
  log.append('rule/1', { rule: { ...rule, version: 2, applies_from: '2030-01-05' } });
  const [row] = ruleVersions(log.views, TICKER);
  const report = recountedReport(name, { rule: { hash: row?.hash, version: 1 } });
  log.append('report/1', { report, signature: '1'.repeat(128) });
  for (const hand of HANDS.slice(0, agreements)) log.append('cosign/1', cosignOf(report, hand));
  const [found] = reportsOf(log.views, TICKER, report.period);
  assert.ok(found !== undefined);
  return { log, row: found };
}

function feed(log: SampleLog, change: Partial<FeedAccount> = {}): FeedAccount {
  const [rule] = ruleVersions(log.views, TICKER);
  const keys = HANDS.map(({ key }) => key);
  return {
    rules: [{ hash: rule?.hash, first: parseDate(toDate('2015-01-03')), effective: 0n }],
    sets: [{ effective: 0n, threshold: 2, keys }],
    ...change,
  } as FeedAccount;
}

function said(agreements: number, change: Partial<FeedAccount> = {}, name = 'final'): string {
  const { log, row } = logOf(agreements, name);
  const ready = readiness(log.views, row, feed(log, change), POSTING);
  return ready.kind === 'ready'
    ? `ready ${ready.cosignatures.length + 1}`
    : `${ready.kind}: ${ready.why}`;
}

test('readiness: a quorum for what settles, nobody for what does not', () => {
  assert.equal(said(0, {}, 'provisional'), 'ready 1');
  assert.equal(said(1), 'waits: its quorum is missing');
  assert.equal(said(2), 'ready 3');
  assert.equal(said(3), 'ready 4', 'all who signed');
});

test('readiness: the feed must have the rule of the print, in force', () => {
  const { log } = logOf(2);
  const [first, second] = ruleVersions(log.views, TICKER);
  const rule = (hash: unknown, from: string, effective = 0n): FeedAccount['rules'][number] =>
    ({ hash, first: parseDate(toDate(from)), effective }) as FeedAccount['rules'][number];
  assert.equal(
    said(2, { rules: [rule(first?.hash, '2026-08-01')] }),
    "never: its period is before the feed's first rule",
  );
  assert.equal(
    said(2, { rules: [rule(first?.hash, '2015-01-03', BigInt(NOW + 1))] }),
    'waits: its rule waits on chain',
  );
  assert.equal(
    said(2, { rules: [rule(second?.hash, '2015-01-03')] }),
    'never: the feed never had its rule',
  );
});

test('readiness: the chain asks its own newest set in force', () => {
  const keys = (...places: readonly number[]): never => places.map((i) => HANDS[i]?.key) as never;
  const set = (
    effective: bigint,
    threshold: number,
    members: never,
  ): FeedAccount['sets'][number] => ({
    effective,
    threshold,
    keys: members,
  });
  const { log, row } = logOf(3);
  log.append(
    'cosigners/1',
    cosignerSet({
      number: 1,
      cosigners: HANDS.slice(0, 2).map(({ key }, i) => ({ name: `x${i}`, key })),
    }),
  );
  const later = (effective: bigint): string => {
    const sets = [set(0n, 2, keys(0, 1, 2)), set(effective, 2, keys(0, 1))];
    const ready = readiness(log.views, row, feed(log, { sets }), POSTING);
    return ready.kind === 'ready' ? `ready ${ready.cosignatures.length + 1}` : ready.why;
  };
  assert.equal(later(BigInt(NOW + 1)), 'ready 4');
  assert.equal(later(BigInt(NOW)), 'ready 3', 'the third is of no set in force any more');
  const only = feed(log, { sets: [set(BigInt(NOW), 2, keys(0, 1))] });
  assert.deepEqual(readiness(log.views, row, only, POSTING), {
    kind: 'never',
    why: 'the feed never had its co-signer set',
  });
});
