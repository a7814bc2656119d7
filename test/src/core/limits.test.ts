import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_BUNDLE_BYTES, parseBundle } from '@assay/core/proof/bundle';
import { faultCode } from '@assay/core/fault';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { parseGenesis } from '@assay/core/kind/genesis';
import { parseRevision } from '@assay/core/kind/revision';
import {
  MAX_ENTRY_BYTES,
  MAX_NUMBER_DIGITS,
  MAX_PAGE_BYTES,
  MAX_READ_BYTES,
  MAX_READ_WORK,
  MAX_REVISION_ROWS,
  MAX_SERIES_PERIODS,
  MAX_SOURCE_DEPTH,
  MAX_SOURCE_ROWS,
  MAX_SOURCE_VALUES,
} from '@assay/core/limits';
import { parseReport } from '@assay/core/report/report';
import { interpret } from '@assay/core/rule/interpret';
import { parseRule, type Provider } from '@assay/core/rule/rule';
import { type OpContext, ReadStopped, type Value } from '@assay/core/rule/value';
import { parseStep, runStep } from '@assay/core/rule/vocabulary';
import { parseSnapshot } from '@assay/core/read/snapshot';
import { formatDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, type WireObject, type WireValue } from '@assay/core/wire/wire';
import { NO_LIMIT } from '@assay/core/work-budget';
import { GENESIS, sha256, vectors } from './fixture/fixture.ts';

/** A member by its path, what is still inside its limits, and what is just outside. */
type Limit = readonly [path: string, inside: readonly WireValue[], outside: readonly WireValue[]];

function replaced(good: WireObject, path: string, value: WireValue): WireObject {
  const copy = structuredClone(good) as Record<string, unknown>;
  const parts = path.split('.');
  const last = parts.pop() as string;
  let node = copy;
  for (const part of parts) node = node[part] as Record<string, unknown>;
  node[last] = value;
  return copy as WireObject;
}

/** Tries each limit from both sides; outside, the fault names a place at or within the member. */
function tryLimits(
  noun: string,
  good: WireObject,
  parse: (value: WireObject) => unknown,
  limits: readonly Limit[],
): void {
  test(`limits of a ${noun}, from both sides`, () => {
    assert.ok(parse(good));
    for (const [path, inside, outside] of limits) {
      for (const value of inside) {
        assert.doesNotThrow(() => parse(replaced(good, path, value)), `${path}: ${show(value)}`);
      }
      const place = path.replaceAll(/\.(\d+)/g, '[$1]');
      for (const value of outside) {
        assert.throws(
          () => parse(replaced(good, path, value)),
          (error: { code: string; at: string }) =>
            error.code === 'malformed' && `.${error.at}`.includes(`.${place}`),
          `${path}: ${show(value)}`,
        );
      }
    }
  });
}

function show(value: WireValue): string {
  return (JSON.stringify(value) ?? '').slice(0, 40);
}

/** Texts of the least and the most characters; then one fewer and one more. */
function text(path: string, min: number, max: number): Limit {
  const few = min > 0 ? ['a'.repeat(min - 1)] : [];
  return [path, ['a'.repeat(min), 'a'.repeat(max)], [...few, 'a'.repeat(max + 1)]];
}

function number(path: string, min: number, max: number): Limit {
  return [path, [min, max], [min - 1, max + 1]];
}

function items(path: string, min: number, max: number, item: (i: number) => WireValue): Limit {
  const of = (length: number): WireValue => Array.from({ length }, (_, i) => item(i));
  return [path, [of(min), of(max)], [...(min > 0 ? [of(min - 1)] : []), of(max + 1)]];
}

function url(path: string): Limit {
  const longest = `https://${'a'.repeat(2040)}`;
  return [path, ['http://a', longest], ['http://', `${longest}a`, 'https://a b']];
}

