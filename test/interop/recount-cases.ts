import type { Paging, Total, Until } from '@assay/core/source/request';
import { ROUNDINGS } from '@assay/core/number/rational';
import { PERIOD_KINDS, periodOf, type PeriodKind, shiftPeriod } from '@assay/core/rule/period';
import { ZONES, type Release } from '@assay/core/rule/release';
import type { Step } from '@assay/core/rule/vocabulary';
import { formatDate, parseDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import fc from 'fast-check';

/** A rule's steps, what they read, and for which period. */
export interface Case {
  readonly kind: PeriodKind;
  readonly period: number;
  readonly release: Release;
  readonly decimals: number;
  readonly round: (typeof ROUNDINGS)[number];
  readonly extract: readonly Step[];
  readonly checks: readonly { readonly name: string; readonly extract: readonly Step[] }[];
  readonly pages: readonly Uint8Array[];
  /** How the pages were asked for; null where the rule alone is run over them. */
  readonly paging: Paging | null;
}

const NAMES = ['d', 'v', 'a', 'b', 'n'] as const;
const name = fc.constantFrom(...NAMES);
const pointer = fc.oneof(
  { weight: 12, arbitrary: name.map((each) => `/${each}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '/0', '/a/b', '/a/0', '/~1', '/~01', '/__proto__', '/00'),
  },
);
const style = fc.constantFrom('plain' as const, 'us_grouped' as const);
const numeral = fc.oneof(
  fc.integer({ min: -40, max: 40 }).map(String),
  fc.tuple(fc.integer({ min: -9, max: 999 }), fc.nat(9999)).map(([a, b]) => `${a}.${b}`),
  fc.constantFrom(
    '0',
    '-0',
    '-0.0',
    '1,234',
    '-12,345.60',
    '0.5',
    '2.50',
    '1e3',
    '+1',
    '.5',
    '1.',
    '01',
    '1,23',
    '00.1',
  ),
  fc.stringMatching(/^-?[1-9][0-9]{15,60}(\.[0-9]{1,45})?$/),
);
const blank = fc.constantFrom(
  ' ',
  '\u00a0',
  '\t',
  '\u200b',
  '\u3000',
  '\ufeff',
  '\u2028',
  '\u0085',
  '\u001c',
  '\r\n',
  '\v',
);
const odd = fc.constantFrom(
  '',
  '-',
  'x',
  'xy',
  'yes',
  'no',
  'é',
  '😀',
  '\ue000',
  '\uffff',
  '٣',
  'July',
  '}',
  '"',
);

/** The date of a day number, or the nearest that there is. */
function nearest(day: number): string {
  return formatDate(Math.min(Math.max(day, -719_162), 2_932_896));
}

/** How sources write days, near `period`. */
function dayText(period: number): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(1, 7, 30),
      fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5, 6),
    )
    .map(([count, days, form]) => {
      const text = nearest(period + count * days);
      const [y = '', m = '', d = ''] = text.split('-');
      return (
        [
          text,
          `${m}/${d}/${y}`,
          `${text}T00:00:00Z`,
          `${text} 8:00`,
          `${y}-${m}`,
          `${y}-M${m}`,
          `${text}x`,
        ][form] ?? text
      );
    });
}

const variables = fc.constantFrom(
  '{period}',
  '{Y}-{M}',
  '{Y-1}',
  '{D}',
  '{MMDDYY}',
  '{period:MonthD}',
  '{period-6:MM-DD-YYYY}',
  '{period+1:unix}',
  '{release:YYYYMMDD}',
  '{release-400:MMDDYY}',
  '{period+400:YYYY-MM-DD}T',
  '{x}',
  '{{Y}}',
  '{}',
);

function rowStep(text: fc.Arbitrary<string>): fc.Arbitrary<Step> {
  return fc.oneof(
    fc.record({
      op: fc.constant('where' as const),
      ptr: pointer,
      test: fc.constantFrom('in' as const, 'not_in' as const, 'prefix' as const),
      values: fc.array(fc.oneof(text, variables, fc.constant('20')), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    fc.record({
      op: fc.constant('between' as const),
      ptr: pointer,
      style: fc.constantFrom('text' as const, 'plain' as const),
      from: fc.oneof(fc.constantFrom('', '-100', '0'), text, variables),
      to: fc.oneof(fc.constantFrom('\uffff', '99999', 'z'), text, variables),
    }),
    fc.record({
      op: fc.constant('distinct' as const),
      ptrs: fc.array(pointer, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      op: fc.constant('choose' as const),
      by: pointer,
      cases: fc.uniqueArray(
        fc.record({ is: fc.constantFrom('yes', 'no', 'x', '0', ''), ptr: pointer }),
        {
          minLength: 1,
          maxLength: 5,
          selector: ({ is }) => is,
        },
      ),
      into: fc.constantFrom('v', 'n', 'price'),
    }),
  );
}

const amount: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ op: 'count' }),
  fc.record({
    op: fc.constantFrom('sum' as const, 'median' as const, 'min' as const, 'max' as const),
    ptr: pointer,
    style,
  }),
  fc.record({
    op: fc.constant('sum_product' as const),
    ptrs: fc.array(pointer, { minLength: 2, maxLength: 4 }),
    style,
  }),
);
const series = fc.record({
  op: fc.constant('series' as const),
  key: fc.oneof(
    { weight: 6, arbitrary: fc.constant(['/d']) },
    { weight: 1, arbitrary: fc.array(pointer, { minLength: 1, maxLength: 3 }) },
  ),
  key_style: fc.constantFrom(
    ...(['iso_date', 'us_date', 'iso_prefix', 'iso_month', 'bls_month'] as const),
  ),
  value: fc.oneof({ weight: 4, arbitrary: fc.constant('/v') }, pointer),
  style,
  missing: fc.constantFrom([], ['', '-', 'x'], ['-']),
});
const lag = fc.oneof(fc.constantFrom(1, 2, 7), fc.integer({ min: 1, max: 1000 }));
const scale = fc.record({
  op: fc.constant('scale' as const),
  mul: fc.constantFrom('1', '-2.5', '0', '1000', '0.001', '-0', `1${'0'.repeat(60)}`),
  div: fc.constantFrom('1', '3', '-0.07', '10', `7${'3'.repeat(50)}`),
});
const seriesStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constantFrom('diff' as const, 'pct_change' as const), lag }),
  scale,
);
const pick = fc.record({
  op: fc.constant('pick' as const),
  among: fc.constantFrom('any' as const, 'newest' as const),
});
const num = fc.record({
  op: fc.constant('num' as const),
  style,
  take: fc.constantFrom('all' as const, 'prefix' as const, 'prefix' as const),
});
const anchor = fc.oneof(fc.constantFrom('x', 'was', 'xx', 'July', '😀'), variables);
const textStep: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ op: 'squash' }),
  fc.record({ op: fc.constantFrom('after' as const, 'skip_to' as const), text: anchor }),
);
const list = fc.constantFrom('', '/a', '/a/b', '/0');
type Form = 'json' | 'csv' | 'xml' | 'text' | 'pages' | 'zip' | 'at';
const OPENINGS: Readonly<Record<Form, fc.Arbitrary<readonly Step[]>>> = {
  json: list.map((ptr) => [{ op: 'utf8' }, { op: 'json' }, { op: 'rows', ptr }]),
  csv: fc
    .constantFrom(',' as const, '\t' as const, ';' as const)
    .map((delimiter) => [{ op: 'utf8' }, { op: 'csv', delimiter }]),
  xml: fc
    .constantFrom('/a', '/a/b', '/a/b', '/a/a/b', '/b')
    .map((rows) => [{ op: 'utf8' }, { op: 'xml', rows }]),
  text: fc.constant([{ op: 'utf8' }]),
  pages: list.map((ptr) => [{ op: 'records', ptr }]),
  zip: fc
    .tuple(list, list)
    .map(([key, value]) => [{ op: 'utf8' }, { op: 'json' }, { op: 'zip', key, value }]),
  at: fc
    .tuple(pointer, num)
    .map(([ptr, last]) => [{ op: 'utf8' }, { op: 'json' }, { op: 'at', ptr }, last]),
};

function stepsOf(form: Form, text: fc.Arbitrary<string>): fc.Arbitrary<readonly Step[]> {
  const opening = OPENINGS[form];
  const middle: fc.Arbitrary<readonly Step[]> =
    form === 'text'
      ? fc.array(textStep, { maxLength: 2 })
      : fc.array(rowStep(text), { maxLength: 2 });
  const end: fc.Arbitrary<readonly Step[]> =
    form === 'at'
      ? fc.constant([])
      : form === 'text'
        ? num.map((each) => [each])
        : fc.oneof(
            fc
              .tuple(amount, fc.array(scale, { maxLength: 1 }))
              .map(([each, more]) => [each, ...more]),
            fc
              .tuple(series, fc.array(seriesStep, { maxLength: 3 }), pick)
              .map(([first, more, last]) => [first, ...more, last]),
          );
  const whole = fc.tuple(opening, middle, end).map((parts) => parts.flat());
  // Now and then a step in a place where its input has another type, or one left out.
  const astray = fc.tuple(
    whole,
    fc.nat(9),
    fc.oneof(textStep, amount, seriesStep, pick, num, rowStep(text)),
  );
  return fc.oneof(
    { weight: 9, arbitrary: whole },
    { weight: 1, arbitrary: astray.map(([all, at, more]) => all.toSpliced(at, 0, more)) },
    {
      weight: 1,
      arbitrary: astray.map(([all, at]) => (all.length > 1 ? all.toSpliced(at, 1) : all)),
    },
  );
}

function records(
  cell: fc.Arbitrary<string>,
  day: fc.Arbitrary<string>,
): fc.Arbitrary<Record<string, string>[]> {
  const full = fc.record({ d: day, v: numeral, a: cell, b: numeral, n: cell });
  const some = fc.dictionary(name, cell, { maxKeys: 4 });
  return fc.array(fc.oneof({ weight: 12, arbitrary: full }, { weight: 1, arbitrary: some }), {
    maxLength: 5,
  });
}

/** A JSON string, sometimes in escapes. */
function jsonText(text: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function documentOf(
  form: Form,
  cell: fc.Arbitrary<string>,
  day: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const rows = records(cell, day);
  const escaped = fc.boolean();
  switch (form) {
    case 'csv':
      return fc
        .tuple(
          rows,
          fc.constantFrom(',', ',', '\t', ';'),
          fc.constantFrom('\n', '\r\n'),
          fc.boolean(),
          blank,
        )
        .map(([all, delimiter, end, quotes, pad]) => {
          const field = (text: string): string =>
            quotes || /["\n]/.test(text) || text.includes(delimiter)
              ? `"${text.replaceAll('"', '""')}"`
              : `${pad === '\r\n' || pad === delimiter ? '' : pad}${text}`;
          const lines = all.map((row) =>
            NAMES.map((each) => field(row[each] ?? '')).join(delimiter),
          );
          return [NAMES.join(delimiter), ...lines, ''].join(end);
        });
    case 'xml':
      return fc
        .tuple(rows, blank, fc.constantFrom('', '<?xml version="1.0"?>', '<!-- x -->'))
        .map(([all, pad, before]) => {
          const escape = (text: string): string =>
            text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\ue000', '&#xE000;');
          const row = (members: Record<string, string>): string =>
            `<b x='1'>${Object.entries(members)
              .map(([key, text]) => `<${key}>${pad}${escape(text)}&#160;</${key}>`)
              .join(pad)}</b>`;
          return `${before}<a>${all.map(row).join('\n')}</a>`;
        });
    case 'json':
    case 'pages':
    case 'zip':
    case 'at':
      return fc
        .tuple(rows, escaped, fc.boolean(), fc.constantFrom('', '/a', '/a/b', '/0'))
        .map(([all, u, bare, place]) => {
          const value = (text: string): string =>
            bare && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text) ? text : jsonText(text, u);
          const object = (members: Record<string, string>): string =>
            `{${Object.entries(members)
              .map(([key, text]) => `${jsonText(key, u)}:${value(text)}`)
              .join(', ')}}`;
          const array =
            form === 'zip'
              ? `[${all.map((row) => value(Object.values(row)[0] ?? '')).join(',')}]`
              : `[${all.map(object).join(',')}]`;
          if (form === 'zip') return `{"a":{"b":${array}},"b":1}`;
          if (form === 'at') return all[0] === undefined ? '{}' : object(all[0]);
          return (
            {
              '': array,
              '/a': `{"a":${array}}`,
              '/a/b': `{"a":{"b":${array}}}`,
              '/0': `[${array}]`,
            }[place] ?? array
          );
        });
    case 'text':
      return fc
        .array(fc.oneof(cell, numeral, blank, fc.constantFrom('x', 'was', 'July 25', ', ')), {
          maxLength: 8,
        })
        .map((all) => all.join(''));
  }
}

const scrap = fc.constantFrom(
  '"',
  ',',
  '}',
  '{',
  ']',
  '[',
  '<',
  '>',
  '&',
  '/',
  '\\',
  '\\ud83d',
  ' ',
  '\n',
  '0',
  '-',
  '.',
  'e',
  ':',
  '<!--',
  '-->',
  '<a>',
  '</b>',
  '<b/>',
  '&#0;',
  '\u0000',
  '\ufeff',
  'null',
  "'",
  ';',
);

/** A document with a scrap put in, or some of it cut out. */
function spoilt(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(text, fc.nat(), fc.option(scrap), fc.nat(3)).map(([all, at, more, cut]) => {
    const place = all.length === 0 ? 0 : at % all.length;
    return (all.slice(0, place) + (more ?? '') + all.slice(place + cut)).replaceAll(
      /\p{Surrogate}/gu,
      '?',
    );
  });
}

const release: fc.Arbitrary<Release> = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    days_after: fc.integer({ min: 0, max: 62 }),
    moved: fc.boolean(),
  })
  .map(({ zone, days_after, moved }) => ({
    zone,
    local: '08:30',
    days_after,
    exceptions: moved
      ? [{ period: formatDate(parseDate('2026-07-25')), date: formatDate(parseDate('2026-07-31')) }]
      : [],
    deadline_s: 86_400,
    first_print_within_s: 86_400,
  }));

const KEY_STYLES = ['iso_date', 'us_date', 'iso_prefix'] as const;
const plainNumeral = fc.oneof(
  fc.integer({ min: -40, max: 40 }).map(String),
  fc.tuple(fc.integer({ min: -9, max: 999 }), fc.nat(99)).map(([a, b]) => `${a}.${b}`),
  fc.stringMatching(/^[1-9][0-9]{2,14}\.[0-9]{1,12}$/),
);

/** Rows of consecutive periods, numbers and sides, and steps that read them: most give a number. */
function tidy(
  kind: PeriodKind,
  period: number,
): fc.Arbitrary<Pick<Case, 'extract' | 'checks' | 'pages'>> {
  const row = fc.record({
    v: fc.oneof(
      { weight: 12, arbitrary: plainNumeral },
      { weight: 1, arbitrary: fc.constantFrom('-', 'x', '1,000') },
    ),
    a: fc.constantFrom('yes', 'no', 'no', 'maybe'),
    b: plainNumeral,
    n: fc.oneof(fc.nat(5).map(String), odd),
  });
  const side: Step = { op: 'where', ptr: '/a', test: 'not_in', values: ['maybe'] };
  const rowSteps: fc.Arbitrary<readonly Step[]> = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.constantFrom<readonly Step[]>(
      [side],
      [{ op: 'where', ptr: '/a', test: 'prefix', values: ['y', 'n'] }],
      [{ op: 'distinct', ptrs: ['/n'] }],
      [{ op: 'distinct', ptrs: ['/a', '/n'] }],
      [
        side,
        {
          op: 'choose',
          by: '/a',
          cases: [
            { is: 'yes', ptr: '/v' },
            { is: 'no', ptr: '/b' },
          ],
          into: 'price',
        },
      ],
    ),
    fc
      .tuple(plainNumeral, plainNumeral)
      .map(([from, to]): readonly Step[] => [
        { op: 'between', ptr: '/b', style: 'plain', from, to },
      ]),
    fc
      .tuple(odd, odd)
      .map(([from, to]): readonly Step[] => [
        { op: 'between', ptr: '/n', style: 'text', from, to },
      ]),
  );
  const number = fc.constantFrom('/b', '/b', '/v');
  const amounts: fc.Arbitrary<Step> = fc.oneof(
    fc.constant<Step>({ op: 'count' }),
    fc.record({
      op: fc.constantFrom('sum' as const, 'median' as const, 'min' as const, 'max' as const),
      ptr: number,
      style,
    }),
    fc.record({
      op: fc.constant('sum_product' as const),
      ptrs: fc.array(number, { minLength: 2, maxLength: 4 }),
      style,
    }),
  );
  return fc
    .record({
      rows: fc.array(row, { minLength: 1, maxLength: 9 }),
      before: fc.integer({ min: -2, max: 8 }),
      form: fc.constantFrom('json', 'csv', 'xml', 'pages'),
      keyStyle: fc.constantFrom(...KEY_STYLES, 'iso_month' as const, 'bls_month' as const),
      rowSteps,
      end: fc.oneof(
        fc.tuple(amounts, fc.array(scale, { maxLength: 1 })).map(([each, more]) => [each, ...more]),
        fc.tuple(fc.array(seriesStep, { maxLength: 2 }), pick),
      ),
      checked: fc.constantFrom('none', 'none', 'same', 'other'),
      cut: fc.nat(),
    })
    .map(({ rows, before, form, keyStyle, rowSteps: middle, end, checked, cut }) => {
      const day = (i: number): string => {
        const date = nearest(shiftPeriod(kind, period, i - before));
        const [y = '', m = '', d = ''] = date.split('-');
        const forms: Readonly<Record<string, string>> = {
          us_date: `${m}/${d}/${y}`,
          iso_prefix: `${date}T08:30`,
          iso_month: `${y}-${m}`,
          bls_month: `${y}-M${m}`,
        };
        return forms[keyStyle] ?? date;
      };
      const all = rows.map((each, i): Record<string, string> => ({ d: day(i), ...each }));
      const [last] = end.slice(-1);
      const ends: readonly Step[] =
        end.length === 2 && Array.isArray(end[0])
          ? [
              {
                op: 'series',
                key: ['/d'],
                key_style: keyStyle,
                value: '/v',
                style: 'us_grouped',
                missing: ['-', 'x'],
              },
              ...(end[0] as readonly Step[]),
              last as Step,
            ]
          : (end as readonly Step[]);
      const object = (each: Record<string, string>): string => JSON.stringify(each);
      const items = `[${all.map(object).join(',')}]`;
      const half = cut % (all.length + 1);
      const texts: Readonly<Record<string, readonly string[]>> = {
        json: [`{"a":${items}}`],
        csv: [
          [
            'd;v;a;b;n',
            ...all.map((each) =>
              ['d', 'v', 'a', 'b', 'n']
                .map((key) => `"${(each[key] ?? '').replaceAll('"', '""')}"`)
                .join(';'),
            ),
          ].join('\n'),
        ],
        xml: [
          `<a>${all
            .map(
              (each) =>
                `<b>${Object.entries(each)
                  .map(
                    ([key, text]) => `<${key}> ${text.replaceAll('\uffff', '&#xFFFD;')} </${key}>`,
                  )
                  .join('')}</b>`,
            )
            .join('')}</a>`,
        ],
        pages: [
          `[${all.slice(0, half).map(object).join(',')}]`,
          `[${all.slice(half).map(object).join(',')}]`,
        ],
      };
      const openings: Readonly<Record<string, readonly Step[]>> = {
        json: [{ op: 'utf8' }, { op: 'json' }, { op: 'rows', ptr: '/a' }],
        csv: [{ op: 'utf8' }, { op: 'csv', delimiter: ';' }],
        xml: [{ op: 'utf8' }, { op: 'xml', rows: '/a/b' }],
        pages: [{ op: 'records', ptr: '' }],
      };
      const extract = [...(openings[form] ?? []), ...middle, ...ends];
      const check = {
        name: 'again',
        extract:
          checked === 'same' ? extract : [...extract, { op: 'scale', mul: '1', div: '3' } as const],
      };
      return {
        extract,
        checks: checked === 'none' ? [] : [check],
        pages: (texts[form] ?? []).map(formatUtf8Loosely),
      };
    });
}

