import type { EventOpen } from '../../kind/event.ts';
import { groupOf } from '../../kind/event-group.ts';
import { HORIZON_SECONDS } from '../../kind/horizon.ts';
import { HOUR_SECONDS, parseTime } from '../../time/time.ts';
import { type ScoreRule, studyVersion } from '../rule/score-rule.ts';
import { returnBp, type SplitFactor } from '../score/returns.ts';
import { divideRounded } from './jackknife.ts';
import type { MomentReturn, StudyMoment } from './study-moment.ts';

/** A tick of the class, with what moments need of it. */
export interface MomentTick {
  /** Unix seconds, and the count of the class's grid. */
  readonly ts: number;
  readonly index: number;
  /** The assets whose tick is good. Read only where `wants` said so. */
  readonly good: () => ReadonlySet<string> | ReadonlyMap<string, unknown>;
  /** The price of a good asset in its units. Called only where a moment rests on it. */
  readonly price: (symbol: string) => number;
}

/** How many events no moment was made of, by the reason. */
export interface LeftOut {
  readonly few_controls: number;
  readonly no_entry: number;
  readonly no_exit: number;
  readonly not_over: number;
}

/** The moments of a class up to its newest tick. */
export interface Moments {
  readonly moments: readonly StudyMoment[];
  readonly left_out: LeftOut;
}

interface Split extends SplitFactor {
  readonly symbol: string;
  /** Unix seconds. */
  readonly at: number;
}

/** An event whose asset had no good tick since. */
interface Waiting {
  readonly event: EventOpen;
  /** The assets that were quiet at the opening. */
  readonly quiet: ReadonlySet<string>;
  /** The last count of the grid at which somebody may enter. */
  readonly until: number;
}

/** What an asset returned, to its last price if it is gone. */
interface Outcome {
  readonly ret: number;
  readonly gone: boolean;
  /** Whether it has a price after it was entered. */
  readonly priced: boolean;
}

/** The moments that were entered at one tick. */
interface Entry {
  readonly ts: number;
  /** The prices of their assets and of all their controls. */
  readonly prices: Map<string, number>;
  readonly moments: Entered[];
  /** By horizon. */
  readonly outcomes: [Outcomes, Outcomes, Outcomes];
}

/** The outcomes at one horizon; the assets in `left` have none yet. */
interface Outcomes {
  readonly of: Map<string, Outcome>;
  readonly left: Set<string>;
  /** Whether nothing more can come. */
  readonly over: boolean;
}

/** A tick on the hour, as far as a return may still end at it. */
type Hour = Pick<MomentTick, 'ts' | 'good' | 'price'>;

interface MomentTally {
  readonly moments: StudyMoment[];
  readonly left_out: { -readonly [K in keyof LeftOut]: number };
}

interface Entered {
  readonly event: EventOpen;
  readonly controls: readonly string[];
}

/** What a sample remembers, beside the newest hour. */
interface SampleState {
  rule: ScoreRule;
  newest: { readonly ts: number; readonly index: number } | undefined;
  waiting: readonly Waiting[];
  entries: readonly Entry[];
  splits: readonly Split[];
  /** The last price of assets that had none at the hour after it. */
  readonly last: Map<string, { readonly ts: number; readonly price: number }>;
  readonly tally: MomentTally;
}

/** What a sample of moments knows between two ticks. */
export interface KeptMoments extends SampleState {
  /** The newest tick on the hour: which assets were good, and the prices at which returns may still end. */
  readonly hour:
    | {
        readonly ts: number;
        readonly good: ReadonlySet<string>;
        readonly prices: ReadonlyMap<string, number>;
      }
    | undefined;
}

const SECONDS = [HORIZON_SECONDS['24h'], HORIZON_SECONDS['7d'], HORIZON_SECONDS['30d']] as const;
const LOST_BP = -10_000;

