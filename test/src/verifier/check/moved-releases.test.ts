import assert from 'node:assert/strict';
import { test } from 'node:test';
import { governingRule } from '@assay/core/round/governing';
import { formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { nameMovedRelease, nameMovedReleases } from '@assay/verifier/check/moved-releases';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { GENESIS, layoffsRule, SampleLog, sampleReport } from '../../core/fixture/fixture.ts';

const { release, ticker } = layoffsRule();

const moving = (...moves: readonly (readonly [period: string, date: string])[]): object => ({
  ...release,
  exceptions: moves.map(([period, date]) => ({ period, date })),
});

function logOf(...versions: readonly (readonly [at: string, change: object])[]): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS, '2026-07-01T00:00:00Z');
  for (const [i, [at, change]] of versions.entries()) {
    log.append('rule/1', { rule: layoffsRule({ version: i + 1, ...change }) }, at);
  }
  return log;
}

function named(log: SampleLog, now: string): readonly string[] {
  const notChecked = new NotCheckedList();
  nameMovedReleases(log.views, parseTime(now), notChecked);
  assert.ok(notChecked.list.every((each) => each.class === 'calendar'));
  return notChecked.list.map(({ what }) => what);
}

const FIRST = ['2026-07-20T00:00:00Z', {}] as const;

test('moved releases: later and earlier ones, by version, once one of them has come', () => {
  const log = logOf(FIRST, [
    '2026-08-01T00:00:00Z',
    {
      applies_from: '2026-08-01',
      release: moving(['2026-08-01', '2026-08-20'], ['2026-08-08', '2026-08-12']),
    },
  ]);
  const version = 'by version 2 of its rule, recorded 2026-08-01T00:00:00Z';
  const later = `LAYOFFS of 2026-08-01: release moved later from 2026-08-06T12:30:00Z to 2026-08-20T12:30:00Z ${version}`;
  const earlier = `LAYOFFS of 2026-08-08: release moved earlier from 2026-08-13T12:30:00Z to 2026-08-12T12:30:00Z ${version}`;
  assert.deepEqual(named(log, '2026-08-06T12:29:59Z'), []);
  assert.deepEqual(named(log, '2026-08-06T12:30:00Z'), [later]);
  assert.deepEqual(named(log, '2026-08-12T12:30:00Z'), [earlier, later]);
  const one = new NotCheckedList();
  const period = parseDate('2026-08-08');
  const rule = governingRule(log.views, ticker, period);
  assert.ok(rule !== undefined);
  nameMovedRelease(ticker, period, rule, one);
  assert.deepEqual(
    one.list.map(({ what }) => what),
    [earlier],
  );
});

test('moved releases: many of one version are one line, the newest first', () => {
  const log = logOf(FIRST, [
    '2026-07-28T00:00:00Z',
    { applies_from: '2026-08-01', release: { ...release, days_after: 5, exceptions: [] } },
  ]);
  assert.deepEqual(named(log, '2026-10-01T12:00:00Z'), [
    'LAYOFFS of 2026-09-19, 2026-09-12, 2026-09-05, 2026-08-29, 2026-08-22 and 3 more: release moved later by version 2 of its rule, recorded 2026-07-28T00:00:00Z',
  ]);
});

test('moved releases: what a version that came too late names is none, nor is a version’s own exception', () => {
  assert.deepEqual(
    named(
      logOf(
        ['2026-07-20T00:00:00Z', { release: moving(['2026-08-01', '2026-08-20']) }],
        [
          '2026-08-20T12:30:00Z',
          { applies_from: '2026-08-01', release: moving(['2026-08-01', '2026-08-27']) },
        ],
      ),
      '2026-12-01T00:00:00Z',
    ),
    [],
  );
});

test('moved releases: a print is named however old it is', () => {
  const log = logOf(FIRST, [
    '2026-08-01T00:00:00Z',
    { applies_from: '2026-08-01', release: moving(['2026-08-01', '2026-08-20']) },
  ]);
  const years = `${formatDate(parseDate('2036-08-06'))}T00:00:00Z`;
  assert.deepEqual(named(log, years), []);
  log.append(
    'report/1',
    { report: sampleReport('void', { period: '2026-08-01' }), signature: 'ab'.repeat(64) },
    '2026-09-06T00:00:00Z',
  );
  assert.equal(named(log, years).length, 1);
});