/** Steps and bytes: half of them fit each other, the others nearly. */
export const cases: fc.Arbitrary<Case> = fc
  .record({
    kind: fc.constantFrom(...PERIOD_KINDS),
    day: fc.oneof(
      { weight: 8, arbitrary: fc.constant(parseDate('2026-07-25')) },
      { weight: 2, arbitrary: fc.integer({ min: -719_000, max: 2_932_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(-719_162 + 6, 2_932_896 - 40) },
    ),
    form: fc.constantFrom<Form>('json', 'csv', 'csv', 'xml', 'text', 'pages', 'zip', 'at'),
    release,
    decimals: fc.integer({ min: 0, max: 18 }),
    round: fc.constantFrom(...ROUNDINGS),
    fits: fc.boolean(),
    pages: fc.integer({ min: 0, max: 3 }).map((each) => each === 0),
  })
  .chain(({ kind, day, form, ...rest }) => {
    const about = {
      paging: null,
      release: rest.release,
      decimals: rest.decimals,
      round: rest.round,
    };
    const period = periodOf(kind, day);
    if (rest.fits) {
      return tidy(kind, period).map((each) => ({ ...about, ...each, kind, period }));
    }
    if (rest.pages) return paged(period).map((each) => ({ ...about, ...each, kind, period }));
    const text = fc.oneof(dayText(period), numeral, odd, blank);
    const cell = fc.oneof(
      text,
      fc.tuple(text, text).map((two) => two.join('')),
    );
    const extract = stepsOf(form, text);
    const document = documentOf(form, cell, dayText(period));
    const bytes = fc.oneof(
      { weight: 8, arbitrary: document.map(formatUtf8Loosely) },
      { weight: 4, arbitrary: spoilt(document).map(formatUtf8Loosely) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }) },
    );
    return fc
      .record({
        extract,
        checks: fc.array(fc.record({ name: fc.constant('again'), extract }), { maxLength: 1 }),
        pages: fc.array(bytes, { minLength: 1, maxLength: form === 'pages' ? 3 : 1 }),
      })
      .map((each) => ({ ...each, ...about, kind, period }));
  });