function request(prefix: string): readonly Limit[] {
  const header = { name: 'a', value: '' };
  return [
    [`${prefix}method`, ['GET', 'POST'], ['HEAD']],
    url(`${prefix}url`),
    items(`${prefix}headers`, 0, 16, () => header),
    [
      `${prefix}headers`,
      [[{ ...header, name: 'x-9'.padEnd(64, 'a') }]],
      [
        [{ ...header, name: '' }],
        [{ ...header, name: 'a'.repeat(65) }],
        [{ ...header, name: 'a_' }],
      ],
    ],
    [
      `${prefix}headers`,
      [[{ ...header, value: ' ~'.padEnd(1024, 'a') }]],
      [
        [{ ...header, value: 'a'.repeat(1025) }],
        [{ ...header, value: 'é' }],
        [{ ...header, value: '\u007f' }],
      ],
    ],
    [`${prefix}body`, [null], []],
    text(`${prefix}body`, 0, 16_384),
    items(`${prefix}follow`, 0, 8, () => 'a.example:80'),
    text(`${prefix}follow.0`, 1, 253),
  ];
}

function firstOf(path: string, member: string): WireObject {
  return vectors<readonly Record<string, WireObject>[]>(path)[0]?.[member] as WireObject;
}

test('limits: the figures that the pages name', () => {
  assert.deepEqual(
    [
      MAX_ENTRY_BYTES,
      MAX_PAGE_BYTES,
      MAX_SOURCE_DEPTH,
      MAX_SOURCE_ROWS,
      MAX_SOURCE_VALUES,
      MAX_NUMBER_DIGITS,
      MAX_REVISION_ROWS,
      MAX_READ_WORK,
      MAX_SERIES_PERIODS,
      MAX_READ_BYTES,
    ],
    [65_535, 33_554_432, 64, 2_000_000, 8_000_000, 100, 1000, 268_435_456, 20_000, 67_108_864],
  );
});

const HASH = '0a'.repeat(32);
const snapshot = firstOf('snapshot/snapshots', 'snapshot');
const page = (snapshot['pages'] as readonly WireObject[])[0] as WireObject;
tryLimits('snapshot', snapshot, (value) => parseSnapshot(formatWire(value)), [
  text('provider', 1, 64),
  ...request('request.'),
  items('pages', 1, 10_000, () => page),
  number('pages.0.status', 100, 599),
  ['pages.0.length', [0, 33_554_432], [-1, 33_554_433]],
  text('pages.0.content_type', 0, 256),
  ['pages.0.content_type', [null], [1]],
  [
    'extractor',
    ['a', 'a'.repeat(64)].map((name) => ({ name, version: name, text_sha256: HASH })),
    ['', 'a'.repeat(65)].flatMap((name) => [
      { name, version: 'a', text_sha256: HASH },
      { name: 'a', version: name, text_sha256: HASH },
    ]),
  ],
  ['retain', ['bytes', 'hash', 'none'], ['all']],
]);

const report = vectors<readonly { readonly report: WireObject }[]>('report/reports')[0]
  ?.report as WireObject;
const read = (report['reads'] as readonly WireObject[])[0] as WireObject;
tryLimits('report', report, (value) => parseReport(value, ''), [
  number('rule.version', 1, 1_000_000),
  number('issue', 0, 255),
  number('decimals', 0, 18),
  [
    'value',
    ['9223372036854775807', '-9223372036854775808'],
    ['9223372036854775808', '-9223372036854775809'],
  ],
  items('reads', 0, 16, (i) => ({ ...read, provider: `p${i}` })),
  text('reads.0.provider', 1, 64),
  number('cosigners.required', 0, 64),
  ['cosigners.set', [null, HASH], ['']],
  [
    'after',
    [0, 4_294_967_295].map((height) => ({ height, hash: HASH })),
    [-1, 4_294_967_296].map((height) => ({ height, hash: HASH })),
  ],
]);

const rule = firstOf('rule/rules', 'rule');
const providers = rule['providers'] as readonly WireObject[];
const step = { op: 'utf8' };

/** The rights with a clause of `length` characters and its hash. */
function clause(length: number): WireObject {
  const words = 'a'.repeat(length);
  const hash = hashHex(contentHash(sha256, formatUtf8(words)));
  return { ...(rule['rights'] as WireObject), clause: words, clause_sha256: hash };
}

