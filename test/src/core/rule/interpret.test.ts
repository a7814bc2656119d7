import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, roundScaled } from '@assay/core/number/rational';
import {
  interpret,
  interpretWhole,
  type Reading,
  type ScaledSeries,
  scaleSeries,
} from '@assay/core/rule/interpret';
import { PERIOD_KINDS } from '@assay/core/rule/period';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { READ_FAILURES } from '@assay/core/rule/value';
import type { Step } from '@assay/core/rule/vocabulary';
import { formatDate, parseDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import fc from 'fast-check';
import { cpiRule, layoffsRule } from '../fixture/fixture.ts';
import { contextOf, fractionOf, OPERATION_VECTORS, pagesOf, stepsOf } from './reading-fixture.ts';

const RULE = layoffsRule();
const PERIOD = parseDate('2026-07-25');

function providerOf(rule: Rule, id: string): Provider {
  const found = rule.providers.find((each) => each.id === id);
  assert.ok(found !== undefined);
  return found;
}

function readText(rule: Rule, id: string, text: string, period = PERIOD): Reading {
  return interpret(rule, providerOf(rule, id), [formatUtf8(text)], period);
}

/** Value or reason, without the words. */
function said(reading: Reading): bigint | string {
  return reading.outcome === 'ok' ? reading.value : reading.outcome;
}

test('interpret: the operation vectors through the whole', () => {
  for (const vector of OPERATION_VECTORS) {
    const { kind, period } = contextOf(vector);
    const rule: Rule = { ...RULE, period: kind, decimals: 2 };
    const provider: Provider = {
      ...providerOf(rule, 'press'),
      extract: stepsOf(vector),
      checks: [],
    };
    const number = vector.gives?.['number'];
    let expected: bigint | string = vector.stops ?? 'malformed';
    if (typeof number === 'string') {
      const value = roundScaled(fractionOf(number), 2, 'half_away');
      expected = BigInt.asIntN(64, value) === value ? value : 'out_of_range';
    }
    assert.equal(said(interpret(rule, provider, pagesOf(vector), period)), expected, vector.name);
  }
});

const PRESS =
  'In the week ending July 25, the advance figure for seaso nally adjusted initial cla ims was 218,000, an increase of 2,000.\nInitia l Claims (SA) 218,000; week before 216,000\n';

test('interpret: a press release, and each way it can go wrong', () => {
  assert.equal(said(readText(RULE, 'press', PRESS)), 218_000n);
  const cases: readonly (readonly [string, string, bigint | string])[] = [
    [
      'the table says another number',
      PRESS.replace('(SA) 218,000', '(SA) 219,000'),
      'check_failed',
    ],
    ['the table is not there', PRESS.replace('(SA)', '(NSA)'), 'not_published'],
    ['another week', PRESS.replace('July 25', 'July 18'), 'not_published'],
    ['the sentence twice', PRESS + PRESS, 'malformed'],
    ['no number', PRESS.replace('218,000, an', 'unchanged, an'), 'malformed'],
    ['a European number', PRESS.replace('218,000, an', '218.000,5 an'), 'malformed'],
    ['a number torn apart', PRESS.replace('218,000, an', '218, 000, an'), 218_000n],
    ['an error page', '<html><body>Service unavailable</body></html>', 'not_published'],
    ['nothing', '', 'not_published'],
  ];
  for (const [name, text, expected] of cases)
    assert.equal(said(readText(RULE, 'press', text)), expected, name);
  assert.equal(
    said(
      interpret(
        RULE,
        providerOf(RULE, 'press'),
        [Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0xff)],
        PERIOD,
      ),
    ),
    'malformed',
  );
  assert.equal(said(interpret(RULE, providerOf(RULE, 'press'), [], PERIOD)), 'malformed');
});

