import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HorizonReturns } from '@assay/core/terminal/study/base-rate';
import { type Horizon, HORIZON_SECONDS } from '@assay/core/kind/horizon';
import { OrdinarySample } from '@assay/core/terminal/study/ordinary-sample';
import { EventReceipts } from '@assay/core/terminal/event/receipts';
import { excessOf, type HorizonReturn } from '@assay/core/terminal/study/return-statistics';
import { returnBp } from '@assay/core/terminal/score/returns';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { resumed } from '../../fixture/resumed.ts';
import { Random } from '../random.ts';
import { ordinaryOf } from '../study-fixture.ts';

const QUARTER = 900;
const DAY = 96;
const HOUR = 4;
const RULE: ScoreRule = {
  ...CRYPTO_RULE,
  receipts: { void_after_s: 4 * 3600, benchmark: 'BTC', benchmark_tolerance_s: 7200 },
};

interface Split {
  readonly symbol: string;
  readonly index: number;
  readonly numerator: number;
  readonly denominator: number;
}

/** A made class: by count of the grid, the prices of assets that are good then. */
interface Made {
  readonly first: number;
  readonly ticks: readonly ReadonlyMap<string, number>[];
  /** Those of them that have no score yet. */
  readonly young: (symbol: string, index: number) => boolean;
  /** Counts at which an event opens, and at which an asset is gone. */
  readonly opened: ReadonlyMap<string, readonly number[]>;
  readonly gone: ReadonlyMap<string, number>;
  readonly splits: readonly Split[];
}

function made(seed: number, days: number): Made {
  const draws = new Random(seed);
  const symbols = ['ADA', 'BTC', 'ETH', 'SOL'];
  const first = 20_000 * DAY + draws.below(DAY);
  const gone = new Map([['SOL', first + (days - 20) * DAY]]);
  const opened = new Map(symbols.map((symbol) => [symbol, [] as number[]]));
  const ticks = Array.from({ length: days * DAY }, (_, i) => {
    const index = first + i;
    const good = new Map<string, number>();
    for (const symbol of symbols) {
      if (index >= (gone.get(symbol) ?? Number.POSITIVE_INFINITY)) continue;
      // A spell without data each few days, and single ticks that are missing.
      if (draws.oneIn(12) || (i + 40 * symbol.length) % 700 < 9) continue;
      good.set(symbol, 50_000 + draws.below(100_000));
      // Now and then exactly on a half day, so that both ends of the day around it are met.
      if (draws.oneIn(500) || (index % 48 === 0 && draws.oneIn(15)))
        opened.get(symbol)?.push(index);
    }
    return good;
  });
  const splits = [
    { symbol: 'ETH', index: first + 9 * DAY, numerator: 2, denominator: 1 },
    { symbol: 'BTC', index: first + 14 * DAY, numerator: 1, denominator: 3 },
  ];
  const young: Made['young'] = (symbol, index) =>
    (symbol === 'ADA' && index < first + 2 * DAY) || (symbol === 'ETH' && index % 5 === 0);
  return { first, ticks, young, opened, gone, splits };
}

function sampled(all: Made): ReturnType<OrdinarySample['end']> {
  const sample = new OrdinarySample(RULE);
  for (const _ of play(all, sample));
  return sample.end();
}

/** Tells a sample all of it, and stops behind each tick. `next` may give another sample to go on with before a tick. */
function* play(
  { first, ticks, young, opened, gone, splits }: Made,
  begun: OrdinarySample,
  next: (sample: OrdinarySample, i: number) => OrdinarySample = (sample) => sample,
): Generator<OrdinarySample> {
  let sample = begun;
  for (const [i, good] of ticks.entries()) {
    const index = first + i;
    for (const { symbol, index: at, ...factor } of splits) {
      if (at === index) sample.split(symbol, at * QUARTER, factor);
    }
    for (const [symbol, at] of gone) if (at === index) sample.delist(symbol);
    sample = next(sample, i);
    sample.step({
      ts: index * QUARTER,
      index,
      good,
      scored: () => [...good.keys()].filter((symbol) => !young(symbol, index)),
      price: (symbol) => {
        assert.ok(good.has(symbol));
        return good.get(symbol) as number;
      },
    });
    for (const [symbol, at] of opened)
      if (at.includes(index)) sample.event(symbol, index * QUARTER);
    yield sample;
  }
}

