import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventOpen } from '@assay/core/kind/event';
import { groupOf } from '@assay/core/kind/event-group';
import { rational, roundScaled } from '@assay/core/number/rational';
import { type LeftOut, MomentSample, MIN_CONTROLS } from '@assay/core/terminal/edge/moment-sample';
import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { returnBp } from '@assay/core/terminal/score/returns';
import { formatTime } from '@assay/core/time/time';
import { resumed } from '../../fixture/resumed.ts';
import { Random } from '../random.ts';
import { openedEvent, STUDIED_RULE } from './edge-fixture.ts';

const QUARTER = 900;
const DAY = 96;
const EXIT_S = 6 * 3600;
const RULE = STUDIED_RULE;

interface Split {
  readonly symbol: string;
  readonly index: number;
  readonly numerator: number;
  readonly denominator: number;
}

interface Tick {
  readonly index: number;
  readonly ts: number;
  /** Prices of the assets that are good. */
  readonly good: ReadonlyMap<string, number>;
  readonly quiet: readonly string[];
  readonly opened: readonly EventOpen[];
}

/** A made class, with assets that vanish, spells without data, and quarters without any tick. */
interface Made {
  readonly ticks: readonly Tick[];
  readonly splits: readonly Split[];
}

function made(seed: number, days: number): Made {
  const draws = new Random(seed);
  const symbols = Array.from({ length: 14 }, (_, i) => `A${String.fromCodePoint(65 + i)}`);
  const first = 20_000 * DAY + draws.below(DAY);
  const gone = new Map([
    ['AB', first + 9 * DAY],
    ['AC', first + 17 * DAY + 2],
  ]);
  const prices = new Map(symbols.map((symbol) => [symbol, 50_000]));
  const ticks: Tick[] = [];
  for (let i = 0; i < days * DAY; i += 1) {
    const index = first + i;
    // The class itself misses a tick now and then, and once two days.
    if (draws.oneIn(40) || (i > 20 * DAY && i < 22 * DAY)) continue;
    const good = new Map<string, number>();
    for (const [at, symbol] of symbols.entries()) {
      const price = Math.max(1, (prices.get(symbol) ?? 0) + draws.below(2001) - 1000);
      prices.set(symbol, price);
      const silent = (i + 61 * at) % 800 < 40 + 4 * at;
      if (index < (gone.get(symbol) ?? Infinity) && !silent && !draws.oneIn(9)) {
        good.set(symbol, price);
      }
    }
    const ts = index * QUARTER;
    const opened = draws.oneIn(25)
      ? [...good.keys()]
          .filter(() => draws.oneIn(5))
          .map((symbol) =>
            openedEvent(symbol, ts, draws.below(8000) - 3000, {
              up: draws.below(15),
              down: draws.below(15),
              of: draws.oneIn(12) ? 0 : 14,
            }),
          )
      : [];
    const scarce = draws.oneIn(5);
    const quiet = [...good.keys()].filter(() => !draws.oneIn(scarce ? 2 : 30));
    ticks.push({ index, ts, good, quiet, opened });
  }
  const splits = [5, 9, 24].map((day, i) => ({
    symbol: symbols[4 + i] as string,
    index: first + day * DAY,
    numerator: 2 + i,
    denominator: 1 + (i % 2),
  }));
  return { ticks, splits };
}

