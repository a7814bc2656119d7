import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Calendar, fillRequest, fillText, wrongVariable } from '@assay/core/rule/fill';
import type { SourceRequest } from '@assay/core/source/request';
import { parseDate, toDate } from '@assay/core/time/time';

const REQUEST: SourceRequest = {
  method: 'POST',
  url: 'https://example.gov/{Y}/{MMDDYY}.pdf?key={secret:KEY}',
  headers: [{ name: 'x-week', value: '{period}{X}' }],
  body: '{"from":"{Y-1}-{M}","day":"{D}"}',
  follow: ['{Y}.example.gov'],
  paging: { kind: 'none' },
};

const CALENDAR: Calendar = {
  period: 'week_ending_saturday',
  release: {
    zone: 'America/New_York',
    local: '08:30',
    days_after: 4,
    exceptions: [{ period: toDate('2026-11-21'), date: toDate('2026-11-25') }],
    deadline_s: 0,
    first_print_within_s: 0,
  },
};

test('fill: the variables of a period; secrets and anything else stay', () => {
  const filled = fillRequest(REQUEST, parseDate('2026-01-03'), CALENDAR);
  assert.deepEqual(filled, {
    ...REQUEST,
    url: 'https://example.gov/2026/010326.pdf?key={secret:KEY}',
    headers: [{ name: 'x-week', value: '2026-01-03{X}' }],
    body: '{"from":"2025-01","day":"03"}',
  });
  assert.equal(fillRequest({ ...REQUEST, body: null }, 0, CALENDAR).body, null);
  assert.equal(
    fillText('https://a/{MMDDYY}{Y}', parseDate('2000-12-31'), CALENDAR),
    'https://a/1231002000',
  );
});

test('fill: a day before or after, in every format', () => {
  const fill = (text: string, period = '2026-02-28'): string =>
    fillText(text, parseDate(period), CALENDAR);
  const cases: readonly (readonly [string, string])[] = [
    ['{period:YYYY}', '2026'],
    ['{period:MM}/{period:DD}', '02/28'],
    ['{period+1:MM}/{period+1:DD}', '03/01'],
    ['{period-59:YYYY}', '2025'],
    ['{period:MMDDYY}', '022826'],
    ['{period-400:YYYYMMDD}', '20250124'],
    ['{period+400:YYYY-MM-DD}', '2027-04-04'],
    ['{period+0:MM-DD-YYYY}', '02-28-2026'],
    ['{period:MonthD}', 'February28'],
    ['{period:unix}', '1772236800'],
    ['{period+1:unix}', '1772323200'],
  ];
  for (const [text, expected] of cases) assert.equal(fill(text), expected, text);
});

test('fill: the day of release, where it was moved too', () => {
  const fill = (text: string, period: string): string =>
    fillText(text, parseDate(period), CALENDAR);
  assert.equal(
    fill('/press/{release:YYYY}/{release:MMDDYY}.pdf', '2026-09-19'),
    '/press/2026/092426.pdf',
  );
  assert.equal(fill('{release:YYYY-MM-DD}', '2026-11-14'), '2026-11-19');
  assert.equal(fill('{release:YYYY-MM-DD} {release+1:DD}', '2026-11-21'), '2026-11-25 26');
});

test('fill: the time that a list goes back to', () => {
  const until = { rows: '/r', ptr: '/t', style: 'unix', before: '{period:unix}' } as const;
  const filled = { ...until, before: '1772236800' };
  const day = parseDate('2026-02-28');
  const link = { kind: 'link', max_pages: 2, until } as const;
  assert.deepEqual(fillRequest({ ...REQUEST, paging: link }, day, CALENDAR).paging, {
    ...link,
    until: filled,
  });
  const offset = {
    kind: 'offset',
    name: 'o',
    step: 1,
    rows: '',
    max_pages: 2,
    until: null,
    total: { rows: '', ptr: '/n' },
  } as const;
  assert.deepEqual(fillRequest({ ...REQUEST, paging: offset }, day, CALENDAR).paging, offset);
  assert.deepEqual(
    fillRequest({ ...REQUEST, paging: { ...offset, until } }, day, CALENDAR).paging,
    { ...offset, until: filled },
  );
});

test('fill: what looks like a variable and is none is named', () => {
  for (const good of [
    'no braces',
    '{secret:KEY}{X}{"a":{"b":1}}',
    '{period}{Y}{M}{D}{Y-1}{MMDDYY}',
    '{period+400:unix}{release-1:DD}',
  ]) {
    assert.equal(wrongVariable(good), undefined, good);
  }
  for (const bad of [
    '{period:}',
    '{period:MMM}',
    '{period:yyyy}',
    '{period+401:DD}',
    '{period+01:DD}',
    '{period+1}',
    '{periods}',
    '{release}',
    '{release:MM-DD}',
    '{release +1:DD}',
  ]) {
    assert.equal(wrongVariable(`{Y}-${bad}`), bad);
    assert.equal(fillText(bad, 0, CALENDAR), bad);
  }
});