/** Each good tick of a half day by itself, its receipts by the class that events have. */
function slowly(all: Made): { rows: readonly HorizonReturns[]; near: number } {
  const { first, ticks, young, opened } = all;
  const rows: HorizonReturns[] = [];
  let near = 0;
  for (const [i, good] of ticks.entries()) {
    const index = first + i;
    if (index % (DAY / 2) !== 0) continue;
    for (const symbol of good.keys()) {
      if (young(symbol, index)) continue;
      if (opened.get(symbol)?.some((at) => Math.abs(at - index) <= DAY) === true) near += 1;
      else rows.push(returnsOf(all, symbol, i));
    }
  }
  return { rows, near };
}

function returnsOf(
  { first, ticks, gone, splits }: Made,
  symbol: string,
  i: number,
): HorizonReturns {
  const price = (of: string, at: number): number => ticks[at - first]?.get(of) as number;
  const change = (of: string, from: number, to: number): number => {
    const between = splits.filter(
      (each) => each.symbol === of && each.index > from && each.index <= to,
    );
    return returnBp(price(of, from), price(of, to), between);
  };
  const opened = first + i;
  const receipts = new EventReceipts(RULE.receipts, opened * QUARTER, symbol === 'BTC');
  const found: Record<Horizon, HorizonReturn> = {
    '24h': { ret: null, benchmark: null },
    '7d': { ret: null, benchmark: null },
    '30d': { ret: null, benchmark: null },
  };
  for (const [k, good] of ticks.slice(i).entries()) {
    const at = opened + k;
    if (at % HOUR !== 0) continue;
    const tick = {
      ts: at * QUARTER,
      good: good.has(symbol),
      delisted: at >= (gone.get(symbol) ?? Number.POSITIVE_INFINITY),
      benchmarkGood: good.has('BTC'),
    };
    receipts.begin(tick);
    for (const horizon of Object.keys(HORIZON_SECONDS) as Horizon[]) {
      const step = receipts.receipt(horizon, tick);
      if (step?.status === 'resolved') {
        found[horizon] = { ret: change(symbol, opened, at), benchmark: null };
      }
      const measured = receipts.benchmark(horizon, tick);
      if (measured !== undefined && measured.reason === null) {
        const [from, to] = [measured.from / QUARTER, measured.to / QUARTER];
        found[horizon] = { ...found[horizon], benchmark: change('BTC', from, to) };
      }
    }
    if (receipts.isDone) break;
  }
  return { '1d': found['24h'], '7d': found['7d'], '30d': found['30d'] };
}

test('ordinary sample: what a slow reference makes of each moment by itself', () => {
  let [moments, without, beside] = [0, 0, 0];
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const all = made(seed, seed === 1 ? 3 : 55);
    const { rows, near } = slowly(all);
    assert.deepEqual(sampled(all), ordinaryOf(rows), `seed ${seed}`);
    moments += rows.length;
    beside += near;
    without += rows.filter((row) => row['7d'].ret !== null && excessOf(row['7d']) === null).length;
  }
  // The made classes have what is compared: moments near events, and returns without a benchmark's.
  assert.ok(moments > 800 && beside > 100 && without > 100, `${moments} ${beside} ${without}`);
});

test('ordinary sample: an event a day before or after, to the second, is near; a tick further it is not', () => {
  const flat = (openings: readonly number[]): number => {
    const first = 20_000 * DAY;
    const ticks = Array.from(
      { length: 12 * DAY },
      () =>
        new Map([
          ['ADA', 1000],
          ['BTC', 1000],
        ]),
    );
    const opened = new Map([['ADA', openings.map((at) => first + at)]]);
    return sampled({ first, ticks, young: () => false, opened, gone: new Map(), splits: [] })
      .horizons['1d'].n;
  };
  const all = flat([]);
  // Half days 2 and 4 of ADA are a day from its event at half day 3, which is one itself.
  assert.equal(all - flat([3 * 48]), 5);
  assert.equal(all - flat([3 * 48 + 1]), 4);
});

