import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseForecast } from '@assay/core/kind/forecast';
import { forecastLeaf } from '@assay/core/kind/forecast-leaf';
import { parseFreeze } from '@assay/core/kind/freeze';
import { MAX_RESULTS, parseGrade } from '@assay/core/kind/grade';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseRound } from '@assay/core/kind/round';
import { parseUnseal } from '@assay/core/kind/unseal';
import { formatEntry } from '@assay/core/log/entry';
import { hashHex, toHashHex, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import { toTime } from '@assay/core/time/time';
import type { Parse } from '@assay/core/wire/schema';
import type { WireObject, WireValue } from '@assay/core/wire/wire';
import { createHash } from 'node:crypto';
import { formatWire } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';

const HASH = toHashHex('5e'.repeat(32));
const ID = 'layoffs-2026-08-22';
const HANDLE = '2b'.repeat(16);
const RESULT = { handle: HANDLE, value: '-1000000000000000', points: 100 };

const ROUND: WireObject = {
  id: ID,
  ticker: 'LAYOFFS',
  period: '2026-08-22',
  rule: { version: 1, hash: HASH },
  arena_rule: HASH,
  decimals: 0,
  ref_period: '2026-08-15',
  ref_value: '231000',
  opens_at: '2026-08-22T11:30:00Z',
  closes_at: '2026-08-27T11:30:00Z',
  drand_round: 4_000_000,
  house: [{ handle: HANDLE, value: '231000' }],
};
const SEALED: WireObject = {
  round: ID,
  ordinal: 0,
  handle: HANDLE,
  key: '3c'.repeat(32),
  counter: 1,
  sealed: '4d'.repeat(160),
  commitment: null,
  nonce: '6f'.repeat(32),
  signature: '7a'.repeat(64),
};
const PLAIN: WireObject = {
  ...SEALED,
  ordinal: 1,
  key: null,
  counter: null,
  sealed: null,
  commitment: HASH,
  signature: null,
};
const FREEZE: WireObject = {
  round: ID,
  count: 2,
  root: HASH,
  handles: 1,
  openings: HASH,
  top: [{ handle: HANDLE, weight: 10_000 }],
};
const UNSEAL: WireObject = {
  round: ID,
  signature: '8b'.repeat(48),
  note: 'log\n1\n\n',
  void_reason: null,
};
const VOID: WireObject = { round: ID, signature: null, note: null, void_reason: 'no_beacon' };
const GRADE: WireObject = {
  round: ID,
  part: 0,
  parts: 2,
  print: '230000',
  report: HASH,
  void_reason: null,
  arena: { value: null, n: 0 },
  count: 1,
  unopened: 1,
  results: [RESULT],
};
const GRADED_VOID: WireObject = {
  ...GRADE,
  parts: 1,
  print: null,
  report: null,
  void_reason: 'too_late',
  unopened: 0,
  results: [],
};

const KINDS: readonly (readonly [string, Parse<unknown>, WireObject])[] = [
  ['round/1', parseRound, ROUND],
  ['forecast/1', parseForecast, SEALED],
  ['forecast/1', parseForecast, PLAIN],
  ['freeze/1', parseFreeze, FREEZE],
  ['unseal/1', parseUnseal, UNSEAL],
  ['unseal/1', parseUnseal, VOID],
  ['grade/1', parseGrade, GRADE],
  ['grade/1', parseGrade, GRADED_VOID],
];

test('arena kinds: each is read as its kind', () => {
  for (const [kind, parse, body] of KINDS) {
    assert.deepEqual(parse(body, 'body'), body, kind);
    assert.deepEqual(bodyParser(sha256)(kind, body), { kind, body });
  }
});

test('arena kinds: each member is asked for, and no other is taken', () => {
  for (const [kind, parse, body] of KINDS) {
    for (const member of Object.keys(body)) {
      const { [member]: _gone, ...rest } = body;
      assert.throws(() => parse(rest, 'body'), { code: 'malformed' }, `${kind} without ${member}`);
      const of = { ...body, [member]: { more: true } };
      assert.throws(
        () => parse(of, 'body'),
        { code: 'malformed' },
        `${kind} with another ${member}`,
      );
    }
    assert.throws(() => parse({ ...body, more: 1 }, 'body'), { code: 'malformed', at: 'body' });
  }
});

test('arena kinds: members that exclude each other', () => {
  const refused: readonly (readonly [
    Parse<unknown>,
    WireObject,
    Record<string, WireValue>,
    string,
  ])[] = [
    [parseRound, ROUND, { id: 'layoffs-2026-08-29' }, 'body.id'],
    [parseRound, ROUND, { opens_at: '2026-08-27T11:30:00Z' }, 'body.closes_at'],
    [parseRound, ROUND, { ref_period: '2026-08-22' }, 'body.ref_period'],
    [parseRound, ROUND, { drand_round: 0 }, 'body.drand_round'],
    [parseRound, ROUND, { ref_value: '0231000' }, 'body.ref_value'],
    [parseForecast, SEALED, { commitment: HASH }, 'body.commitment'],
    [parseForecast, SEALED, { sealed: null }, 'body.commitment'],
    [parseForecast, SEALED, { sealed: '4d'.repeat(159) }, 'body.sealed'],
    [parseForecast, SEALED, { signature: null }, 'body.signature'],
    [parseForecast, PLAIN, { signature: '7a'.repeat(64) }, 'body.signature'],
    [parseForecast, PLAIN, { key: '3c'.repeat(32) }, 'body.counter'],
    [parseForecast, SEALED, { counter: 0 }, 'body.counter'],
    [parseForecast, SEALED, { round: 'LAYOFFS-2026-08-22' }, 'body.round'],
    [parseFreeze, FREEZE, { handles: 3 }, 'body.handles'],
    [parseFreeze, FREEZE, { handles: 0 }, 'body.handles'],
    [
      parseFreeze,
      FREEZE,
      {
        top: [
          { handle: HANDLE, weight: 1 },
          { handle: HANDLE, weight: 2 },
        ],
        handles: 2,
      },
      'body.top',
    ],
    [parseFreeze, FREEZE, { count: 0, handles: 0 }, 'body.top'],
    [parseUnseal, UNSEAL, { void_reason: 'no_beacon' }, 'body.signature'],
    [parseUnseal, UNSEAL, { note: null }, 'body.note'],
    [parseUnseal, UNSEAL, { void_reason: 'withheld' }, 'body.void_reason'],
    [parseUnseal, VOID, { note: 'x' }, 'body.note'],
    [parseGrade, GRADE, { part: 2 }, 'body.part'],
    [parseGrade, GRADE, { unopened: 2 }, 'body.unopened'],
    [parseGrade, GRADE, { print: null }, 'body.print'],
    [parseGrade, GRADE, { report: null }, 'body.report'],
    [parseGrade, GRADED_VOID, { parts: 2 }, 'body.results'],
    [parseGrade, GRADED_VOID, { results: [RESULT] }, 'body.results'],
    [parseGrade, GRADED_VOID, { print: '1' }, 'body.print'],
  ];
  for (const [parse, body, change, at] of refused) {
    const place = JSON.stringify(change).slice(0, 80);
    assert.throws(() => parse({ ...body, ...change }, 'body'), { code: 'malformed', at }, place);
  }
});

test('arena kinds: a part of the grades fits an entry', () => {
  const results = Array.from({ length: MAX_RESULTS }, () => RESULT);
  const body = parseGrade({ ...GRADE, parts: 25_001, part: 25_000, results }, 'body');
  const bytes = formatEntry({
    v: 1,
    seq: Number.MAX_SAFE_INTEGER,
    prev: ZERO_HASH_HEX,
    at: toTime('2026-08-27T12:30:00Z'),
    kind: 'grade/1',
    body: body as unknown as WireObject,
  });
  assert.ok(bytes.length < MAX_ENTRY_BYTES, `${bytes.length} bytes`);
  const more = { ...GRADE, results: [...results, RESULT] };
  assert.throws(() => parseGrade(more, 'body'), { code: 'malformed', at: 'body.results' });
});

test('arena kinds: the leaf of a forecast is the hash of its body under a tag', () => {
  const forecast = parseForecast(SEALED, 'body');
  const hash = createHash('sha256').update('assay/forecast/v1\0').update(formatWire(forecast));
  assert.equal(hashHex(forecastLeaf(sha256, forecast)), hash.digest('hex'));
});