tryLimits('rule', rule, (value) => parseRule(sha256, value, ''), [
  ['slug', ['a', 'a'.repeat(32)], ['', 'a'.repeat(33), 'A']],
  number('version', 1, 1_000_000),
  text('title', 1, 400),
  text('unit', 1, 32),
  number('decimals', 0, 18),
  ['precision', ['0.001', '1000'], ['0', '-1', '1e3']],
  ['release.local', ['00:00', '23:59'], ['24:00', '00:60', '0:00']],
  number('release.days_after', 0, 62),
  items('release.exceptions', 0, 1000, (i) => ({
    period: `${1000 + i}-01-01`,
    date: '2026-01-01',
  })),
  number('release.deadline_s', 0, 34_560_000),
  number('release.first_print_within_s', 7200, 34_560_000),
  text('source', 1, 400),
  [
    'providers',
    [
      Array.from({ length: 16 }, (_, i) => ({
        ...providers[i === 0 ? 0 : 1],
        id: i === 1 ? 'table' : `p${i}`,
      })),
    ],
    [
      Array.from({ length: 17 }, (_, i) => ({
        ...providers[i === 0 ? 0 : 1],
        id: i === 1 ? 'table' : `p${i}`,
      })),
    ],
  ],
  text('providers.0.id', 1, 64),
  text('providers.0.name', 1, 400),
  ['providers.0.text', ['none', 'pdf'], ['html']],
  items('providers.0.extract', 1, 32, () => step),
  items('providers.0.checks', 0, 8, () => ({ name: 'a', extract: [step] })),
  text('providers.0.checks.0.name', 1, 64),
  ...request('providers.0.request.'),
  number('aggregate.quorum', 1, 2),
  ['revision.freeze_after_s', [0, 604_800], [-1, 2_592_001]],
  [
    'baseline',
    [
      { window: 1, min: 1, split: 'none' },
      { window: 1000, min: 1000, split: 'none' },
    ],
    [
      { window: 0, min: 0, split: 'none' },
      { window: 1001, min: 1, split: 'none' },
      { window: 1, min: 0, split: 'none' },
      { window: 1, min: 1, split: 'weekday' },
    ],
  ],
  items('bands', 1, 16, (i) => ({ name: 'a', from_z: i === 0 ? '-99.9' : `${i}.0` })),
  text('bands.0.name', 1, 32),
  url('rights.terms_url'),
  ['rights', [clause(1), clause(4000)], [clause(0), clause(4001)]],
  text('rights.attribution', 1, 400),
  text('tie.text', 1, 400),
  ['listing.no_kit', [null, 'a', 'a'.repeat(400)], ['', 'a'.repeat(401)]],
  ['listing.question', ['{strike}{period}'], ['{strike}', '{period}', '']],
  ['listing.strike_step', ['1', '5000'], ['0', '-1', '0.1']],
  number('listing.strikes', 0, 20),
]);

tryLimits('genesis', GENESIS, (value) => parseGenesis(value, ''), [
  ['origin', [`development/${'a'.repeat(116)}`], [`development/${'a'.repeat(117)}`]],
  text('checkpoint_vkey', 1, 256),
  [
    'chain',
    [null, `abc:${'a'.repeat(32)}`, `${'a'.repeat(8)}:a`],
    [`ab:a`, `abc:`, `abc:${'a'.repeat(33)}`, `${'a'.repeat(9)}:a`],
  ],
  [
    'program',
    [null, '1'.repeat(32), 'z'.repeat(44)],
    ['1'.repeat(31), '1'.repeat(45), 'l'.repeat(32)],
  ],
  number('policies.cosigners_required', 0, 64),
  number('policies.witnesses_required', 0, 64),
  number('policies.witness_max_age_s', 0, 31_622_400),
]);

const revision = vectors<
  readonly { readonly entry: { readonly kind: string; readonly body: WireObject } }[]
>('entry/entries').find(({ entry }) => entry.kind === 'revision/1')?.entry.body as WireObject;
tryLimits('revision', revision, (value) => parseRevision(value, ''), [text('provider', 1, 64)]);