/** How long after a horizon a price may come, in seconds. */
export const EXIT_SECONDS: number = 6 * HOUR_SECONDS;

/** A return from a price to a later one, over the splits in between. */
export type ReturnOf = (from: number, to: number, splits: readonly SplitFactor[]) => number;

/** The fewest assets that a moment is compared with. */
export const MIN_CONTROLS = 5;

/**
 * The moments of a class (docs/spec/base-rate.md, "Moments"): the openings of its events under rules that say
 * so, each entered at the asset's next good tick and compared with the assets that were quiet at the opening.
 * It must receive the ticks of the class, its events and its splits in the order of the log. It remembers the
 * prices of the entries of the last five weeks.
 */
export class MomentSample {
  readonly #returnOf: ReturnOf;
  #state: SampleState;
  /** The newest tick on the hour. */
  #hour: Hour | undefined;

  /** Whoever has no prices may state another number of two ticks as the return from the one to the other. */
  constructor(rule: ScoreRule, returnOf: ReturnOf = returnBp) {
    this.#returnOf = returnOf;
    this.#state = {
      rule,
      newest: undefined,
      waiting: [],
      entries: [],
      splits: [],
      last: new Map(),
      tally: {
        moments: [],
        left_out: { few_controls: 0, no_entry: 0, no_exit: 0, not_over: 0 },
      },
    };
  }

  /**
   * What a sample of the same class and with the same returns needs to go on in the place of this one. It changes with the
   * next call.
   */
  get kept(): KeptMoments {
    const hour = this.#hour;
    if (hour === undefined) return { ...this.#state, hour };
    const good = new Set(hour.good().keys());
    const prices = new Map<string, number>();
    for (const symbol of good) {
      if (this.#mayEnd(symbol, hour)) prices.set(symbol, hour.price(symbol));
    }
    return { ...this.#state, hour: { ts: hour.ts, good, prices } };
  }

  /** Goes on as the sample that was kept. Call it before anything else. */
  resume({ hour, ...state }: KeptMoments): void {
    this.#state = state;
    if (hour === undefined) return;
    const { ts, good, prices } = hour;
    this.#hour = { ts, good: () => good, price: (symbol) => prices.get(symbol) as number };
  }

  /** Switches to the version of the rule that the next tick names. */
  under(rule: ScoreRule): void {
    this.#state.rule = rule;
  }

  /** Whether moments rest on who is good at the tick at `ts` (unix seconds), the next one, and on prices of it. */
  wants(ts: number): boolean {
    return this.#state.waiting.length > 0 || ts % HOUR_SECONDS === 0;
  }

  /** A split in force from `at` (unix seconds) on. Call it before the first tick at or after `at`. */
  split(symbol: string, at: number, { numerator, denominator }: SplitFactor): void {
    this.#state.splits = [...this.#state.splits, { symbol, at, numerator, denominator }];
  }

  /** Takes the class's next tick. */
  step(tick: MomentTick): void {
    const { ts, index } = tick;
    this.#state.newest = { ts, index };
    if (!this.wants(ts)) return;
    if (ts % HOUR_SECONDS === 0) this.#reach(tick);
    this.#enter(tick);
  }

  /**
   * An event opens at the newest tick. `quiet` are the assets that are good then with a score below the rule's
   * `close`; the event's own is left out of them.
   */
  open(event: EventOpen, quiet: Iterable<string>): void {
    const { rule, newest, waiting } = this.#state;
    if (studyVersion(rule) < 2 || newest === undefined) return;
    if (groupOf(event.move_24h, event.breadth) === undefined) return;
    const others = new Set(quiet);
    others.delete(event.symbol);
    const until = newest.index + rule.event.silent;
    this.#state.waiting = [...waiting, { event, quiet: others, until }];
  }

  /** The moments up to the newest tick, in the order of their openings. The sample can go on. */
  get moments(): Moments {
    const { ts, index } = this.#state.newest ?? { ts: 0, index: 0 };
    const tally = copyOf(this.#state.tally);
    for (const { until } of this.#state.waiting) {
      tally.left_out[until > index ? 'not_over' : 'no_entry'] += 1;
    }
    for (const entry of this.#state.entries) {
      const known = (h: 0 | 1 | 2): Outcomes =>
        this.#deadline(entry, h) <= ts ? this.#closed(entry, h) : entry.outcomes[h];
      settle(entry, [known(0), known(1), known(2)], tally);
    }
    tally.moments.sort((a, b) => a.opened_at - b.opened_at || (a.symbol < b.symbol ? -1 : 1));
    return tally;
  }

  /** The time after which an asset that has no price at a horizon has none. */
  #deadline({ ts }: Entry, h: 0 | 1 | 2): number {
    return ts + SECONDS[h] + EXIT_SECONDS;
  }

  /** Lets enter those whose asset is good now. */
  #enter(tick: MomentTick): void {
    if (this.#state.waiting.length === 0) return;
    const good = tick.good();
    const entry: Entry = {
      ts: tick.ts,
      prices: new Map(),
      moments: [],
      outcomes: [emptyOutcomes(), emptyOutcomes(), emptyOutcomes()],
    };
    this.#state.waiting = this.#state.waiting.filter(({ event, quiet, until }) => {
      if (tick.index > until) {
        this.#state.tally.left_out.no_entry += 1;
        return false;
      }
      if (!good.has(event.symbol)) return true;
      const controls = [...quiet].filter((symbol) => good.has(symbol));
      entry.moments.push({ event, controls });
      return false;
    });
    if (entry.moments.length === 0) return;
    for (const { event, controls } of entry.moments) {
      for (const symbol of controls.length < MIN_CONTROLS ? [] : [event.symbol, ...controls]) {
        if (!entry.prices.has(symbol)) entry.prices.set(symbol, tick.price(symbol));
      }
    }
    for (const { left } of entry.outcomes)
      for (const symbol of entry.prices.keys()) left.add(symbol);
    this.#state.entries = [...this.#state.entries, entry];
  }

  /** Takes a tick on the hour: horizons that are reached at it, and assets that stop being good. */
  #reach(tick: MomentTick): void {
    const good = tick.good();
    for (const entry of this.#state.entries) {
      for (const h of [0, 1, 2] as const) this.#reachHorizon(entry, h, tick, good);
    }
    this.#remember(good);
    this.#hour = tick;
    const done = this.#state.entries.filter(({ outcomes }) => outcomes.every(({ over }) => over));
    if (done.length === 0) return;
    for (const entry of done) settle(entry, entry.outcomes, this.#state.tally);
    this.#state.entries = this.#state.entries.filter((entry) => !done.includes(entry));
  }

  #reachHorizon(
    entry: Entry,
    h: 0 | 1 | 2,
    { ts, price }: MomentTick,
    good: ReturnType<MomentTick['good']>,
  ): void {
    const { of, left, over } = entry.outcomes[h];
    if (over || ts < entry.ts + SECONDS[h]) return;
    if (ts > this.#deadline(entry, h)) {
      entry.outcomes[h] = this.#closed(entry, h);
      return;
    }
    for (const symbol of left) {
      if (!good.has(symbol)) continue;
      left.delete(symbol);
      of.set(symbol, {
        ret: this.#return(entry, symbol, ts, price(symbol)),
        gone: false,
        priced: true,
      });
    }
  }

  /** Keeps the last prices of assets that were good at the hour before and are not now. */
  #remember(good: ReturnType<MomentTick['good']>): void {
    const before = this.#hour;
    if (before === undefined || this.#state.entries.length === 0) return;
    for (const symbol of before.good().keys()) {
      if (good.has(symbol) || !this.#mayEnd(symbol, before)) continue;
      this.#state.last.set(symbol, { ts: before.ts, price: before.price(symbol) });
    }
  }

  /** Whether the return of an asset may end at an hour: it was entered before. */
  #mayEnd(symbol: string, hour: Hour): boolean {
    return this.#state.entries.some(({ ts, prices }) => ts < hour.ts && prices.has(symbol));
  }

  /** The outcomes at a horizon where nothing more can come: the assets without one are gone. */
  #closed(entry: Entry, h: 0 | 1 | 2): Outcomes {
    const { of, left } = entry.outcomes[h];
    if (left.size === 0) return { of, left, over: true };
    const all = new Map(of);
    for (const symbol of left) {
      const last = this.#lastPrice(entry, symbol);
      const ret = last === undefined ? 0 : this.#return(entry, symbol, last.ts, last.price);
      all.set(symbol, { ret, gone: true, priced: last !== undefined });
    }
    return { of: all, left: new Set(), over: true };
  }

  /** The last price of an asset after it was entered. */
  #lastPrice(
    { ts: since }: Entry,
    symbol: string,
  ): { readonly ts: number; readonly price: number } | undefined {
    const hour = this.#hour;
    if (hour?.good().has(symbol) === true) {
      return hour.ts > since ? { ts: hour.ts, price: hour.price(symbol) } : undefined;
    }
    const last = this.#state.last.get(symbol);
    return last !== undefined && last.ts > since ? last : undefined;
  }

  #return({ ts: from, prices }: Entry, symbol: string, to: number, price: number): number {
    const between = this.#state.splits.filter(
      (split) => split.symbol === symbol && split.at > from && split.at <= to,
    );
    return this.#returnOf(prices.get(symbol) as number, price, between);
  }
}

