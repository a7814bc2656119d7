import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FeedAccount, type FeedSet, formatFeed } from '@assay/core/feed/feed-account';
import { formatPage, type PageSlot } from '@assay/core/feed/page-account';
import { type FinalPrint, type FinalRequest, readPrint, requireFinal } from '@assay/chain/reader';
import type { ChainRecord } from '@assay/core/feed/record';
import { Fault } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import fc from 'fast-check';
import { ROOT } from '../core/fixture/fixture.ts';
import { hashOf } from './fixture/party.ts';

/** The week that ended on 2026-07-25: ordinal 2951, slot 7 of page 92. */
const PERIOD = 20_659;
const SLOT = 7;
const NOW = 1_785_542_400;
const bytesOf = (what: string): Uint8Array => parseHex(hashOf(what), 32);
const NAMES = ['a', 'b', 'c', 'd', 'e'];

function setOf(names: readonly string[]): FeedSet {
  return { effective: 0n, threshold: 3, keys: names.map((name) => hashOf(name)) };
}

const FEED: FeedAccount = {
  bump: 255,
  cadence: 'week_ending_saturday',
  decimals: 2,
  ticker: 'LAYOFFS' as Ticker,
  genesis: hashOf('publisher'),
  log: hashOf('log'),
  series: hashOf('series'),
  publisher: hashOf('publisher'),
  nextHash: hashOf('next'),
  recoveryHash: hashOf('recovery'),
  rotation: null,
  latest: PERIOD,
  rules: [
    { hash: hashOf('old rule'), first: 0, effective: 0n },
    { hash: hashOf('rule'), first: PERIOD - 70, effective: 0n },
    { hash: hashOf('new rule'), first: PERIOD + 7, effective: 0n },
  ],
  // The last is what a publisher alone can register.
  sets: [setOf(['z', ...NAMES.slice(1)]), setOf(NAMES), setOf(['s1', 's2', 's3', 's4', 's5'])],
};

const FINAL: ChainRecord = {
  value: -217_00n,
  publishedAt: BigInt(NOW - 3600),
  report: hashOf('report'),
  status: 'final',
  decimals: 2,
  settleable: true,
  withheld: false,
  issue: 0,
  rule: 1,
  set: 1,
  cosigners: 0b10110,
  dissents: 0,
  slot: 77n,
};

const PROVISIONAL: ChainRecord = {
  ...FINAL,
  status: 'provisional',
  settleable: false,
  cosigners: 0,
  issue: 2,
};
const SETTLED: PageSlot = {
  period: PERIOD,
  provisional: PROVISIONAL,
  settled: FINAL,
  corrected: null,
  dissent: false,
};

function pageOf(slot: PageSlot | null, index = 92): Uint8Array {
  const slots = Array.from({ length: 32 }, (_, i) => (i === SLOT ? slot : null));
  return formatPage({ bump: 254, index, feed: hashOf('feed address'), slots });
}

function requestOf(page: Uint8Array, feed: Uint8Array = formatFeed(FEED)): FinalRequest {
  const program = bytesOf('program');
  return {
    program,
    feed: { address: bytesOf('feed address'), owner: program, data: feed },
    page: { owner: program, data: page },
    period: '2026-07-25',
    ticker: 'LAYOFFS',
    ruleHash: bytesOf('rule'),
    cosigners: NAMES.map(bytesOf),
    required: 3,
    maxAge: 86_400,
    now: NOW,
  };
}

const GOOD: FinalRequest = requestOf(pageOf(SETTLED));
const withFinal = (final: Partial<ChainRecord>): FinalRequest =>
  requestOf(pageOf({ ...SETTLED, settled: { ...FINAL, ...final } }));

/** Code, place and what was found of the refusal. */
function refusal(request: FinalRequest): readonly (string | undefined)[] {
  try {
    requireFinal(request);
  } catch (error) {
    if (error instanceof Fault) return [error.code, error.at, error.found];
    throw error;
  }
  return ['none'];
}

test('reader: a final that meets every demand', () => {
  const expected: FinalPrint = {
    value: -217_00n,
    decimals: 2,
    publishedAt: BigInt(NOW - 3600),
    reportHash: hashOf('report'),
    issue: 0,
    ruleHash: hashOf('rule'),
    set: 1,
    cosigners: ['b', 'c', 'e'].map(hashOf),
    counted: ['b', 'c', 'e'].map(hashOf),
    dissents: [],
    slot: 77n,
    corrected: null,
    dissent: false,
  };
  assert.deepEqual(requireFinal(GOOD), expected);
  assert.deepEqual(requireFinal({ ...GOOD, log: bytesOf('log') }), expected);
});