const bundle = firstOf('bundle/bundles', 'bundle');
const proven = (bundle['entries'] as readonly WireObject[])[0] as WireObject;
tryLimits('bundle', bundle, (value) => parseBundle(formatWire(value)), [
  items('genesis.proof', 0, 53, () => HASH),
  items('entries', 1, 10_000, (i) => ({ ...proven, seq: i + 1, bytes: '' })),
  items('signatures', 1, 64, () => ({ key: HASH, signature: HASH + HASH })),
  items('blobs', 0, 10_000, (i) => ({ sha256: i.toString(16).padStart(64, '0'), bytes: '' })),
  text('checkpoint', 1, 65_536),
]);

test('limits of a bundle file', () => {
  assert.equal(MAX_BUNDLE_BYTES, 268_435_456);
  assert.throws(() => parseBundle(new Uint8Array(MAX_BUNDLE_BYTES + 1)), { code: 'too_large' });
});

test('limits of the steps, from both sides', () => {
  const cases: readonly (readonly [WireObject, string, Limit])[] = [
    [{ op: 'after', text: '' }, 'after', text('text', 1, 512)],
    [
      { op: 'at', ptr: '' },
      'at',
      ['ptr', ['', '/'.repeat(256)], ['/'.repeat(257), 'a', '/~', '/~2']],
    ],
    [
      { op: 'where', ptr: '', test: 'in', values: ['a'] },
      'where',
      items('values', 1, 256, () => ''),
    ],
    [{ op: 'where', ptr: '', test: 'in', values: ['a'] }, 'where', text('values.0', 0, 256)],
    [
      { op: 'series', key: [''], key_style: 'iso_date', value: '', style: 'plain', missing: ['a'] },
      'series',
      items('missing', 0, 16, () => ''),
    ],
    [
      { op: 'series', key: [''], key_style: 'iso_date', value: '', style: 'plain', missing: ['a'] },
      'series',
      text('missing.0', 0, 64),
    ],
    [
      { op: 'xml', rows: '/a' },
      'xml',
      ['rows', ['/a', '/a'.repeat(128)], ['/', `${'/a'.repeat(128)}a`]],
    ],
    [
      { op: 'series', key: [''], key_style: 'iso_date', value: '', style: 'plain', missing: ['a'] },
      'series',
      items('key', 1, 3, () => ''),
    ],
    [{ op: 'between', ptr: '', style: 'text', from: '', to: '' }, 'between', text('from', 0, 256)],
    [{ op: 'between', ptr: '', style: 'text', from: '', to: '' }, 'between', text('to', 0, 256)],
    [
      { op: 'choose', by: '', cases: [{ is: 'x', ptr: '' }], into: 'c' },
      'choose',
      items('cases', 1, 16, (i) => ({ is: `${i}`, ptr: '' })),
    ],
    [
      { op: 'choose', by: '', cases: [{ is: 'x', ptr: '' }], into: 'c' },
      'choose',
      text('cases.0.is', 0, 256),
    ],
    [
      { op: 'choose', by: '', cases: [{ is: 'x', ptr: '' }], into: 'c' },
      'choose',
      text('into', 1, 64),
    ],
    [
      { op: 'sum_product', ptrs: ['', ''], style: 'plain' },
      'sum_product',
      items('ptrs', 2, 4, () => ''),
    ],
    [{ op: 'diff', lag: 1 }, 'diff', number('lag', 1, 1000)],
    [{ op: 'pct_change', lag: 1 }, 'pct_change', number('lag', 1, 1000)],
    [
      { op: 'scale', mul: '1', div: '1' },
      'scale',
      ['mul', ['0', '1'.repeat(100)], ['', '1'.repeat(101), '.5']],
    ],
    [
      { op: 'scale', mul: '1', div: '1' },
      'scale',
      ['div', ['-0.1', '1'.repeat(100)], ['0', '1'.repeat(101), '1e1']],
    ],
    [{ op: 'skip_to', text: 'a' }, 'skip_to', text('text', 1, 512)],
  ];
  for (const [good, name, [path, inside, outside]] of cases) {
    for (const value of inside)
      assert.doesNotThrow(() => parseStep(replaced(good, path, value), ''), name);
    for (const value of outside) {
      assert.throws(
        () => parseStep(replaced(good, path, value), ''),
        { code: 'malformed' },
        `${name} ${show(value)}`,
      );
    }
  }
});