const SECONDS = { '1d': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;

interface Returned {
  readonly ret: number;
  readonly gone: boolean;
  readonly priced: boolean;
}

/** By definition, with every tick at hand. */
function byDefinition({ ticks, splits }: Made): {
  readonly moments: readonly StudyMoment[];
  readonly left_out: LeftOut;
} {
  const newest = ticks.at(-1) as Tick;
  const moments: StudyMoment[] = [];
  const left_out = { few_controls: 0, no_entry: 0, no_exit: 0, not_over: 0 };
  const hours = ticks.filter(({ ts }) => ts % 3600 === 0);
  const split = (symbol: string, from: number, to: number): readonly Split[] =>
    splits.filter(
      (each) => each.symbol === symbol && each.index * QUARTER > from && each.index * QUARTER <= to,
    );
  const after = (symbol: string, entry: Tick, seconds: number): Returned => {
    const due = entry.ts + seconds;
    const from = entry.good.get(symbol) as number;
    const returned = (at: Tick): number =>
      returnBp(from, at.good.get(symbol) as number, split(symbol, entry.ts, at.ts));
    const exit = hours.find(({ ts, good }) => ts >= due && ts <= due + EXIT_S && good.has(symbol));
    if (exit !== undefined) return { ret: returned(exit), gone: false, priced: true };
    const last = hours.findLast(({ ts, good }) => ts > entry.ts && ts < due && good.has(symbol));
    return { ret: last === undefined ? 0 : returned(last), gone: true, priced: last !== undefined };
  };
  for (const { index, quiet, opened } of ticks) {
    for (const event of opened) {
      const group = groupOf(event.move_24h, event.breadth);
      if (group === undefined) continue;
      const until = index + RULE.event.silent;
      const entry = ticks.find(
        (each) => each.index > index && each.index <= until && each.good.has(event.symbol),
      );
      if (entry === undefined) {
        left_out[newest.index < until ? 'not_over' : 'no_entry'] += 1;
        continue;
      }
      const isOver = (seconds: number): boolean => entry.ts + seconds + EXIT_S <= newest.ts;
      const controls = quiet.filter((each) => each !== event.symbol && entry.good.has(each));
      if (!isOver(SECONDS['7d'])) left_out.not_over += 1;
      else if (controls.length < MIN_CONTROLS) left_out.few_controls += 1;
      else {
        const horizon = (name: keyof typeof SECONDS): MomentReturn | null => {
          if (!isOver(SECONDS[name])) return null;
          const own = after(event.symbol, entry, SECONDS[name]);
          const others = controls.map((each) => after(each, entry, SECONDS[name]));
          const away = others.filter(({ gone }) => gone);
          if (away.length > controls.length / 2) return null;
          const mean = (of: readonly number[]): number =>
            Number(
              roundScaled(
                rational(BigInt(of.reduce((a, b) => a + b, 0)), BigInt(of.length)),
                0,
                'half_away',
              ),
            );
          return {
            ret: own.ret,
            gone: own.gone,
            base: mean(others.map(({ ret }) => ret)),
            base_lost: mean(others.map(({ ret, gone }) => (gone ? -10_000 : ret))),
            gone_controls: away.length,
            unpriced_controls: away.filter(({ priced }) => !priced).length,
          };
        };
        const week = horizon('7d');
        if (week === null) {
          left_out.no_exit += 1;
          continue;
        }
        moments.push({
          id: event.id,
          symbol: event.symbol,
          opened_at: index * QUARTER,
          entered_at: entry.ts,
          ...group,
          controls: controls.length,
          returns: { '1d': horizon('1d'), '7d': week, '30d': horizon('30d') },
        });
      }
    }
  }
  moments.sort((a, b) => a.opened_at - b.opened_at || (a.symbol < b.symbol ? -1 : 1));
  return { moments, left_out };
}

/**
 * As a log gives it: tick by tick. Of ticks that are not wanted, nothing may be read. `between` may give another sample to
 * go on with before a tick.
 */
function streamed(
  { ticks, splits }: Made,
  rule: ScoreRule = RULE,
  between: (sample: MomentSample, i: number) => MomentSample = (sample) => sample,
): MomentSample {
  let sample = new MomentSample(rule);
  let left = splits;
  for (const [i, { index, ts, good, quiet, opened }] of ticks.entries()) {
    sample = between(sample, i);
    for (const each of left.filter((split) => split.index <= index)) {
      sample.split(each.symbol, each.index * QUARTER, each);
    }
    left = left.filter((split) => split.index > index);
    const wanted = sample.wants(ts);
    const read = <T>(value: T): T => {
      assert.ok(wanted, `${formatTime(ts)} is read and was not wanted`);
      return value;
    };
    sample.step({
      ts,
      index,
      good: () => read(good),
      price: (symbol) => read(good.get(symbol)) as number,
    });
    for (const event of opened) sample.open(event, quiet);
  }
  return sample;
}

test('moments: streamed, they are what the page says, with every tick at hand', () => {
  const seen = {
    moments: 0,
    gone: 0,
    controls: 0,
    unpriced: 0,
    unended: 0,
    outage: 0,
    few: 0,
    none: 0,
    exit: 0,
    open: 0,
  };
  for (let seed = 1; seed <= 16; seed += 1) {
    const market = made(seed, 30 + (seed % 3) * 12);
    const expected = byDefinition(market);
    const found = streamed(market).moments;
    assert.deepEqual(found, expected, `seed ${seed}`);
    seen.moments += found.moments.length;
    for (const { returns } of found.moments) {
      seen.gone += Number(returns['7d']?.gone);
      seen.controls += Number((returns['7d']?.gone_controls ?? 0) > 0);
      seen.unpriced += Number((returns['7d']?.unpriced_controls ?? 0) > 0);
      seen.unended += Number(returns['30d'] === null);
      seen.outage += Number(returns['1d'] === null);
    }
    seen.few += found.left_out.few_controls;
    seen.none += found.left_out.no_entry;
    seen.exit += found.left_out.no_exit;
    seen.open += found.left_out.not_over;
  }
  // Each case of the page was met.
  assert.ok(
    Object.values(seen).every((n) => n > 2),
    JSON.stringify(seen),
  );
});

test('moments: they can be read at any time, and the sample goes on as if they had not been', () => {
  const market = made(3, 40);
  const whole = streamed(market).moments;
  const cut = market.ticks.length >> 1;
  const sample = new MomentSample(RULE);
  const part = { ...market, ticks: market.ticks.slice(0, cut) };
  const feed = (ticks: readonly Tick[], splits: readonly Split[]): void => {
    let left = splits;
    for (const { index, ts, good, quiet, opened } of ticks) {
      for (const each of left.filter((split) => split.index <= index)) {
        sample.split(each.symbol, each.index * QUARTER, each);
      }
      left = left.filter((split) => split.index > index);
      sample.step({ ts, index, good: () => good, price: (symbol) => good.get(symbol) as number });
      for (const event of opened) sample.open(event, quiet);
    }
  };
  const last = market.ticks[cut]?.index ?? 0;
  feed(
    part.ticks,
    market.splits.filter(({ index }) => index < last),
  );
  assert.deepEqual(sample.moments, byDefinition(part));
  assert.deepEqual(sample.moments, byDefinition(part));
  feed(
    market.ticks.slice(cut),
    market.splits.filter(({ index }) => index >= last),
  );
  assert.deepEqual(sample.moments, whole);
});

test('moments: nothing after the opening but the price decides who is compared', () => {
  const market = made(5, 40);
  const before = streamed(market).moments;
  // Whoever is quiet at ticks at which nothing opened is without any influence.
  const ticks = market.ticks.map((tick) =>
    tick.opened.length > 0 ? tick : { ...tick, quiet: [] },
  );
  assert.deepEqual(streamed({ ...market, ticks }).moments, before);
});

test('moments: none under a rule that has no such study', () => {
  const market = made(6, 20);
  assert.deepEqual(streamed(market, CRYPTO_RULE).moments, {
    moments: [],
    left_out: { few_controls: 0, no_entry: 0, no_exit: 0, not_over: 0 },
  });
});

test('moments: the last count at which somebody may enter, and the one after it', () => {
  const others = Array.from({ length: 12 }, (_, i) => `B${i}`);
  const first = 1_900_000;
  const { silent } = RULE.event;
  // The asset is not good until `back` counts after its opening; the market ends after `last`.
  const outcome = (back: number, last: number): LeftOut & { readonly moments: number } => {
    const sample = new MomentSample(RULE);
    for (let index = first; index <= first + last; index += 1) {
      const after = index - first;
      const good = new Map(others.map((symbol) => [symbol, 100]));
      if (after === 0 || after >= back) good.set('AA', 100);
      sample.step({ ts: index * QUARTER, index, good: () => good, price: () => 100 });
      const breadth = { up: 3, down: 0, of: 13 };
      if (after === 0) sample.open(openedEvent('AA', index * QUARTER, 600, breadth), good.keys());
    }
    const { moments, left_out } = sample.moments;
    return { moments: moments.length, ...left_out };
  };
  const none = { moments: 0, few_controls: 0, no_entry: 0, no_exit: 0, not_over: 0 };
  const long = 12 * DAY;
  assert.deepEqual(outcome(silent, long), { ...none, moments: 1 });
  assert.deepEqual(outcome(silent + 1, long), { ...none, no_entry: 1 });
  assert.deepEqual(outcome(Infinity, silent), { ...none, no_entry: 1 });
  assert.deepEqual(outcome(Infinity, silent - 1), { ...none, not_over: 1 });
});

test('moments: without any tick', () => {
  assert.deepEqual(new MomentSample(RULE).moments.moments, []);
});

test('moments: interrupted at any tick, a sample makes what one makes that never was', () => {
  const later: ScoreRule = { ...RULE, event: { ...RULE.event, silent: 4 } };
  for (const seed of [1, 2]) {
    const market = made(seed, 34 + seed * 8);
    const draws = new Random(seed);
    const handover = 20 * DAY;
    const whole = streamed(market, RULE, (sample, i) => {
      if (i === handover) sample.under(later);
      return sample;
    });
    const found: unknown[] = [];
    const cut = streamed(market, RULE, (sample, i) => {
      if (i === handover) sample.under(later);
      // Every tick of a half day in each week, and now and then.
      if (i % (7 * DAY) > DAY / 2 && !draws.oneIn(20)) return sample;
      const next = resumed(sample, new MomentSample(RULE));
      if (draws.oneIn(40)) {
        assert.deepEqual(next.moments, sample.moments, `seed ${seed}, tick ${i}`);
        found.push(i);
      }
      return next;
    });
    assert.deepEqual(cut.moments, whole.moments, `seed ${seed}`);
    assert.ok(found.length > 5);
  }
});

test('moments: what is kept asks only for prices at which a return may end', () => {
  const others = Array.from({ length: 8 }, (_, i) => `B${i}`);
  const sample = new MomentSample(RULE);
  const first = 1_900_000;
  const priced = new Map<number, string[]>();
  for (let index = first; index < first + 12; index += 1) {
    const good = new Map([...others, 'AA', 'ZZ'].map((symbol) => [symbol, 100]));
    sample.step({
      ts: index * QUARTER,
      index,
      good: () => good,
      price: (symbol) => {
        priced.set(index, [...(priced.get(index) ?? []), symbol]);
        return 100;
      },
    });
    const breadth = { up: 3, down: 0, of: 10 };
    if (index === first + 2) sample.open(openedEvent('AA', index * QUARTER, 600, breadth), others);
    assert.ok(sample.kept.hour !== undefined);
  }
  // Entered behind the opening; the next tick on the hour is the first at which a return may end.
  const entered = ['AA', ...others].sort();
  assert.deepEqual(
    [...priced].map(([index, symbols]) => [index - first, [...new Set(symbols)].sort()]),
    [
      [3, entered],
      [4, entered],
      [8, entered],
    ],
  );
});
