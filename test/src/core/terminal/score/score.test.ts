import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Scored, ScoreSeries } from '@assay/core/terminal/score/score';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { vectors } from '../../fixture/fixture.ts';
import { Random } from '../random.ts';
import { scoreRule, shortRule } from '../score-rule-fixture.ts';
import { type SlowReading, slowScores, type SlowSplit } from '../slow-score.ts';

const SAFE = Number.MAX_SAFE_INTEGER;

function scores(
  rule: ScoreRule,
  readings: readonly SlowReading[],
  splits: readonly SlowSplit[] = [],
): readonly Scored[] {
  const series = new ScoreSeries(rule);
  for (const { index, ...factor } of splits) series.split(index, factor);
  return readings.map(({ index, ...reading }) => series.add(index, reading));
}

/** Readings of a random walk: small steps, jumps, gaps, volumes of every size or none. */
function walk(seed: number, count: number, scale: number): readonly SlowReading[] {
  const random = new Random(seed);
  let index = random.below(5000);
  let price = scale;
  return Array.from({ length: count }, () => {
    const step = random.oneIn(20) ? 4000 : 60;
    price = Math.round(price * (1 + (random.below(2 * step + 1) - step) / 10_000));
    price = Math.min(Math.max(price, 1), SAFE);
    const volume = random.oneIn(8) ? (random.oneIn(2) ? null : 0) : random.below(1_000_000);
    const reading = { index, price, volume };
    index += random.oneIn(10) ? 1 + random.below(random.oneIn(10) ? 80 : 4) : 1;
    return reading;
  });
}

interface SeriesVector {
  readonly name: string;
  /** Members that the crypto rule of `vectors/score/rules.json` has replaced. */
  readonly returns: ScoreRule['returns'];
  readonly volume: ScoreRule['volume'];
  readonly splits: readonly SlowSplit[];
  /** Index, price and volume. */
  readonly readings: readonly (readonly [number, number, number | null])[];
  /** Score, move, multiple, long and short deviations. */
  readonly scored: readonly (readonly (number | null)[])[];
}

test('score: the vectors, to the integer', () => {
  const all = vectors<readonly SeriesVector[]>('score/series');
  for (const { name, returns, volume, splits, readings, scored } of all) {
    const rule = { ...scoreRule('crypto'), returns, volume };
    const told = readings.map(([index, price, of]) => ({ index, price, volume: of }));
    const found = scores(rule, told, splits).map((each) => [
      each.score,
      each.move,
      each.volMult,
      each.zLong,
      each.zShort,
    ]);
    assert.deepEqual(found, scored, name);
  }
});

test('score: the same as slowly, on walks with gaps, jumps and missing volumes', () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const readings = walk(seed, 300, 10 ** (1 + (seed % 12)));
    const found = scores(shortRule(), readings);
    assert.deepEqual(found, slowScores(shortRule(), readings), `seed ${seed}`);
    assert.ok(found.filter(({ score }) => score !== null).length > 50, `seed ${seed} scores`);
  }
});

test('score: the same as slowly, by the rules that are used', () => {
  for (const name of ['crypto', 'stock'] as const) {
    const rule = scoreRule(name);
    const days = rule.volume.day * rule.volume.min_days;
    const readings = walk(71, days + 300, 4_000_000).map((each, i) => ({ ...each, index: i }));
    const found = scores(rule, readings);
    const slow = slowScores(rule, readings);
    assert.deepEqual(found, slow, name);
    assert.ok(found.filter(({ score }) => score !== null).length > 100, name);
  }
});

test('score: the same as slowly, with other windows, tolerances and parts', () => {
  const random = new Random(5);
  for (let round = 0; round < 15; round += 1) {
    const short = 1 + random.below(6);
    const window = 6 + random.below(50);
    const sample = 1 + random.below(5);
    const part = (weight: number): { weight: number; from: number; to: number } => {
      const from = random.below(2000);
      return { weight, from, to: from + 1 + random.below(round % 2 === 0 ? 997_000 : 9000) };
    };
    const rule = shortRule({
      returns: {
        long: short + random.below(9),
        short,
        tolerance: random.below(short),
        sample,
        window,
        min_samples: 1 + random.below(Math.floor(window / sample)),
      },
      volume: { day: 1 + random.below(9), days: 1 + random.below(6), min_days: 1 },
      parts: { long: part(33), volume: part(33), short: part(34) },
    });
    const readings = walk(100 + round, 200, 5000);
    assert.deepEqual(scores(rule, readings), slowScores(rule, readings), JSON.stringify(rule));
  }
});