/** Adds the moments of an entry with these outcomes. */
function settle(
  { ts, moments }: Entry,
  [day, week, month]: Entry['outcomes'],
  tally: MomentTally,
): void {
  for (const { event, controls } of moments) {
    const group = groupOf(event.move_24h, event.breadth);
    if (!week.over || group === undefined) {
      tally.left_out.not_over += 1;
      continue;
    }
    if (controls.length < MIN_CONTROLS) {
      tally.left_out.few_controls += 1;
      continue;
    }
    const { id, symbol, opened_at } = event;
    const after = returnsOf(week, symbol, controls);
    if (after === null) {
      tally.left_out.no_exit += 1;
      continue;
    }
    tally.moments.push({
      id,
      symbol,
      opened_at: parseTime(opened_at),
      entered_at: ts,
      ...group,
      controls: controls.length,
      returns: {
        '1d': returnsOf(day, symbol, controls),
        '7d': after,
        '30d': returnsOf(month, symbol, controls),
      },
    });
  }
}

function copyOf({ moments, left_out }: MomentTally): MomentTally {
  return { moments: [...moments], left_out: { ...left_out } };
}

function emptyOutcomes(): Outcomes {
  return { of: new Map(), left: new Set(), over: false };
}

/** Null where the horizon is not over, and where more than half of the controls are gone. */
function returnsOf(
  { of, over }: Outcomes,
  symbol: string,
  controls: readonly string[],
): MomentReturn | null {
  if (!over) return null;
  const { ret, gone } = of.get(symbol) as Outcome;
  let [last, lost, goneControls, unpriced] = [0n, 0n, 0, 0];
  for (const control of controls) {
    const outcome = of.get(control) as Outcome;
    last += BigInt(outcome.ret);
    lost += BigInt(outcome.gone ? LOST_BP : outcome.ret);
    if (outcome.gone) goneControls += 1;
    if (!outcome.priced) unpriced += 1;
  }
  if (2 * goneControls > controls.length) return null;
  const n = BigInt(controls.length);
  return {
    ret,
    gone,
    base: Number(divideRounded(last, n)),
    base_lost: Number(divideRounded(lost, n)),
    gone_controls: goneControls,
    unpriced_controls: unpriced,
  };
}
