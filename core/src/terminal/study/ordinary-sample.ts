import { DAY_SECONDS, HOUR_SECONDS } from '../../time/time.ts';
import type { HorizonReturns } from './base-rate.ts';
import { HORIZON_SECONDS } from '../../kind/horizon.ts';
import { addCounts, type KeptTally, type OrdinaryCounts, OrdinaryTally } from './ordinary-tally.ts';
import type { HorizonReturn } from './return-statistics.ts';
import { returnBp, type SplitFactor } from '../score/returns.ts';
import type { ScoreRule } from '../rule/score-rule.ts';
import type { Ordinary } from './study-blob.ts';

/** A tick of the class, with what ordinary moments need. */
export interface OrdinaryTick {
  /** Unix seconds, and the count of the class's grid. */
  readonly ts: number;
  readonly index: number;
  /** The assets whose tick is good. */
  readonly good: { has(symbol: string): boolean };
  /** The assets whose tick is good and has a score. Called only where moments begin. */
  readonly scored: () => Iterable<string>;
  /** The price of a good asset in its units. Called only if a moment depends on it. */
  readonly price: (symbol: string) => number;
}

interface Split extends SplitFactor {
  readonly symbol: string;
  /** Unix seconds. */
  readonly at: number;
}

/**
 * The benchmark's first good tick at or after `since`: its time, none within the tolerance, or not known yet.
 */
interface Instant {
  readonly since: number;
  found: { readonly ts: number; readonly price: number } | null | undefined;
}

/** The return of an asset at a horizon. Its benchmark's return ends at `end`. */
interface Reached {
  readonly ret: number;
  readonly end: Instant;
}

/** A good tick of an asset that may turn out to be ordinary. */
interface Moment {
  readonly price: number;
  /** By horizon; undefined while it waits, and if no good tick came in time. */
  readonly reached: [Reached | undefined, Reached | undefined, Reached | undefined];
}

/** The moments of one time. */
interface Moments {
  readonly ts: number;
  /** Where the benchmark's return begins. */
  readonly begin: Instant;
  readonly bySymbol: Map<string, Moment>;
  /** By horizon: assets that have no good tick for it yet. */
  readonly waiting: readonly [Set<string>, Set<string>, Set<string>];
}

/** What a sample remembers, beside what it has counted. */
interface SampleState {
  /** Counts of the grid from one time of moments to the next. */
  every: number;
  /** Oldest first. */
  moments: readonly Moments[];
  looking: readonly Instant[];
  splits: readonly Split[];
  /** When the newest event of an asset opened, in unix seconds. */
  readonly opened: Map<string, number>;
  readonly gone: Set<string>;
}

/** What a sample of ordinary moments knows between two ticks. */
export interface KeptOrdinary extends SampleState {
  readonly tally: KeptTally;
}

const SECONDS = [HORIZON_SECONDS['24h'], HORIZON_SECONDS['7d'], HORIZON_SECONDS['30d']] as const;

/** How many seconds before and after an event's opening no moment of its asset is ordinary. */
const NEAR_S = DAY_SECONDS;

/**
 * Whether ordinary moments depend on the tick at `ts` (unix seconds). They depend only on the ticks on the
 * hour, which thinning preserves.
 */
export function isSampled(ts: number): boolean {
  return ts % HOUR_SECONDS === 0;
}

/**
 * The ordinary moments of a class (docs/spec/base-rate.md): every scored tick of an asset at each half day of
 * the grid that is not near an opening of an event of the asset, with the returns that its receipts would have
 * if there were only ticks on the hour. It must receive the ticks of the class and the openings of its events
 * in order. It remembers the moments of the last month.
 */
export class OrdinarySample {
  readonly #rule: ScoreRule['receipts'];
  readonly #tally = new OrdinaryTally();
  #state: SampleState;