test('ordinary sample: an asset that comes back before the next tick has lost nothing', () => {
  const good = new Map([
    ['ADA', 1000],
    ['BTC', 1000],
  ]);
  const first = 20_000 * DAY;
  for (const isCut of [false, true]) {
    let sample = new OrdinarySample(RULE);
    for (let index = first; index <= first + DAY; index += 1) {
      if (index === first + 5) {
        sample.delist('ADA');
        sample.list('ADA');
      }
      if (index === first + 60) sample.delist('BTC');
      if (index === first + 61) sample.list('BTC');
      // Whatever goes on from here knows that as well.
      if (isCut) sample = resumed(sample, new OrdinarySample(RULE));
      const price = (): number => 1000;
      sample.step({ ts: index * QUARTER, index, good, scored: () => good.keys(), price });
    }
    // The first half day has passed a day; BTC's was given up at tick 60.
    assert.equal(sample.end().horizons['1d'].n, 1);
  }
});

test('ordinary sample: a split at the very tick of a horizon counts, one at the moment itself does not', () => {
  const first = 20_000 * DAY;
  const halved = (at: number): ReturnType<OrdinarySample['end']> => {
    const ticks = Array.from(
      { length: DAY + 1 },
      (_, i) => new Map([['ADA', i < at ? 1000 : 500]]),
    );
    const splits = [{ symbol: 'ADA', index: first + at, numerator: 2, denominator: 1 }];
    return sampled({
      first,
      ticks,
      opened: new Map(),
      gone: new Map(),
      young: () => false,
      splits,
    });
  };
  // Only the moment at the first tick has its day: half the price for twice as much is no loss.
  for (const at of [0, 1, DAY]) {
    const { n, median_ret } = halved(at).horizons['1d'];
    assert.deepEqual([n, median_ret], [1, 0], `split at tick ${at}`);
  }
});

test('ordinary sample: how many there are follows without prices, at any time', () => {
  for (const seed of [7, 8]) {
    const all = made(seed, 50);
    const flat = all.ticks.map((good) => new Map([...good.keys()].map((symbol) => [symbol, 1])));
    const sample = new OrdinarySample(RULE);
    let behind = 0;
    for (const _ of play({ ...all, ticks: flat, splits: [] }, sample)) {
      behind += 1;
      if (behind % 811 !== 0 && behind !== flat.length) continue;
      const { horizons, excess_7d } = sampled({ ...all, ticks: all.ticks.slice(0, behind) });
      const { counts } = sample;
      for (const horizon of ['1d', '7d', '30d'] as const) {
        assert.equal(counts[horizon].n, horizons[horizon].n);
      }
      assert.equal(counts['7d'].excess, excess_7d.n);
    }
    assert.ok(sample.counts['30d'].excess > 0);
  }
});

test('ordinary sample: interrupted at any tick, it counts what one counts that never was', () => {
  const later = { ...RULE, volume: { ...RULE.volume, day: 48 } };
  for (const seed of [9, 10]) {
    const all = made(seed, 55);
    const draws = new Random(seed);
    const played = (cuts: (i: number) => boolean): OrdinarySample => {
      const next = (sample: OrdinarySample, i: number): OrdinarySample => {
        // Some moments of the version before are open, and all that come have other times.
        if (i === 30 * DAY) sample.under(later);
        return cuts(i) ? resumed(sample, new OrdinarySample(RULE)) : sample;
      };
      return [...play(all, new OrdinarySample(RULE), next)].at(-1) as OrdinarySample;
    };
    const whole = played(() => false);
    // Before every tick of two days, at one of which an asset has been delisted, and now and then.
    const days = new Set([34, 35].map((day) => day * DAY));
    const cut = played((i) => days.has(i - (i % DAY)) || draws.oneIn(30));
    assert.deepEqual(cut.counts, whole.counts);
    assert.deepEqual(cut.end(), whole.end());
    assert.ok(whole.counts['30d'].excess > 20, `${whole.counts['30d'].excess}`);
  }
});