test('interpret: a table, and each way it can go wrong', () => {
  const table =
    'week_ending,series,claims\r\n2026-07-18,SA,216000\r\n2026-07-25,SA,218000\r\n2026-07-25,NSA,190000\r\n';
  assert.equal(said(readText(RULE, 'table', table)), 218_000n);
  assert.equal(said(readText(RULE, 'table', `\ufeff${table}`)), 218_000n, 'a byte order mark');
  const cases: readonly (readonly [string, string, bigint | string])[] = [
    ['not yet', table.replace('2026-07-25,SA,218000\r\n', ''), 'not_published'],
    ['a dash', table.replace('218000', '-'), 'no_source'],
    ['a later week', `${table}2026-08-01,SA,1\r\n`, 'superseded'],
    ['the week twice', `${table}2026-07-25,SA,218000\r\n`, 'malformed'],
    ['a column renamed', table.replace('claims', 'initial_claims'), 'malformed'],
    ['a column added', table.replace('claims\r\n', 'claims,note\r\n'), 'malformed'],
    ['grouped', table.replace('218000', '"218,000"'), 'malformed'],
    ['past 2^53', table.replace('218000', '9007199254740993'), 9007199254740993n],
    ['the last i64', table.replace('218000', '9223372036854775807'), 9223372036854775807n],
    ['past i64', table.replace('218000', '9223372036854775808'), 'out_of_range'],
    ['below i64', table.replace('218000', '-9223372036854775809'), 'out_of_range'],
    ['half a claim', table.replace('218000', '218000.5'), 218_001n],
    ['HTML', '<!doctype html>\n<title>Moved, permanently</title>\n', 'malformed'],
    ['cut off in a row', table.slice(0, -12), 'malformed'],
  ];
  for (const [name, text, expected] of cases)
    assert.equal(said(readText(RULE, 'table', text)), expected, name);
});

function page(value: string, more = ''): string {
  return `{"Results":{"series":[{"data":[{"month":"2025-11-01","kind":"month","value":${value}},{"month":"2025-10-01","kind":"month","value":"-"}${more}]}]}}`;
}

test('interpret: JSON, and each way it can go wrong', () => {
  const rule = cpiRule();
  const period = parseDate('2025-11-01');
  assert.equal(said(readText(rule, 'bls', page('"331.204"'), period)), 331_204n);
  assert.equal(
    said(readText(rule, 'bls', page('331.2045'), period)),
    331_204n,
    'half to even, from the text',
  );
  assert.equal(said(readText(rule, 'bls', page('331.2055'), period)), 331_206n);
  assert.equal(
    said(readText(rule, 'bls', page('331.20450000000000000000001'), period)),
    331_205n,
    'beyond a double',
  );
  const cases: readonly (readonly [string, string, string])[] = [
    ['an exponent', page('3.31e2'), 'malformed'],
    ['null', page('null'), 'malformed'],
    ['a member twice', page('"1","value":"2"'), 'malformed'],
    [
      'the month twice',
      page('"1"', ',{"month":"2025-11-01","kind":"month","value":"1"}'),
      'malformed',
    ],
    [
      'a day that is no month',
      page('"1"', ',{"month":"2025-11-02","kind":"month","value":"1"}'),
      'malformed',
    ],
    ['an array for the whole', '[]', 'malformed'],
    ['an error in JSON', '{"error":"rate limited"}', 'malformed'],
    ['too deep', `${'['.repeat(65)}${']'.repeat(65)}`, 'too_large'],
    ['XML', '<?xml version="1.0"?>', 'malformed'],
  ];
  for (const [name, text, expected] of cases)
    assert.equal(said(readText(rule, 'bls', text, period)), expected, name);
  assert.equal(said(readText(rule, 'bls', page('"1"'), parseDate('2025-10-01'))), 'no_source');
  assert.equal(said(readText(rule, 'bls', page('"1"'), parseDate('2025-12-01'))), 'not_published');
});

