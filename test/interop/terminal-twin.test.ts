import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { canonicalize } from '@assay/core/wire/canonical';
import {
  type HorizonReturns,
  makeStudy,
  type StudyData,
  type StudyEvent,
} from '@assay/core/terminal/study/base-rate';
import type { HorizonReturn } from '@assay/core/terminal/study/return-statistics';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import { formatStudyBlob } from '@assay/core/terminal/study/study-blob';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import fc from 'fast-check';
import { sha256 } from '../src/core/fixture/fixture.ts';
import { ordinaryOf } from '../src/core/terminal/study-fixture.ts';
import { syntheticStudy } from '../src/core/terminal/synthetic-study.ts';
import { coreLines } from './terminal-core.ts';
import { chance, hasPython, LONG, markets, part, SEED, twin } from './terminal-peers.ts';

/** Runs both over a folder: the same lines, with how many of each kind. */
async function compared(
  t: TestContext,
  folder: string,
  rule: ScoreRule,
): Promise<ReadonlyMap<string, number>> {
  const [own, other] = await Promise.all([
    MarketFolder.open(folder, CRYPTO_FORMAT).then((market) => coreLines(market, rule)),
    twin(['market', folder, JSON.stringify(rule)]),
  ]);
  for (const [i, line] of own.entries()) assert.equal(line, other[i], `line ${i + 1}`);
  assert.equal(own.length, other.length);
  const kinds = new Map<string, number>();
  for (const line of own) {
    const [first = '', rest = ''] = line.split(' ');
    const status = /"status":"void"/.test(line) ? ' void' : '';
    const reason = /"reason":"(\w+)"/.exec(line)?.[1];
    const kind = rest.startsWith('{')
      ? `${first}${status}${reason === undefined ? '' : ` ${reason}`}`
      : 'month';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  t.diagnostic([...kinds].map(([kind, n]) => `${kind} ${n}`).join(', '));
  return kinds;
}

test(
  'terminal twin: recorded markets give the same to the last integer',
  { timeout: 3_600_000 },
  async (t) => {
    const path = markets(t);
    if (path === undefined) return;
    const folder = LONG
      ? path
      : await part(t, path, ['BTC', '1000BONK', 'DEGO'], (time) => time < '2025-01-25');
    const kinds = await compared(t, folder, CRYPTO_REPLAY_RULE);
    for (const kind of ['month', 'open', 'close below', 'receipt', 'benchmark', 'benchmark own']) {
      assert.ok(kinds.has(kind), kind);
    }
  },
);

test('terminal twin: closes and volumes of any length', { timeout: 3_600_000 }, async (t) => {
  const path = markets(t);
  if (path === undefined) return;
  // More digits than a double holds, exponents, and volumes of which a day has none.
  const written: Record<string, (close: string, volume: string) => readonly string[]> = {
    BTC: (close, volume) => [`${close}0000000000001`, `${volume}e3`],
    '1000BONK': (close, volume) => {
      const [whole = '', places = ''] = close.split('.');
      return [`${Number(whole + places)}e-${places.length}`, `${volume}00000000001E-5`];
    },
    DEGO: (close, volume) => [close, `${volume}e${chance(volume, 14)}`],
  };
  const folder = await part(
    t,
    path,
    Object.keys(written),
    (time) => time < '2025-01-25',
    (row, symbol) => {
      const [time = '', close = '', volume = ''] = row.split(',');
      return [time, ...(written[symbol]?.(close, volume) ?? [])].join();
    },
  );
  const market = await MarketFolder.open(folder, CRYPTO_FORMAT);
  t.diagnostic(market.files.map(({ symbol, decimals }) => `${symbol} ${decimals}`).join(', '));
  const kinds = await compared(t, folder, CRYPTO_REPLAY_RULE);
  for (const kind of ['month', 'open', 'receipt']) assert.ok(kinds.has(kind), kind);
});

test('terminal twin: bad prints', { timeout: 3_600_000 }, async (t) => {
  const path = markets(t);
  if (path === undefined) return;
  const bad = ['9', '95', '0.0', '0.00'];
  const folder = await part(
    t,
    path,
    ['BTC', '1000BONK', 'DEGO'],
    (time, symbol) => time < '2025-01-25' && chance(`gap ${symbol}${time}`, 50) > 0,
    (row, symbol) => {
      const [time = '', close = '', volume = ''] = row.split(',');
      // Now and then for up to four quarters of an hour, and the first and the last row too.
      const hour = time.slice(0, 13);
      const spell = chance(`${symbol} ${hour}`, 20) === 0 && chance(row, 4) > 0;
      const isEdge = time < '2024-10-23T04:16' || time > '2025-01-24T23:44';
      if (!spell && !isEdge) return row;
      return [
        time,
        `${bad[chance(row, bad.length)]}${close}`.replace(/(\..*)\./, '$1'),
        volume,
      ].join();
    },
  );
  const market = await MarketFolder.open(folder, CRYPTO_FORMAT);
  const out = market.files.map(({ outliers }) => outliers.length);
  t.diagnostic(`left out: ${out.join(', ')}`);
  assert.ok(out.every((count) => count > 20));
  const kinds = await compared(t, folder, CRYPTO_REPLAY_RULE);
  assert.ok(kinds.has('month'));
});

test('terminal twin: with rows missing, short and long', { timeout: 3_600_000 }, async (t) => {
  const path = markets(t);
  if (path === undefined) return;
  const symbols = ['BTC', '1000BONK', 'AAVE', 'ADA', 'DEGO'];
  const end = LONG ? '2025-10' : '2025-01-20';
  const folder = await part(t, path, symbols, (time, symbol) => {
    const day = time.slice(0, 10);
    // Whole days now and then, some hours, some rows; and one asset is gone for good.
    const gone = symbol === 'AAVE' && time >= '2024-12-20';
    const days = chance(`${symbol} ${Math.floor(Date.parse(day) / 8.64e8)}`, 5) === 0;
    const hours = chance(`${symbol} ${time.slice(0, 12)}`, 12) === 0;
    return (
      time < end && !gone && !(symbol !== 'BTC' && days) && !hours && chance(symbol + time, 40) > 0
    );
  });
  // Lower marks, so that much happens in little time.
  const { event, volume } = CRYPTO_REPLAY_RULE;
  const rule: ScoreRule = {
    ...CRYPTO_REPLAY_RULE,
    returns: { ...CRYPTO_REPLAY_RULE.returns, window: 960, min_samples: 96, tolerance: 2 },
    volume: { ...volume, days: 10, min_days: 3 },
    event: { ...event, open: 25, close: 24, max: 20, silent: 12, rearm: 24, consecutive: 2 },
    receipts: { void_after_s: 86_400, benchmark: 'BTC', benchmark_tolerance_s: 900 },
  };
  const kinds = await compared(t, folder, rule);
  for (const kind of [
    'close below',
    'close age',
    'close silent',
    'receipt void no_data',
    'benchmark no_data',
    'benchmark own',
  ]) {
    assert.ok(kinds.has(kind), kind);
  }
});

const bp = fc.oneof(
  fc.integer({ min: -2000, max: 3500 }),
  fc.constantFrom(0, -10_000, -500, 500, Number.MAX_SAFE_INTEGER),
);
const horizon: fc.Arbitrary<HorizonReturn> = fc.record({
  ret: fc.option(bp, { freq: 12 }),
  benchmark: fc.option(bp, { freq: 12 }),
});
const returns: fc.Arbitrary<HorizonReturns> = fc.record({
  '1d': horizon,
  '7d': horizon,
  '30d': horizon,
});
const breadth = fc
  .tuple(fc.nat(40), fc.nat(40), fc.nat(40))
  .map(([up, down, rest]) => ({ up, down, of: up + down + rest }));
const event: fc.Arbitrary<StudyEvent> = fc.record({
  id: fc.uuid(),
  symbol: fc.constantFrom('A', 'B', 'BTC', 'C1'),
  opened_at: fc.nat(40 * 86_400),
  move_24h: fc.option(bp, { freq: 12 }),
  breadth,
  returns,
});
const data: fc.Arbitrary<StudyData> = fc.record({
  class: fc.constantFrom('crypto' as const, 'stock' as const),
  rule: fc.constant('22'.repeat(32) as StudyData['rule']),
  from: fc.nat(9),
  to: fc.integer({ min: 10, max: 99 }),
  events: fc.uniqueArray(event, {
    maxLength: 60,
    selector: ({ symbol, opened_at }) => `${symbol} ${opened_at}`,
  }),
  ordinary: fc.array(returns, { maxLength: 20 }).map(ordinaryOf),
});

/** A group of its own, many times, so that groups are large enough to hold or not. */
const crowded: fc.Arbitrary<StudyData> = fc
  .tuple(data, fc.integer({ min: -300, max: 300 }), fc.integer({ min: 1, max: 600 }), fc.nat(1000))
  .map(([base, middle, spread, salt]) => ({
    ...base,
    events: Array.from({ length: 70 }, (_, i) => ({
      id: String(i),
      symbol: 'A',
      opened_at: 86_400 * Math.floor(i / 2) + i,
      move_24h: 700,
      breadth: { up: 1, down: 0, of: 20 },
      returns: {
        '1d': { ret: i, benchmark: 0 },
        '7d': { ret: middle + chance(`${salt} ${i}`, 2 * spread) - spread, benchmark: 0 },
        '30d': { ret: null, benchmark: null },
      },
    })),
  }));

test('terminal twin: base rates of any study are the same', { timeout: 3_600_000 }, async (t) => {
  if (!hasPython(t)) return;
  t.diagnostic(`seed ${SEED} (ASSAY_FUZZ_SEED)`);
  const numRuns = LONG ? 300 : 8;
  const studies = [
    syntheticStudy().data,
    ...fc.sample(data, { seed: SEED, numRuns }),
    ...fc.sample(crowded, { seed: SEED, numRuns }),
  ];
  const found = await twin(['studies'], studies.map((each) => `${canonicalize(each)}\n`).join(''));
  let held = 0;
  for (const [i, each] of studies.entries()) {
    const study = makeStudy(sha256, each);
    held += study.groups.filter(({ withheld }) => withheld.length === 0).length;
    assert.equal(
      Buffer.from(formatStudyBlob(study)).toString(),
      found[i],
      `seed ${SEED}, study ${i}`,
    );
  }
  assert.ok(held > 0);
  t.diagnostic(`${studies.length} studies, ${held} groups hold`);
});
