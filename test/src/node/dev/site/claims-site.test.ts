import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate } from '@assay/core/time/time';
import { syntheticFirstPrint } from '@assay/node/dev/site/synthetic-claims';
import { readAt, ruleOf, said } from '../network.ts';

const all = (value: number): readonly string[] => [
  `eta-press-pdf ok ${value}`,
  `archive-capture ok ${value}`,
  `eta-539-xml ok ${value}`,
];

test('claims site: the typed-in weeks, each from its release on', async () => {
  const week = '2026-07-04';
  assert.deepEqual(await said('LAYOFFS', 1, week, '2026-07-09T12:29:59Z'), [
    'eta-press-pdf bad_status',
    'archive-capture bad_status',
    // The vintage of the day is the day's.
    'eta-539-xml ok 215000',
  ]);
  assert.deepEqual(await said('LAYOFFS', 1, week, '2026-07-09T12:30:00Z'), all(215_000));
  // Three weeks later the release says what it said, and the series what it came to.
  assert.deepEqual(await said('LAYOFFS', 1, week, '2026-07-30T12:30:00Z'), [
    'eta-press-pdf ok 215000',
    'archive-capture ok 215000',
    'eta-539-xml ok 217000',
  ]);
  assert.deepEqual(await said('LAYOFFS', 1, '2025-12-27', '2025-12-31T13:30:00Z'), all(199_000));
  // No release of this week is known here.
  assert.deepEqual(await said('LAYOFFS', 1, '2026-07-11', '2026-07-30T12:30:00Z'), [
    'eta-press-pdf bad_status',
    'archive-capture bad_status',
    'eta-539-xml ok 209000',
  ]);
});

test('claims site: invented weeks, a holiday among them', async () => {
  for (const [week, time] of [
    ['2026-08-01', '2026-08-06T12:30:00Z'],
    ['2026-11-21', '2026-11-25T13:30:00Z'],
    ['2027-03-13', '2027-03-18T12:30:00Z'],
  ] as const) {
    const first = syntheticFirstPrint(parseDate(week));
    assert.deepEqual(await said('LAYOFFS', 2, week, time), all(first));
  }
  const later = await said('LAYOFFS', 2, '2026-08-01', '2026-08-13T12:30:00Z');
  assert.deepEqual(later, [
    'eta-press-pdf ok 229000',
    'archive-capture ok 229000',
    'eta-539-xml ok 230000',
  ]);
});

test('claims site: weeks ahead have a factor alone, and every document says what it is', async () => {
  const [press, , series] = await readAt(
    ruleOf('LAYOFFS', 1),
    '2026-07-25',
    '2026-07-30T12:30:00Z',
  );
  assert.match(
    Buffer.from(press?.text ?? []).toString(),
    /^DEVELOPMENT NETWORK\. This is not a publication/,
  );
  const xml = Buffer.from(series?.pages[0]?.bytes ?? []).toString();
  assert.match(xml, /Development network: typed-in or invented/);
  assert.match(xml, /08\/01\/2026<\/weekEnded>\n {2}<InitialClaims><SF>100\.0<\/SF><SA>&#160;</);
  const ahead = await said('LAYOFFS', 1, '2026-08-01', '2026-07-30T12:30:00Z');
  assert.equal(ahead[2], 'eta-539-xml no_source');
});