test('score: the same as slowly where products leave a double', () => {
  const random = new Random(9);
  const readings = Array.from({ length: 160 }, (_, index) => ({
    index,
    price: random.oneIn(3) ? 1 + random.below(3) : SAFE - random.below(1000),
    volume: random.oneIn(4) ? random.below(3) : SAFE - random.below(1000),
  }));
  const found = scores(shortRule(), readings);
  assert.deepEqual(found, slowScores(shortRule(), readings));
  assert.ok(
    found.some(({ move }) => move === SAFE),
    'a move at its bound',
  );
  const spikes = Array.from({ length: 60 }, (_, index) => ({
    index,
    price: 7,
    volume: index === 59 ? SAFE : index % 8 === 3 ? 1 : 0,
  }));
  assert.equal(scores(shortRule(), spikes).at(-1)?.volMult, SAFE, 'a multiple at its bound');
  assert.deepEqual(scores(shortRule(), spikes), slowScores(shortRule(), spikes));
});

test('score: a price that never moves has no deviation, and a volume that never does is once', () => {
  const still = Array.from({ length: 120 }, (_, index) => ({ index, price: 5, volume: 7 }));
  const last = scores(shortRule(), still).at(-1);
  assert.deepEqual(last, { score: 0, move: 0, volMult: 100, zLong: 0, zShort: 0 });
  assert.deepEqual(scores(shortRule(), still), slowScores(shortRule(), still));
});

test('score: none before there are samples and days enough, and none without a volume', () => {
  const readings = walk(3, 200, 900_000).map((each, i) => ({
    index: i,
    price: each.price,
    volume: i === 150 ? null : 1000 + i,
  }));
  const found = scores(shortRule(), readings);
  // Samples of the long return stand at 8, 10 .. 18: six are before tick 19. Three days of volume are before tick 24.
  assert.deepEqual([found[18]?.zLong, found[19]?.zLong === null], [null, false]);
  assert.deepEqual([found[23]?.volMult, found[24]?.volMult === null], [null, false]);
  assert.deepEqual([found[23]?.score, found[24]?.score === null], [null, false]);
  assert.deepEqual([found[150]?.volMult, found[150]?.score], [null, null]);
  assert.notEqual(found[150]?.zLong, null);
  assert.notEqual(found[151]?.score, null);
});

test('score: a return begins at the nearest good tick within the tolerance, the earlier first', () => {
  const rule = shortRule();
  const prices = [100, 200, 400, 800, 1600, 3200];
  const begins = (gone: readonly number[]): number | null | undefined =>
    scores(
      rule,
      [...prices, 10_000, 10_000, 10_000, 12_800]
        .map((price, index) => ({ index, price, volume: 1 }))
        .filter(({ index }) => !gone.includes(index)),
    ).at(-1)?.move;
  // From tick 9 back 8: tick 1, else 0, else 2.
  assert.equal(begins([]), 630_000);
  assert.equal(begins([1]), 1_270_000);
  assert.equal(begins([0, 1]), 310_000);
  assert.equal(begins([0, 1, 2]), null);
});

test('score: a split is no jump', () => {
  const readings = walk(8, 260, 6_000_000);
  const at = (readings[130] as SlowReading).index;
  const split = { index: at, numerator: 3, denominator: 1 };
  const even = readings.map((each) => ({ ...each, price: each.price * 3 }));
  const cut = even.map((each) => ({
    ...each,
    price: each.index < at ? each.price : each.price / 3,
  }));
  assert.deepEqual(scores(shortRule(), cut, [split]), scores(shortRule(), even));
  assert.notDeepEqual(scores(shortRule(), cut), scores(shortRule(), even));
  const two = [
    split,
    { index: at + 3, numerator: 2, denominator: 7 },
    { ...split, index: at + 60 },
  ];
  assert.deepEqual(scores(shortRule(), cut, two), slowScores(shortRule(), cut, two));
});

test('score: a tick or a split that comes late is refused', () => {
  const series = new ScoreSeries(shortRule());
  series.add(7, { price: 1, volume: 1 });
  for (const index of [7, 6]) {
    assert.throws(() => series.add(index, { price: 1, volume: 1 }), { code: 'out_of_range' });
    assert.throws(() => series.split(index, { numerator: 2, denominator: 1 }), {
      code: 'out_of_range',
    });
  }
  series.add(8, { price: 1, volume: 1 });
});