test('reader: each demand refuses by its name', () => {
  const other = bytesOf('other');
  const { feed, page } = GOOD;
  const cases: readonly [readonly (string | undefined)[], FinalRequest][] = [
    [['unmet', 'feed.owner', hashOf('other')], { ...GOOD, feed: { ...feed, owner: other } }],
    [['unmet', 'page.owner', hashOf('other')], { ...GOOD, page: { ...page, owner: other } }],
    [['unmet', 'feed.owner', hashOf('program')], { ...GOOD, program: other }],
    [
      ['unmet', 'page.feed', hashOf('feed address')],
      { ...GOOD, feed: { ...feed, address: other } },
    ],
    [['unmet', 'page.index', '93'], requestOf(pageOf(SETTLED, 93))],
    [['unmet', 'ticker', 'LAYOFFS'], { ...GOOD, ticker: 'LAYOFF' }],
    [['unmet', 'log', hashOf('log')], { ...GOOD, log: other }],
    [['unmet', 'status', 'nothing'], { ...GOOD, period: '2026-08-01' }],
    [['unmet', 'status', 'nothing'], requestOf(pageOf(null))],
    [['unmet', 'page.index', '92'], { ...GOOD, period: '2026-01-17', maxAge: 1e9 }],
    [['unmet', 'status', 'provisional'], requestOf(pageOf({ ...SETTLED, settled: null }))],
    [['unmet', 'status', 'void'], withFinal({ status: 'void', value: 0n, settleable: false })],
    [['unmet', 'settleable', 'none'], withFinal({ settleable: false })],
    [['unmet', 'settleable', 'none'], withFinal({ settleable: false, withheld: true, value: 0n })],
    [['unmet', 'rule', hashOf('rule')], { ...GOOD, ruleHash: bytesOf('new rule') }],
    [['unmet', 'cosigners', '2'], withFinal({ cosigners: 0b10100 })],
    [['unmet', 'cosigners', '2'], { ...GOOD, cosigners: ['a', 'b', 'c', 'd'].map(bytesOf) }],
    [['unmet', 'cosigners', '2'], withFinal({ set: 0, cosigners: 0b00111 })],
    [['unmet', 'age', '3600'], { ...GOOD, maxAge: 3599 }],
    [['unmet', 'age', '-121'], { ...GOOD, now: NOW - 3721 }],
    // A day that is no Saturday, and a date that is none.
    [['out_of_range', undefined, undefined], { ...GOOD, period: '2026-07-24' }],
    [['malformed', undefined, '"2026-7-25"'], { ...GOOD, period: '2026-7-25' }],
    // Demands that would demand nothing.
    [['malformed', undefined, '1 more'], { ...GOOD, cosigners: ['b', 'c', 'b'].map(bytesOf) }],
    [['out_of_range', undefined, '0'], { ...GOOD, required: 0 }],
    [['out_of_range', undefined, '6'], { ...GOOD, required: 6 }],
    [['out_of_range', undefined, '1'], { ...GOOD, cosigners: [], required: 1 }],
    [['out_of_range', undefined, 'NaN'], { ...GOOD, required: NaN }],
    [['out_of_range', undefined, 'NaN'], { ...GOOD, now: NaN }],
    [['out_of_range', undefined, '1785542400.5'], { ...GOOD, now: NOW + 0.5 }],
    [['out_of_range', undefined, '1.5'], { ...GOOD, required: 1.5 }],
    [['out_of_range', undefined, 'Infinity'], { ...GOOD, maxAge: Infinity }],
    [['out_of_range', undefined, '-1'], { ...GOOD, maxAge: -1 }],
    [['bad_length', undefined, '31 bytes'], { ...GOOD, cosigners: [other.subarray(1)] }],
    [['bad_length', undefined, '31 bytes'], { ...GOOD, ruleHash: other.subarray(1) }],
    [['bad_length', undefined, '31 bytes'], { ...GOOD, program: other.subarray(1) }],
    // Accounts that contradict themselves.
    [['malformed', undefined, '2'], withFinal({ rule: 2 })],
    [['malformed', undefined, '3'], withFinal({ rule: 3 })],
    [['malformed', undefined, '3'], withFinal({ set: 3 })],
    [['malformed', undefined, '3'], withFinal({ decimals: 3 })],
    [['malformed', undefined, '63'], withFinal({ cosigners: 0b111111 })],
    [['malformed', undefined, 'none'], withFinal({ dissents: 1 })],
    [['malformed', undefined, undefined], withFinal({ issue: 1 })],
    [['malformed', undefined, undefined], withFinal({ withheld: true })],
    [['malformed', undefined, '20666'], requestOf(pageOf({ ...SETTLED, period: PERIOD + 7 }))],
    [['bad_length', undefined, '0 bytes'], { ...GOOD, page: { ...page, data: new Uint8Array() } }],
    [['bad_length', undefined, '6480 bytes'], { ...GOOD, feed: { ...feed, data: page.data } }],
  ];
  for (const [expected, request] of cases) assert.deepEqual(refusal(request), expected);
});

