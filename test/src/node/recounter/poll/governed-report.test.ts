import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Report, reportHash } from '@assay/core/report/report';
import type { ReportRow } from '@assay/core/view/reports';
import type { Cosign } from '@assay/core/kind/cosign';
import type { Rule } from '@assay/core/rule/rule';
import { ruleHash } from '@assay/core/rule/rule';
import { formatTime, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { enactRule } from '@assay/node/rule/rule-file';
import { requireGoverned } from '@assay/node/recounter/poll/governed-report';
import {
  cosignOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../../../core/fixture/cosigner-fixture.ts';
import { GENESIS, layoffsRule, SampleLog, sampleReport } from '../../../core/fixture/fixture.ts';
import { forcePrint } from '../../fixture/forced-print.ts';
import { RELEASE, WEEK } from '../../cosign/cosigner-fixture.ts';
import { CLAIMS_RULE } from '../../fixture/round-fixture.ts';
import { Disk, ownStatements, recounterOn, TestPublisher } from '../recounter-world.ts';

const DAY = 86_400;

const rowOf = (report: Report): ReportRow => ({
  seq: 1000,
  hash: reportHash(nodeSha256, report),
  report,
  signature: '',
});

test('governed report: under the version that governs its period, and no other', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS, '2026-07-01T00:00:00Z');
  const versions = [1, 2, 3].map((version) =>
    layoffsRule({ version, applies_from: `2026-08-0${version === 1 ? 1 : 8}` }),
  );
  const [first, second] = versions as [Rule, Rule];
  log.append('rule/1', { rule: first }, '2026-07-20T00:00:00Z');
  const of = (rule: Rule, period: string): void =>
    requireGoverned(
      log.views,
      rowOf(
        sampleReport('final', {
          period,
          rule: { hash: ruleHash(nodeSha256, rule), version: rule.version },
        }),
      ),
    );
  of(first, '2026-08-08');
  assert.throws(() => of(second, '2026-08-08'), { code: 'refused', at: 'report.rule' });
  log.append('rule/1', { rule: second }, '2026-08-10T00:00:00Z');
  of(second, '2026-08-08');
  of(first, '2026-08-01');
  assert.throws(() => of(first, '2026-08-08'), { code: 'refused' });
  assert.throws(() => of(second, '2026-08-01'), { code: 'refused' });
  assert.throws(() => of(first, '2026-07-25'), { code: 'refused', expected: /none/ });
});

test('governed report: under a version that is too late for one period nothing is signed, of any', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS, '2026-07-01T00:00:00Z');
  const rule = layoffsRule({ version: 2, applies_from: '2026-08-08' });
  log.append('rule/1', { rule: layoffsRule() }, '2026-07-20T00:00:00Z');
  log.append('rule/1', { rule }, '2026-08-13T12:30:00Z');
  const report = sampleReport('final', {
    period: '2026-08-15',
    rule: { hash: ruleHash(nodeSha256, rule), version: 2 },
  });
  assert.throws(() => requireGoverned(log.views, rowOf(report)), {
    code: 'refused',
    found: '2026-08-08',
  });
});

test('governed report: a recounter signs nothing under a version that took over what was out', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  const { world } = publisher;
  const { ledger, blobs, source, clock } = world;
  const parts = { ledger, blobs, source, now: () => clock.now };
  const second: Rule = {
    ...CLAIMS_RULE,
    version: 2,
    applies_from: WEEK as never,
    release: { ...CLAIMS_RULE.release, days_after: 5 },
  };
  world.at(formatTime(parseTime(RELEASE) + 3600));
  await assert.rejects(enactRule(ledger, nodeSha256, second), { code: 'bad_config' });
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: second } }]);
  world.at(formatTime(parseTime(RELEASE) + DAY));
  assert.equal(await forcePrint(parts, second, WEEK), true);
  await running.follow();
  await running.follow();
  assert.deepEqual(await ownStatements(disk), []);
  const [refused] = disk.findings.open().filter(({ code }) => code === 'report_refused');
  assert.match(refused?.says ?? '', /the version that governs 2026-07-25, 1/);
});

test('governed report: nothing is signed by clocks that rest on a statement which its co-signer did not sign', () => {
  const { release } = layoffsRule();
  const late = { kind: 'from_publication', within_s: 60 * DAY };
  const rule = layoffsRule({ spec: 'assay-rule/2', release: { ...release, late } });
  const named = { hash: ruleHash(nodeSha256, rule), version: 1 };
  const sighted = (isForged: boolean): (() => void) => {
    const log = recountedLog();
    log.append('rule/1', { rule }, '2026-07-30T12:00:00Z');
    const provisional = recountedReport('final', {
      log: log.log,
      rule: named,
      status: 'provisional',
      reason: 'freeze_window',
      settleable: false,
      published_at: '2026-08-20T12:35:00Z',
    });
    log.append('report/1', { report: provisional, signature: 'ab'.repeat(64) });
    const reads = provisional.reads.map((read) => ({ ...read, read_at: '2026-08-20T12:36:00Z' }));
    const own = { value: provisional.value, status: 'provisional', reads };
    const [first, second] = HANDS.map((hand) => cosignOf(provisional, hand, { own })) as [
      Cosign,
      Cosign,
      Cosign,
    ];
    log.append('cosign/1', first);
    log.append('cosign/1', isForged ? { ...second, signature: 'cd'.repeat(64) } : second);
    const final = { ...provisional, status: 'final', published_at: '2026-08-20T15:00:00Z' };
    return () => requireGoverned(log.views, rowOf(final as Report));
  };
  sighted(false)();
  assert.throws(sighted(true), { code: 'refused', at: 'report.clocks' });
});
