import { clocksOf } from '@assay/core/rule/clocks';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { draftReport } from '@assay/core/round/draft';
import { interpret, interpretWhole, scaleSeries } from '@assay/core/rule/interpret';
import { releaseTime } from '@assay/core/rule/release';
import { type Provider, type Rule, ruleHash } from '@assay/core/rule/rule';
import type { Step } from '@assay/core/rule/vocabulary';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, formatTime, parseDate, toDate } from '@assay/core/time/time';
import { periodRows } from '@assay/core/view/periods';
import { revisionRows } from '@assay/core/round/vintage';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  SampleLog,
  sharedPath,
  sha256,
  SOME_HASH,
} from './fixture/fixture.ts';

const CLAIMS = 'data/claims/initial_claims_sa_vintages.csv';
const VINTAGES = ['2025-05-01', '2025-09-25', '2025-12-31', '2026-07-09', '2026-07-30'];

/** The steps that read one vintage of a recorded table. */
function stepsFor(asOf: string, key: string, value: string): readonly Step[] {
  return [
    { op: 'utf8' },
    { op: 'csv', delimiter: ',' },
    { op: 'where', ptr: '/as_of', test: 'in', values: [asOf] },
    { op: 'series', key: [key], key_style: 'iso_date', value, style: 'plain', missing: [''] },
    { op: 'pick', among: 'newest' },
  ];
}

/** The one provider that counts reads a vintage. */
function vintageRule(base: Rule, extract: readonly Step[]): Rule {
  const [first] = base.providers as readonly [Provider];
  const provider: Provider = { ...first, id: 'table', extract, checks: [] };
  return {
    ...base,
    applies_from: formatDate(parseDate('2010-01-02')),
    // New Year's Day was a Thursday: the release came on the Wednesday.
    release: {
      ...base.release,
      exceptions: [{ period: toDate('2025-12-27'), date: toDate('2025-12-31') }],
    },
    providers: [provider],
    aggregate: { ...base.aggregate, quorum: 1 },
    revision: { ...base.revision, provider: 'table' },
  };
}

test('recorded claims: five first prints, and every later figure beside them', (t) => {
  const path = sharedPath(CLAIMS);
  if (path === undefined) return t.skip('../shared is not here');
  const pages = [readFileSync(path)];
  const base = vintageRule(layoffsRule(), stepsFor('none', '/week_ending', '/claims'));
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: base });
  const hash = ruleHash(sha256, base);
  const ticker = base.ticker;
  for (const asOf of VINTAGES) {
    const rule = vintageRule(base, stepsFor(asOf, '/week_ending', '/claims'));
    const [provider] = rule.providers as readonly [Provider];
    const shown = interpretWhole(rule, provider, pages, 0).series;
    const series = shown && scaleSeries(rule, shown);
    assert.ok(series !== undefined);
    const period = Math.max(...series.keys());
    const { reading } = interpretWhole(rule, provider, pages, period);
    assert.ok(reading.outcome === 'ok');
    const publishedAt =
      releaseTime(rule.release, rule.period, period) + rule.revision.freeze_after_s;
    assert.equal(
      formatTime(publishedAt).slice(0, 10),
      asOf,
      'released the day that the vintage is from',
    );
    const read = {
      provider: 'table',
      role: 'record',
      outcome: 'ok',
      value: reading.value.toString(),
      snapshot: SOME_HASH,
      retain: 'bytes',
      read_at: formatTime(publishedAt),
    } as const;
    const draft = draftReport(
      {
        log: log.log,
        rule: base,
        ruleHash: hash,
        period,
        clocks: clocksOf(base, period),
        reads: [read],
        publishedAt,
        cosigners: { set: null, required: 0 },
        after: null,
        withheld: null,
      },
      log.views,
    );
    assert.ok(draft.kind === 'report' && draft.report.status === 'final');
    log.append('report/1', { report: draft.report, signature: 'ab'.repeat(64) });
    for (;;) {
      const rows = revisionRows(series, base, log.views, publishedAt);
      if (rows.length === 0) break;
      log.append('revision/1', {
        ticker,
        rule: hash,
        provider: 'table',
        snapshot: SOME_HASH,
        retain: 'bytes',
        read_at: formatTime(publishedAt),
        read_for: formatDate(period),
        rows,
      });
    }
    for (const [each, row] of periodRows(log.views, ticker as Ticker)) {
      const value = series.get(parseDate(each));
      if (value !== undefined)
        assert.equal(row.revised ?? row.value, value?.toString(), `${each} as of ${asOf}`);
    }
  }
  const rows = periodRows(log.views, ticker as Ticker);
  const settled = rows.filter(([, row]) => row.settlement_value !== null);
  assert.deepEqual(
    settled.map(([period, row]) => [period, row.settlement_value, row.revised]),
    [
      ['2025-04-26', '241000', '239000'],
      ['2025-09-20', '218000', '219000'],
      ['2025-12-27', '199000', '203000'],
      ['2026-07-04', '215000', '217000'],
      ['2026-07-25', '197000', null],
    ],
  );
  const history = rows.find(([period]) => period === '2025-11-29')?.[1];
  assert.deepEqual(
    [history?.basis, history?.value, history?.settlement_value],
    ['history', '216000', null],
  );
});

/** What a recorded series says of a month, with three decimals. */
function readMonth(name: string, month: string): string {
  const path = sharedPath(`data/macro/${name}_vintages.csv`);
  if (path === undefined) return 'skip';
  const rule = vintageRule(
    cpiRule(),
    stepsFor('2026-01-02', '/month', '/value').with(4, { op: 'pick', among: 'any' }),
  );
  const [provider] = rule.providers as readonly [Provider];
  const reading = interpret(rule, provider, [readFileSync(path)], parseDate(month));
  return reading.outcome === 'ok' ? reading.value.toString() : reading.outcome;
}

test('recorded macro series: October 2025 was never published, and that is an outcome', (t) => {
  if (readMonth('cpi_u_all_items_sa', '2025-10-01') === 'skip')
    return t.skip('../shared is not here');
  assert.equal(readMonth('cpi_u_all_items_sa', '2010-01-01'), '217488');
  for (const name of ['cpi_u_all_items_sa', 'cpi_u_core_sa', 'unemployment_rate_sa_pct']) {
    assert.equal(readMonth(name, '2025-10-01'), 'no_source', name);
  }
  assert.equal(readMonth('nonfarm_payrolls_sa_thousands', '2025-10-01'), '159488000');
  assert.equal(readMonth('avg_hourly_earnings_usd', '2025-10-01'), '31650');
  assert.equal(readMonth('cpi_u_all_items_sa', '2026-01-01'), 'not_published');
});