test('reader: a set of the publisher’s own making does not count', () => {
  const sybil = withFinal({ set: 2, cosigners: 0b11111 });
  assert.deepEqual(refusal({ ...sybil, required: 1 }), ['unmet', 'cosigners', '0']);
});

test('reader: a key that is twice in a set counts once', () => {
  const twice = { ...FEED, sets: [FEED.sets[0], setOf(['a', 'b', 'b', 'b', 'b'])] } as FeedAccount;
  const request = requestOf(pageOf(SETTLED), formatFeed(twice));
  assert.deepEqual(refusal({ ...request, required: 2 }), ['unmet', 'cosigners', '1']);
});

test('reader: co-signers beyond the own list are reported and not counted', () => {
  const { cosigners, counted } = requireFinal({
    ...GOOD,
    cosigners: ['x', 'c', 'b'].map(bytesOf),
    required: 2,
  });
  assert.deepEqual(cosigners, ['b', 'c', 'e'].map(hashOf));
  assert.deepEqual(counted, ['b', 'c'].map(hashOf));
});

test('reader: ages at their limits', () => {
  assert.equal(requireFinal({ ...GOOD, maxAge: 3600 }).value, -217_00n);
  assert.equal(requireFinal({ ...GOOD, now: NOW - 3720, maxAge: 0 }).value, -217_00n);
});

test('reader: dissent and correction are reported, and the final stays', () => {
  const corrected: ChainRecord = {
    ...FINAL,
    status: 'corrected',
    settleable: false,
    issue: 1,
    value: 5n,
  };
  const slot = { ...SETTLED, corrected, dissent: true, settled: { ...FINAL, dissents: 0b01001 } };
  const final = requireFinal(requestOf(pageOf(slot)));
  assert.equal(final.value, -217_00n);
  assert.equal(final.dissent, true);
  assert.deepEqual(final.dissents, ['a', 'd'].map(hashOf));
  assert.deepEqual([final.corrected?.status, final.corrected?.value], ['corrected', 5n]);
});

test('reader: what is there, without demands', () => {
  const read = readPrint(requestOf(pageOf({ ...SETTLED, settled: null })));
  const { ticker, cadence, log, settled, corrected, dissent } = read;
  assert.deepEqual(
    { ticker, cadence, log, settled, corrected, dissent },
    {
      ticker: 'LAYOFFS',
      cadence: 'week_ending_saturday',
      log: hashOf('log'),
      settled: null,
      corrected: null,
      dissent: false,
    },
  );
  assert.deepEqual([read.provisional?.status, read.provisional?.issue], ['provisional', 2]);
  assert.equal(readPrint(requestOf(pageOf(null))).provisional, null);
  // A provisional may stand under the rule before.
  const older = { ...SETTLED, provisional: { ...PROVISIONAL, rule: 0 }, settled: null };
  assert.equal(readPrint(requestOf(pageOf(older))).provisional?.ruleHash, hashOf('old rule'));
});

/** Answer or refusal, to compare. */
function answer(read: (request: FinalRequest) => unknown, request: FinalRequest): string {
  try {
    return JSON.stringify(read(request), (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

test('reader: no other byte in the slot gives the same answer', () => {
  const before = answer(readPrint, GOOD);
  const start = 80 + 200 * SLOT;
  fc.assert(
    fc.property(
      fc.integer({ min: start, max: start + 199 }),
      fc.integer({ min: 1, max: 255 }),
      (at, flip) => {
        const data = GOOD.page.data.slice();
        data[at] = (data[at] as number) ^ flip;
        const request = { ...GOOD, page: { ...GOOD.page, data } };
        assert.notEqual(answer(readPrint, request), before, `byte ${at}`);
        if (at >= start + 72) {
          assert.notEqual(answer(requireFinal, request), answer(requireFinal, GOOD), `byte ${at}`);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('reader: no other byte in the rule or in a key that signed gives the same answer', () => {
  const keys = [1, 2, 4].map((key) => 1072 + 272 + 16 + 32 * key);
  fc.assert(
    fc.property(
      fc.constantFrom(304 + 48, ...keys),
      fc.nat(31),
      fc.integer({ min: 1, max: 255 }),
      (start, offset, flip) => {
        const data = GOOD.feed.data.slice();
        data[start + offset] = (data[start + offset] as number) ^ flip;
        const request = { ...GOOD, feed: { ...GOOD.feed, data } };
        assert.equal(answer(requireFinal, request), 'unmet');
      },
    ),
    { numRuns: 200 },
  );
});

test('reader: the page for venues shows the example', () => {
  const example = readFileSync(join(ROOT, 'test/src/chain/fixture/venue-example.ts'), 'utf8');
  const shown = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/venues.md'), 'utf8'));
  assert.equal(shown?.[1], example);
});