const CONTEXT: OpContext = { period: 0, kind: 'utc_day', fill: (each) => each, work: NO_LIMIT };

/** Why a step stops over `input`, or what type it gives. */
function outcome(given: WireObject, input: Value): string {
  try {
    return runStep(parseStep(given, ''), input, CONTEXT).type;
  } catch (error) {
    return error instanceof ReadStopped ? error.reason : String(faultCode(error));
  }
}

function times(count: number, value: string): string {
  return Array.from({ length: count }, () => value).join(',');
}

test('limits of what the steps read, from both sides', () => {
  const listOf = (count: number): Uint8Array => formatUtf8(`[${times(count, '{}')}]`);
  const records = { op: 'records', ptr: '' };
  const half = listOf(999_999);
  assert.equal(outcome(records, { type: 'pages', pages: [half, half] }), 'rows');
  assert.equal(outcome(records, { type: 'pages', pages: [half, listOf(1_000_000)] }), 'too_large');

  const xml = (count: number): Value => ({ type: 'text', text: `<a>${'<b/>'.repeat(count)}</a>` });
  assert.equal(outcome({ op: 'xml', rows: '/a/c' }, xml(1_999_999)), 'rows');
  assert.equal(outcome({ op: 'xml', rows: '/a/c' }, xml(2_000_000)), 'too_large');

  const json = (length: number): Value => ({
    type: 'json',
    json: Array.from({ length }, () => null),
  });
  const zip = { op: 'zip', key: '', value: '' };
  assert.equal(outcome(zip, json(2_000_000)), 'rows');
  assert.equal(outcome(zip, json(2_000_001)), 'too_large');

  const days = (count: number): Value => ({
    type: 'rows',
    rows: Array.from(
      { length: count },
      (_, i) =>
        new Map([
          ['d', formatDate(i)],
          ['v', '1'],
        ]),
    ),
    columns: null,
  });
  const series = {
    op: 'series',
    key: ['/d'],
    key_style: 'iso_date',
    value: '/v',
    style: 'plain',
    missing: [],
  };
  assert.equal(outcome(series, days(20_000)), 'series');
  assert.equal(outcome(series, days(20_001)), 'too_large');

  /** As wide as it says: 8,000,000 members of its own would take a gigabyte. */
  class Wide extends Map<string, string> {
    readonly #width: number;
    constructor(width: number) {
      super([['x', '1']]);
      this.#width = width;
    }
    override get size(): number {
      return this.#width;
    }
  }
  const choose = { op: 'choose', by: '/x', cases: [{ is: '1', ptr: '/x' }], into: 'y' };
  const wide = (...widths: number[]): Value => ({
    type: 'rows',
    rows: widths.map((width) => new Wide(width)),
    columns: null,
  });
  assert.equal(outcome(choose, wide(3_999_999, 3_999_999)), 'rows');
  assert.equal(outcome(choose, wide(3_999_999, 4_000_000)), 'too_large');
});

test('limits of the work of a read, from both sides', () => {
  const sample = parseRule(sha256, rule);
  const provider = { ...(sample.providers[0] as Provider), checks: [] };
  const pages = [new Uint8Array(MAX_PAGE_BYTES)];
  const squash = { op: 'squash' } as const;
  const most = { ...provider, extract: Array.from({ length: 8 }, () => squash) };
  assert.equal(MAX_PAGE_BYTES * 8, MAX_READ_WORK);
  assert.equal(interpret(sample, most, pages, 0).outcome, 'malformed');
  const more = { ...most, checks: [{ name: 'more', extract: [squash] }] };
  assert.equal(interpret(sample, more, pages, 0).outcome, 'too_large');
});
