import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  currentRule,
  findIndex,
  indexDetailPayload,
  indexListPayload,
  LISTED_PERIODS,
} from '@assay/core/answer/index';
import { periodPayload } from '@assay/core/answer/period';
import { ruleHash } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, parseDate } from '@assay/core/time/time';
import { periodRows } from '@assay/core/view/periods';
import { GENESIS, layoffsRule, SampleLog, sampleReport, sha256 } from '../fixture/fixture.ts';
import { revision, SIGNATURE, smallLog } from '../view/small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;

test('index payload: the exact shape', () => {
  const { views } = smallLog();
  const rule = layoffsRule();
  const periods = periodRows(views, TICKER)
    .map(([period, row]) => periodPayload(views, period, row))
    .reverse();
  assert.deepEqual(indexDetailPayload(views, sha256, TICKER), {
    ticker: 'LAYOFFS',
    slug: 'layoffs',
    title: rule.title,
    network: 'development',
    unit: 'claims',
    format: 'count',
    decimals: 0,
    cadence: 'weekly',
    step: 7,
    grade: 'A',
    source: {
      name: 'US Department of Labor',
      terms_url: 'https://example.gov/terms',
      clause: rule.rights.clause,
      attribution: rule.rights.attribution,
      providers: [
        {
          id: 'press',
          name: 'Press release',
          role: 'record',
          url: 'http://127.0.0.1:4610/press/{MMDDYY}.txt',
        },
        {
          id: 'table',
          name: 'Weekly table',
          role: 'mirror',
          url: 'http://127.0.0.1:4610/claims.csv?year={Y}',
        },
        { id: 'api', name: 'Later figures', role: 'check', url: 'http://127.0.0.1:4610/api' },
      ],
    },
    settlement: {
      rule_version: 1,
      rule_hash: ruleHash(sha256, rule),
      settles: 'first_published',
      allowed: true,
      quorum: 2,
      freeze_after_s: 7200,
      tie: 'A print equal to the strike resolves YES.',
    },
    newest_reading: periods[0],
    newest_complete: periods[0],
    next_period: '2026-08-08',
    next_release_at: '2026-08-13T12:30:00Z',
    periods,
    open_round: null,
    newest_proof: null,
  });
});

test('index payload: the list has every index by ticker, with its newest complete periods', () => {
  const log = smallLog();
  const rows = Array.from({ length: 40 }, (_, i) => ({
    period: formatDate(parseDate('2025-08-02') + 7 * i),
    value: String(i),
  }));
  log.append('revision/1', revision(rows));
  log.append('report/1', {
    report: sampleReport('provisional', { log: log.log, period: '2026-08-08' }),
    signature: SIGNATURE,
  });
  const [cpi, layoffs] = indexListPayload(log.views);
  assert.deepEqual(
    [cpi?.ticker, cpi?.cadence, cpi?.step, cpi?.periods.length],
    ['cpi', 'monthly', null, 2],
  );
  assert.equal(cpi?.newest_reading?.status, 'history');
  assert.equal(cpi?.next_period, '2025-12-01');
  assert.equal(cpi?.next_release_at, '2026-01-12T12:30:00Z');
  assert.equal(LISTED_PERIODS, 30);
  assert.equal(layoffs?.periods.length, 30);
  assert.equal(layoffs?.periods[0]?.period, '2026-08-01', 'a provisional period is not complete');
  assert.equal(layoffs?.newest_reading?.period, '2026-08-08');
  assert.equal(layoffs?.newest_complete?.period, '2026-08-01');
  assert.equal(indexDetailPayload(log.views, sha256, TICKER).periods.length, 45);
  assert.equal('open_round' in (layoffs ?? {}), false);
});

test('index payload: before any period, the first that the rule applies to', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  const payload = indexDetailPayload(log.views, sha256, TICKER);
  assert.deepEqual(
    [payload.newest_reading, payload.newest_complete, payload.periods],
    [null, null, []],
  );
  assert.deepEqual(
    [payload.next_period, payload.next_release_at],
    ['2026-07-25', '2026-07-30T12:30:00Z'],
  );
});

test('index payload: the next release is the next rule’s, the rest the current one’s', () => {
  const log = smallLog();
  const release = { ...layoffsRule().release, local: '10:00' };
  log.append('rule/1', {
    rule: layoffsRule({ version: 2, applies_from: '2026-08-08', release, unit: 'persons' }),
  });
  const payload = indexDetailPayload(log.views, sha256, TICKER);
  assert.deepEqual([payload.unit, payload.settlement.rule_version], ['claims', 1]);
  assert.equal(payload.next_release_at, '2026-08-13T14:00:00Z');
  assert.equal(currentRule(log.views, TICKER).rule.version, 1);
  log.append('report/1', {
    report: sampleReport('provisional', { log: log.log, period: '2026-08-08' }),
    signature: SIGNATURE,
  });
  assert.equal(currentRule(log.views, TICKER).rule.version, 2);
});

test('index payload: with history alone the newest of it says which rule is current', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  log.append('rule/1', { rule: layoffsRule({ version: 2, applies_from: '2026-08-08' }) });
  log.append('revision/1', revision([{ period: '2026-08-01', value: '1' }]));
  assert.equal(currentRule(log.views, TICKER).rule.version, 1);
  log.append('revision/1', revision([{ period: '2026-08-08', value: '2' }]));
  assert.equal(currentRule(log.views, TICKER).rule.version, 2);
});

test('index payload: a daily index has a step of a day', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule({ period: 'utc_day' }) });
  const { cadence, step, next_period: next } = indexDetailPayload(log.views, sha256, TICKER);
  assert.deepEqual([cadence, step, next], ['daily', 1, '2026-07-25']);
});

test('index payload: an index is found by ticker or slug, in any case', () => {
  const { views } = smallLog();
  for (const name of ['LAYOFFS', 'layoffs', 'LayOffs'])
    assert.equal(findIndex(views, name), 'LAYOFFS');
  assert.equal(findIndex(views, 'cpi'), 'CPI');
  for (const name of ['layoffſ', '', 'close', 'JOBS', '__proto__'])
    assert.equal(findIndex(views, name), undefined, name);
  assert.throws(() => currentRule(views, 'JOBS' as Ticker), TypeError);
});