test('interpret: the series that a reading was picked from, scaled', () => {
  const text =
    'week_ending,series,claims\n2026-07-18,SA,216000\n2026-07-25,SA,-\n2026-07-11,SA,1.5\n2026-07-04,NSA,9\n';
  const table = providerOf(RULE, 'table');
  const seriesOf = (bytes: string): ScaledSeries | undefined => {
    const { series } = interpretWhole(RULE, table, [formatUtf8(bytes)], PERIOD);
    return series && scaleSeries(RULE, series);
  };
  assert.deepEqual(
    [...(seriesOf(text) ?? [])].map(([period, value]) => [formatDate(period), value]),
    [
      ['2026-07-18', 216_000n],
      ['2026-07-25', null],
      ['2026-07-11', 2n],
    ],
  );
  assert.equal(seriesOf('not,a,table\n1'), undefined);
  assert.equal(seriesOf(text.replace('216000', '9'.repeat(20))), undefined);
  const press = interpretWhole(RULE, providerOf(RULE, 'press'), [formatUtf8(PRESS)], PERIOD);
  assert.equal(press.reading.outcome, 'ok');
  assert.equal(press.series, undefined, 'no series, no revisions');
});

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.constantFrom<Step>({ op: 'utf8' }, { op: 'json' }, { op: 'squash' }),
    fc.record({
      op: fc.constant('csv' as const),
      delimiter: fc.constantFrom(',' as const, '\t' as const, ';' as const),
    }),
    fc.record({
      op: fc.constant('after' as const),
      text: fc.constantFrom('a', '{period:MonthD}', ',', '"'),
    }),
    fc.record({
      op: fc.constantFrom('at' as const, 'rows' as const),
      ptr: fc.constantFrom('', '/a', '/0', '/a/0', '/__proto__', '/~1'),
    }),
    fc.constantFrom<Step>(
      { op: 'records', ptr: '' },
      { op: 'records', ptr: '/a' },
      { op: 'xml', rows: '/a/b' },
      { op: 'zip', key: '/a', value: '/b' },
      { op: 'zip', key: '', value: '' },
      { op: 'distinct', ptrs: ['/a', '/v'] },
      { op: 'choose', by: '/a', cases: [{ is: '1', ptr: '/b' }], into: 'v' },
      { op: 'count' },
      { op: 'sum_product', ptrs: ['/a', '/v'], style: 'plain' },
      { op: 'diff', lag: 1 },
      { op: 'pct_change', lag: 1000 },
      { op: 'scale', mul: '-0.5', div: '3' },
      { op: 'skip_to', text: '{period:MonthD}' },
      { op: 'skip_to', text: 'a' },
    ),
    fc.record({
      op: fc.constantFrom('sum' as const, 'median' as const, 'min' as const, 'max' as const),
      ptr: fc.constantFrom('/a', '/v'),
      style: fc.constantFrom('plain' as const, 'us_grouped' as const),
    }),
    fc.record({
      op: fc.constant('between' as const),
      ptr: fc.constantFrom('/a', '/d'),
      style: fc.constantFrom('text' as const, 'plain' as const),
      from: fc.constantFrom('', '0', '{release:unix}', '{period-400:YYYY-MM-DD}'),
      to: fc.constantFrom('9', '{Y}', '{period+1:YYYY-MM-DD}'),
    }),
    fc.record({
      op: fc.constant('where' as const),
      ptr: fc.constantFrom('/a', '/b', ''),
      test: fc.constantFrom('in' as const, 'not_in' as const, 'prefix' as const),
      values: fc.constantFrom(['1'], ['', 'x'], ['{period}', '20']),
    }),
    fc.record({
      op: fc.constant('series' as const),
      key: fc.constantFrom(['/a'], ['/d'], ['/a', '/d']),
      key_style: fc.constantFrom(
        'iso_date' as const,
        'us_date' as const,
        'iso_prefix' as const,
        'iso_month' as const,
        'bls_month' as const,
      ),
      value: fc.constantFrom('/b', '/v', '/a'),
      style: fc.constantFrom('plain' as const, 'us_grouped' as const),
      missing: fc.constantFrom([], ['', '-']),
    }),
    fc.record({
      op: fc.constant('pick' as const),
      among: fc.constantFrom('any' as const, 'newest' as const),
    }),
    fc.record({
      op: fc.constant('num' as const),
      style: fc.constantFrom('plain' as const, 'us_grouped' as const),
      take: fc.constantFrom('all' as const, 'prefix' as const),
    }),
  ),
  { maxLength: 8 },
);
const likely: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.constant<Step>({ op: 'utf8' }),
    fc.constantFrom<readonly Step[]>(
      [{ op: 'json' }, { op: 'rows', ptr: '' }],
      [{ op: 'json' }, { op: 'rows', ptr: '/a' }],
      [{ op: 'csv', delimiter: ',' }],
      [{ op: 'squash' }, { op: 'after', text: 'a' }],
    ),
    steps,
  )
  .map(([first, next, rest]) => [first, ...next, ...rest]);

/** Pipelines that end in a number, before a random step or two is put in. */
const whole: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.constantFrom<readonly Step[]>(
      [
        { op: 'utf8' },
        { op: 'csv', delimiter: ',' },
        {
          op: 'series',
          key: ['/d'],
          key_style: 'iso_date',
          value: '/v',
          style: 'plain',
          missing: ['-'],
        },
        { op: 'pick', among: 'newest' },
      ],
      [{ op: 'utf8' }, { op: 'num', style: 'us_grouped', take: 'prefix' }],
    ),
    fc.nat(4),
    fc.option(steps, { freq: 2 }),
  )
  .map(([all, at, more]) => (more === null ? all : all.toSpliced(at, 0, ...more)));