/** Lists in pages, most of them whole, and the count of their records. */
function paged(
  period: number,
): fc.Arbitrary<Pick<Case, 'extract' | 'checks' | 'pages' | 'paging'>> {
  const until: fc.Arbitrary<Until> = fc
    .record({
      rows: fc.constantFrom('/data', '/data', '/data', '/x'),
      time: fc.constantFrom(
        ...([
          ['/t', 'unix'],
          ['/t', 'unix'],
          ['/i', 'iso_instant'],
          ['/i', 'iso_instant'],
          ['/i', 'unix'],
          ['/at', 'unix'],
        ] as const),
      ),
      before: fc.constantFrom(`${(period + 1) * 86_400}`, '{period:unix}', '{release+1:unix}', '0'),
    })
    .map(({ rows, time: [ptr, form], before }) => ({ rows, ptr, style: form, before }));
  const end = fc.option(until);
  const total = fc.option(
    fc.constantFrom<Total>(
      { rows: '/data', ptr: '/all' },
      { rows: '/data', ptr: '/all' },
      { rows: '/data', ptr: '/meta/all' },
      { rows: '/x', ptr: '/none' },
    ),
    { freq: 2 },
  );
  const paging: fc.Arbitrary<Paging> = fc.oneof(
    fc.record({
      kind: fc.constant('cursor' as const),
      ptr: fc.constantFrom('/next', '/next', '/next', '/meta/next', '/data/-/at', '/data/0/i', ''),
      place: fc.constant('query' as const),
      name: fc.constant('c'),
      max_pages: fc.constantFrom(1, 3, 10),
      until: end,
      total,
    }),
    fc.record({ kind: fc.constant('link' as const), max_pages: fc.constantFrom(2, 10), until }),
    fc.record({
      kind: fc.constant('offset' as const),
      name: fc.constant('o'),
      step: fc.constantFrom(1, 2, 3),
      rows: fc.constantFrom('/data', '/data', '/x'),
      max_pages: fc.constantFrom(2, 10),
      until: end,
      total,
    }),
  );
  const seconds = fc
    .integer({ min: -2, max: 2 })
    .map((days) => (period + days) * 86_400)
    .chain((at) => fc.constantFrom(`${at}`, `${at}.999999999`, `${at - 1}.999999999`, `${at}.5`));
  const iso = fc
    .tuple(
      fc.integer({ min: -2, max: 2 }),
      fc.constantFrom('T00:00:00Z', 'T23:59:59.999Z', 'T12:00:00+00:00', 'T24:00:00Z', ' 8:00'),
    )
    .map(([days, time]) => `${nearest(period + days)}${time}`);
  const cursor = fc.constantFrom<unknown>(
    'c1',
    'c2',
    'c3',
    'c4',
    'c5',
    'c1',
    '',
    null,
    7,
    '\ud800',
    {},
    'c'.repeat(4097),
  );
  const record = fc.record(
    { t: fc.oneof(seconds, iso), i: fc.oneof(cursor, iso, seconds), v: plainNumeral },
    { requiredKeys: ['v'] },
  );
  const page = fc
    .record(
      {
        data: fc.array(record, { maxLength: 3 }),
        next: cursor,
        meta: fc.record({ next: cursor, all: cursor }),
        all: fc.constantFrom<unknown>(1, 2, '2', 3, '03', 1.5, null),
        x: fc.constant([]),
      },
      { requiredKeys: ['data'] },
    )
    .map((each) => JSON.stringify(each));
  const anyhow = fc.tuple(paging, fc.array(page, { minLength: 1, maxLength: 4 }));
  // A list that goes back in time, ends where its paging looks for it, and is sometimes cut short.
  const whole = fc
    .record({
      how: paging,
      count: fc.integer({ min: 1, max: 4 }),
      cut: fc.constantFrom(0, 0, 0, 1),
      ends: fc.constantFrom(true, true, false),
      off: fc.constantFrom(0, 0, 0, 0, 1),
    })
    .map(({ how, count, cut, ends, off }): [Paging, readonly string[]] => {
      const full = how.kind === 'offset' ? how.step : 2;
      const texts = Array.from({ length: count }, (_, i) => {
        const last = ends && i === count - 1;
        const day = last ? period - 500 : period + 500;
        const item = { t: `${day * 86_400}.9`, i: `${nearest(day)}T12:00:00.9Z`, at: i, v: '1' };
        const data = Array.from(
          { length: last && how.kind === 'offset' ? full - 1 : full },
          () => item,
        );
        const next = last ? null : `p${i}`;
        const short = how.kind === 'offset' && ends ? 1 : 0;
        const all = (count - cut) * full - (cut === 0 ? short : 0) + (i === 0 ? off : 0);
        return JSON.stringify({ data, next, meta: { next, all: `${all}` }, all, x: [] });
      });
      return [how, texts.slice(0, texts.length - cut)];
    });
  return fc
    .tuple(
      fc.oneof({ weight: 1, arbitrary: anyhow }, { weight: 3, arbitrary: whole }),
      fc.option(scrap, { freq: 8 }),
      fc.nat(9),
    )
    .map(([[how, texts], spoil, at]) => ({
      paging: how,
      pages: texts.map((text, i) =>
        formatUtf8Loosely(
          (i === 1 ? '\ufeff' : '') + text + (spoil !== null && i === at ? spoil : ''),
        ),
      ),
      extract: [{ op: 'records', ptr: '/data' }, { op: 'count' }],
      checks: [],
    }));
}

function formatUtf8Loosely(text: string): Uint8Array {
  return formatUtf8(text.replaceAll(/\p{Surrogate}/gu, '?'));
}