  constructor({ receipts, volume }: ScoreRule) {
    this.#rule = receipts;
    this.#state = {
      every: volume.day / 2,
      moments: [],
      looking: [],
      splits: [],
      opened: new Map(),
      gone: new Set(),
    };
  }

  /** What a sample of the same class needs to go on in the place of this one. It changes with the next call. */
  get kept(): KeptOrdinary {
    return { ...this.#state, tally: this.#tally.kept };
  }

  /** Goes on as the sample that was kept, of the same class. Call it before anything else. */
  resume({ tally, ...state }: KeptOrdinary): void {
    this.#tally.resume(tally);
    this.#state = state;
  }

  /** Switches to the version of the rule that the next tick names. Receipts are the same under all versions. */
  under({ volume }: ScoreRule): void {
    this.#state.every = volume.day / 2;
  }

  /** The asset has ticks after this. */
  list(symbol: string): void {
    this.#state.gone.delete(symbol);
  }

  /** The asset has no more ticks. What is not there at the next tick never will be. */
  delist(symbol: string): void {
    this.#state.gone.add(symbol);
  }

  /** A split in force from `at` (unix seconds) on. Call it before the first tick at or after `at`. */
  split(symbol: string, at: number, { numerator, denominator }: SplitFactor): void {
    this.#state.splits = [...this.#state.splits, { symbol, at, numerator, denominator }];
  }

  /**
   * An event of the asset opens at `ts`, the time of the newest tick. No moment of the asset within a day of
   * that is ordinary.
   */
  event(symbol: string, ts: number): void {
    this.#state.opened.set(symbol, ts);
    for (const { ts: from, bySymbol, waiting } of this.#state.moments) {
      if (ts - from > NEAR_S) continue;
      bySymbol.delete(symbol);
      for (const left of waiting) left.delete(symbol);
    }
  }

  /** Takes the class's next tick. A tick that is not on the hour changes nothing. */
  step(tick: OrdinaryTick): void {
    const { ts, index, price } = tick;
    if (!isSampled(ts)) return;
    for (const instant of this.#state.looking) this.#look(instant, tick);
    this.#state.looking = this.#state.looking.filter(({ found }) => found === undefined);
    const end = this.#instant(tick);
    for (const moments of this.#state.moments) this.#reach(moments, tick, end);
    this.#state.gone.clear();
    this.#settle(ts);
    if (index % this.#state.every === 0) {
      const moments: Moments = {
        ts,
        begin: end,
        bySymbol: new Map(),
        waiting: [new Set(), new Set(), new Set()],
      };
      for (const symbol of tick.scored()) {
        if (ts - (this.#state.opened.get(symbol) ?? Number.NEGATIVE_INFINITY) <= NEAR_S) continue;
        const reached: Moment['reached'] = [undefined, undefined, undefined];
        moments.bySymbol.set(symbol, { price: price(symbol), reached });
        for (const waiting of moments.waiting) waiting.add(symbol);
      }
      this.#state.moments = [...this.#state.moments, moments];
    }
    if (end.found === undefined) this.#state.looking = [...this.#state.looking, end];
  }

  /**
   * Returns the ordinary moments so far and ends the sample. Returns that are still to come count as missing.
   */
  end(): Ordinary {
    this.#settle(Number.POSITIVE_INFINITY);
    return this.#tally.ordinary;
  }

  /** How many of them have returns, as `end` would count now. */
  get counts(): OrdinaryCounts {
    const open = new OrdinaryTally();
    for (const moments of this.#state.moments) this.#count(moments, open);
    return addCounts(this.#tally.counts, open.counts);
  }

  /** Where the benchmark's return begins or ends; the search starts at this tick. */
  #instant(tick: OrdinaryTick): Instant {
    const instant: Instant = { since: tick.ts, found: undefined };
    this.#look(instant, tick);
    return instant;
  }

  #look(instant: Instant, { ts, good, price }: OrdinaryTick): void {
    const { benchmark, benchmark_tolerance_s } = this.#rule;
    if (ts > instant.since + benchmark_tolerance_s) instant.found = null;
    else if (good.has(benchmark)) instant.found = { ts, price: price(benchmark) };
  }

  /** Records the returns of the assets that are good now, at their horizon or after it. */
  #reach({ ts: from, bySymbol, waiting }: Moments, tick: OrdinaryTick, end: Instant): void {
    const { ts, good, price } = tick;
    for (const [h, seconds] of SECONDS.entries()) {
      const left = waiting[h as 0 | 1 | 2];
      if (left.size === 0) continue;
      for (const symbol of this.#state.gone) left.delete(symbol);
      if (ts < from + seconds) continue;
      if (ts > from + seconds + this.#rule.void_after_s) left.clear();
      for (const symbol of left) {
        if (!good.has(symbol)) continue;
        left.delete(symbol);
        const moment = bySymbol.get(symbol) as Moment;
        const splits = this.#between(symbol, from, ts);
        moment.reached[h as 0 | 1 | 2] = {
          ret: returnBp(moment.price, price(symbol), splits),
          end,
        };
      }
    }
  }

  /** Counts the moments for which nothing more can come at `ts`. */
  #settle(ts: number): void {
    const { void_after_s, benchmark_tolerance_s } = this.#rule;
    const longest = HORIZON_SECONDS['30d'] + void_after_s + benchmark_tolerance_s;
    const done = this.#state.moments.filter((moments) => ts > moments.ts + longest);
    if (done.length === 0) return;
    this.#state.moments = this.#state.moments.slice(done.length);
    for (const moments of done) this.#count(moments, this.#tally);
  }

  #count(moments: Moments, tally: Pick<OrdinaryTally, 'add'>): void {
    for (const [symbol, { reached }] of moments.bySymbol) {
      const [day, week, month] = reached.map((each) => this.#returns(symbol, moments, each));
      tally.add({ '1d': day, '7d': week, '30d': month } as HorizonReturns);
    }
  }

  #returns(symbol: string, { begin }: Moments, reached: Reached | undefined): HorizonReturn {
    if (reached === undefined) return { ret: null, benchmark: null };
    const { ret, end } = reached;
    const { benchmark } = this.#rule;
    const [from, to] = [begin.found, end.found];
    if (symbol === benchmark || !from || !to) return { ret, benchmark: null };
    const splits = this.#between(benchmark, from.ts, to.ts);
    return { ret, benchmark: returnBp(from.price, to.price, splits) };
  }

  #between(symbol: string, from: number, to: number): readonly Split[] {
    return this.#state.splits.filter(
      (each) => each.symbol === symbol && each.at > from && each.at <= to,
    );
  }
}
