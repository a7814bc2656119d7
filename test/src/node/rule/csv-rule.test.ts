import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CsvIndex, csvRule } from '@assay/node/rule/csv-rule';
import { parseTime } from '@assay/core/time/time';
import { sha256 } from '../../core/fixture/fixture.ts';

const INDEX: CsvIndex = {
  ticker: 'RAIN',
  url: 'http://127.0.0.1:8800/rain.csv',
  day: 'day',
  value: 'mm/h ~',
  title: 'Rain',
  unit: 'mm',
  decimals: 2,
  period: 'utc_day',
  release: '08:30',
};
const at = (time: string): number => parseTime(time as never);

test('csv rule: it begins with the period that is released next', () => {
  const first = (index: Partial<CsvIndex>, now: string): string =>
    csvRule(sha256, { ...INDEX, ...index }, at(now)).applies_from;
  assert.equal(first({}, '2026-11-23T08:29:59Z'), '2026-11-22');
  assert.equal(first({}, '2026-11-23T08:30:00Z'), '2026-11-23');
  assert.equal(first({ period: 'month' }, '2026-11-01T08:00:00Z'), '2026-10-01');
  assert.equal(first({ period: 'month' }, '2026-11-01T09:00:00Z'), '2026-11-01');
  assert.equal(first({ period: 'week_ending_saturday' }, '2026-11-23T09:00:00Z'), '2026-11-28');
});

test('csv rule: its column, its steps and its network', () => {
  const rule = csvRule(sha256, INDEX, at('2026-11-23T00:00:00Z'));
  const series = rule.providers[0]?.extract[2];
  assert.ok(series?.op === 'series');
  assert.deepEqual(
    [series.key, series.value, series.key_style],
    [['/day'], '/mm~1h ~0', 'iso_prefix'],
  );
  assert.equal(rule.precision, '0.01');
  assert.equal(rule.network, 'development');
  assert.throws(() => csvRule(sha256, { ...INDEX, ticker: 'rain' }, 0), { code: 'malformed' });
});