test('interpret: total: any steps on any bytes give a value or a listed reason', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    'd',
    'v',
    ',',
    '\n',
    '"',
    '1',
    '218,000',
    '-',
    '2026-07-25',
    '07/25/2026',
    '{',
    '}',
    '[',
    ']',
    ':',
    '"a":',
    '[{"d":"2026-07-25","v":"1"}]',
    '<a>',
    '</a>',
    '<b>',
    '</b>',
    '2026-07',
    '2026-M07',
    '\ufeff',
    'July25',
    'é',
    'd,v\n2026-07-25,1\n',
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.constantFrom('d,v\n2026-07-25,1\n', 'd,v\n2026-07-25,-\n', '218,000,a').map(formatUtf8),
    fc.array(piece, { maxLength: 12 }).map((all) => formatUtf8(all.join(''))),
  );
  const outcomes: ReadonlySet<string> = new Set(['ok', ...READ_FAILURES]);
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.oneof(steps, likely, whole),
      fc.array(bytes, { minLength: 1, maxLength: 1 }),
      fc.oneof(fc.constant(PERIOD), fc.integer({ min: -4_000_000, max: 4_000_000 })),
      fc.constantFrom(...PERIOD_KINDS),
      fc.integer({ min: 0, max: 18 }),
      (extract, pages, period, kind, decimals) => {
        const rule: Rule = { ...RULE, period: kind, decimals };
        const provider: Provider = { ...providerOf(rule, 'table'), extract, checks: [] };
        const reading = interpret(rule, provider, pages, period);
        seen.add(reading.outcome);
        assert.ok(outcomes.has(reading.outcome), reading.outcome);
        if (reading.outcome === 'ok') assert.equal(BigInt.asIntN(64, reading.value), reading.value);
        assert.deepEqual(interpret(rule, provider, pages, period), reading, 'the same again');
        const picking: Step[] = [...extract, { op: 'pick', among: 'any' }];
        const { series } = interpretWhole(rule, { ...provider, extract: picking }, pages, period);
        if (series !== undefined) scaleSeries(rule, series);
      },
    ),
    { numRuns: 5000 },
  );
  for (const outcome of ['ok', 'malformed', 'not_published']) assert.ok(seen.has(outcome), outcome);
});

test('interpret: large input takes time in proportion', () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `${formatDate(PERIOD - 7 * i)},SA,${i}`);
  const text = `week_ending,series,claims\n${rows.join('\n')}\n`;
  assert.equal(said(readText(RULE, 'table', text)), 0n);
  assert.equal(said(readText(RULE, 'press', ' '.repeat(3_000_000) + PRESS)), 218_000n);
  assert.equal(compare(fractionOf('1/3'), fractionOf('2/6')), 0);
});

test('interpret: numbers of a hundred digits for every period, over and over', () => {
  const digits = (i: number): string => `${7n ** 110n * BigInt(i + 2)}`.slice(0, 49);
  const rows = Array.from(
    { length: 20_000 },
    (_, i) => `${formatDate(i)},${digits(i)}.${digits(3 * i)}`,
  );
  const rule: Rule = { ...RULE, period: 'utc_day' };
  const extract = (more: readonly Step[]): readonly Step[] => [
    { op: 'utf8' },
    { op: 'csv', delimiter: ',' },
    {
      op: 'series',
      key: ['/d'],
      key_style: 'iso_date',
      value: '/v',
      style: 'plain',
      missing: [],
    },
    ...more,
    { op: 'pick', among: 'any' },
  ];
  const bytes = formatUtf8(`d,v\n${rows.join('\n')}\n`);
  const run = (more: readonly Step[]): bigint | string =>
    said(
      interpret(
        rule,
        { ...providerOf(rule, 'table'), extract: extract(more), checks: [] },
        [bytes],
        9,
      ),
    );
  const same: Step = { op: 'scale', mul: '1', div: '1' };
  assert.equal(run(Array.from({ length: 4 }, () => same)), 'out_of_range');
  const twice: readonly Step[] = [
    { op: 'scale', mul: '1', div: '3' },
    { op: 'pct_change', lag: 1 },
    { op: 'pct_change', lag: 1 },
  ];
  assert.equal(run(twice), 'out_of_range', 'digits that double stop at a hundred');
});
