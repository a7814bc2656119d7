import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PageBytes, readAnswer, readPages } from '@assay/core/read/reading';
import type { ScaledSeries } from '@assay/core/rule/interpret';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { parseDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { layoffsRule } from '../fixture/fixture.ts';

test('reading: an answer other than 200 is bad_status, whatever it holds', () => {
  const rule = layoffsRule();
  const provider = rule.providers[1] as Provider;
  const bytes = formatUtf8('week_ending,series,claims\n2026-07-25,SA,218000\n');
  const read = (...statuses: number[]): unknown =>
    readPages(
      rule,
      provider,
      statuses.map((status) => ({ status, bytes })),
      parseDate('2026-07-25'),
    );
  assert.deepEqual(read(200), { outcome: 'ok', value: 218_000n });
  assert.deepEqual(read(404), { outcome: 'bad_status', detail: 'HTTP 404' });
  assert.deepEqual(read(200, 503), { outcome: 'bad_status', detail: 'HTTP 503' });
  assert.deepEqual(read(206), { outcome: 'bad_status', detail: 'HTTP 206' });
  assert.equal((read() as { outcome: string }).outcome, 'malformed');
});

function page(text: string, status = 200): readonly PageBytes[] {
  return [{ status, bytes: formatUtf8(text) }];
}

function readSeries(
  rule: Rule,
  pages: readonly PageBytes[],
  period: number,
  text: Uint8Array | null = null,
): ScaledSeries | undefined {
  const provider = rule.providers.find(({ id }) => id === rule.revision.provider) as Provider;
  const { reading, series } = readAnswer(rule, provider, pages, period, text);
  assert.deepEqual(reading, readPages(rule, provider, pages, period, text));
  return series;
}

test('reading: a document that may not be printed may not revise either', () => {
  const rule = layoffsRule();
  const table = 'week_ending,series,claims\n2026-07-18,SA,216000\n2026-07-25,SA,218000\n';
  const read = (pages: readonly PageBytes[], period = '2026-07-25'): number | undefined =>
    readSeries(rule, pages, parseDate(period))?.size;
  assert.equal(read(page(table)), 2);
  assert.equal(read(page(table), '2026-08-01'), 2, 'not published');
  assert.equal(read(page(table), '2026-07-18'), 2, 'superseded');
  assert.equal(read(page(table.replace('218000', '-'))), 2, 'no source');
  assert.equal(read(page(table, 404)), undefined);
  assert.equal(read(page(table.replace('216000', 'oops'))), undefined);
  assert.equal(read([]), undefined);
  const table2 = rule.providers[1] as Provider;
  const checked = {
    ...table2,
    checks: [
      { name: 'other', extract: [{ op: 'utf8' }, { op: 'num', style: 'plain', take: 'all' }] },
    ],
  };
  const strict = layoffsRule({ providers: [rule.providers[0], checked, rule.providers[2]] });
  assert.equal(
    readSeries(strict, page(table), parseDate('2026-07-25')),
    undefined,
    'a check stops it',
  );
});

test('reading: only the revision provider shows a series', () => {
  const rule = layoffsRule();
  const [pages, period] = [page('week_ending,series,claims\n2026-07-25,SA,5\n'), 20_659];
  const table = rule.providers[1] as Provider;
  assert.deepEqual(readAnswer(rule, table, pages, period), {
    reading: { outcome: 'ok', value: 5n },
    series: new Map([[period, 5n]]),
  });
  const other = { ...rule, revision: { ...rule.revision, provider: 'another' } };
  assert.equal(readAnswer(other, table, pages, period).series, undefined);
});

test('reading: pages must be one whole list of the rule', () => {
  const rule = layoffsRule();
  const provider = rule.providers[1] as Provider;
  const paging = {
    kind: 'cursor',
    ptr: '/next',
    place: 'query',
    name: 'c',
    max_pages: 2,
    until: { rows: '/rows', ptr: '/t', style: 'unix', before: '{period-1:unix}' },
    total: null,
  } as const;
  const paged: Provider = { ...provider, request: { ...provider.request, paging } };
  const period = parseDate('2026-07-25');
  const outcome = (...values: readonly unknown[]): string =>
    readPages(
      rule,
      paged,
      values.map((value) => ({ status: 200, bytes: formatUtf8(JSON.stringify(value)) })),
      period,
    ).outcome;
  const row = (days: number): object => ({
    next: `n${days}`,
    rows: [{ t: (period + days) * 86_400 }],
  });
  assert.equal(outcome(row(0)), 'malformed', 'it goes on');
  assert.equal(outcome(row(0), row(-1)), 'too_large');
  assert.equal(outcome(row(-2), row(-3)), 'malformed', 'nothing after the end');
  const jumbled = readPages(
    rule,
    paged,
    [row(0), row(-2)].map((value) => ({ status: 200, bytes: formatUtf8(JSON.stringify(value)) })),
    period,
  );
  assert.match(JSON.stringify(jumbled), /utf8 takes one page/, 'whole: the rule runs on it');
});

test('reading: the rule runs on the text where one is taken', () => {
  const rule = layoffsRule();
  const table = 'week_ending,series,claims\n2026-07-18,SA,216000\n2026-07-25,SA,218000\n';
  const provider: Provider = { ...(rule.providers[1] as Provider), text: 'pdf' };
  const pdf = layoffsRule({ providers: [rule.providers[0], provider, rule.providers[2]] });
  const period = parseDate('2026-07-25');
  const pages = page('%PDF-1.7');
  const text = formatUtf8(table);
  assert.deepEqual(readPages(pdf, provider, pages, period, text), {
    outcome: 'ok',
    value: 218_000n,
  });
  assert.equal(readPages(pdf, provider, pages, period).outcome, 'malformed');
  assert.equal(readPages(pdf, provider, page(table), period).outcome, 'malformed', 'not the bytes');
  assert.equal(readPages(pdf, provider, page('', 403), period, text).outcome, 'bad_status');
  assert.equal(readSeries(pdf, pages, period, text)?.size, 2);
  assert.equal(readSeries(pdf, page(table), period), undefined);
  assert.equal(readSeries(rule, page(table), period, formatUtf8('not asked for'))?.size, 2);
});
