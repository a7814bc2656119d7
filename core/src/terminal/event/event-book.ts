import { Fault } from '../../fault.ts';
import type { Sha256 } from '../../hash/hash.ts';
import type { CloseReason } from '../../kind/event-close.ts';
import { eventId } from '../../kind/event-id.ts';
import { EventMachine, type KeptMachine } from './event-machine.ts';
import type { TickGrid } from '../calendar/grid.ts';
import { type Horizon, HORIZONS } from '../../kind/horizon.ts';
import {
  type BenchmarkStep,
  EventReceipts,
  type KeptReceipts,
  type ReceiptStep,
  type ReceiptTick,
} from './receipts.ts';
import { receiptsText, type ScoreRule } from '../rule/score-rule.ts';

/** The public part of a tick leaf. */
export interface PublicLeaf {
  readonly score: number | null;
  readonly good: boolean;
}

/** An entry that a tick makes due, without the fields that depend on private values. Times are unix seconds. */
export type Due = CloseDue | ReceiptDue | BenchmarkDue | OpenDue;

export interface CloseDue {
  readonly kind: 'close';
  readonly id: string;
  readonly symbol: string;
  readonly closed_at: number;
  readonly reason: CloseReason;
  readonly peak_score: number;
}

export type ReceiptDue = {
  readonly kind: 'receipt';
  readonly id: string;
  readonly symbol: string;
  readonly horizon: Horizon;
  readonly opened_at: number;
} & ReceiptStep;

export type BenchmarkDue = {
  readonly kind: 'benchmark';
  readonly id: string;
  /** The event's asset. */
  readonly symbol: string;
  readonly horizon: Horizon;
  /** The symbol of the asset that it is compared with. */
  readonly benchmark: string;
} & BenchmarkStep;

export interface OpenDue {
  readonly kind: 'open';
  readonly id: string;
  readonly symbol: string;
  readonly opened_at: number;
  readonly score: number;
}

interface Followed {
  readonly symbol: string;
  readonly machine: EventMachine;
  listed: boolean;
  /** Events with receipts or benchmarks still to come, oldest first. */
  events: { readonly id: string; readonly receipts: EventReceipts }[];
  /** The last tick that it was given, in unix seconds. */
  seen: number;
}

/** What an event book knows of an asset between two ticks. */
interface KeptAsset {
  readonly machine: KeptMachine;
  readonly listed: boolean;
  readonly events: readonly {
    readonly id: string;
    readonly openedAt: number;
    readonly receipts: KeptReceipts;
  }[];
}

/** What an event book knows between two ticks. */
export interface KeptBook {
  readonly rule: ScoreRule;
  /** By symbol: every asset that was ever listed. */
  readonly assets: ReadonlyMap<string, KeptAsset>;
  /** The time of the last tick, in unix seconds. */
  readonly last: number;
}

/** A tick, as it applies to every asset. */
interface TickAt {
  /** Unix seconds. */
  readonly ts: number;
  /** Its count in the grid. */
  readonly index: number;
  readonly benchmarkGood: boolean;
}

interface Dues {
  readonly closes: Due[];
  readonly receipts: Due[];
  readonly benchmarks: Due[];
  readonly opens: Due[];
}

/**
 * Derives the events and receipts of a class from the public leaves of its ticks alone. A publisher writes
 * exactly these entries, and whoever has the blobs detects one that is missing, early, late or too many
 * (docs/spec/event.md, docs/spec/receipt.md).
 *
 * It remembers what is open, and one machine for each asset that was ever listed. The cost of a tick depends on
 * its leaves and the open events, but not on the number of all assets.
 */
export class EventBook {
  #rule: ScoreRule;
  readonly #grid: TickGrid;
  readonly #sha256: Sha256;
  readonly #assets: Map<string, Followed> = new Map();
  /** Assets with an open event or with an event that still has a receipt due. */
  readonly #busy: Set<Followed> = new Set();
  #last = Number.NEGATIVE_INFINITY;

  constructor({ rule, grid, sha256 }: { rule: ScoreRule; grid: TickGrid; sha256: Sha256 }) {
    this.#rule = rule;
    this.#grid = grid;
    this.#sha256 = sha256;
  }

  /** What a book needs to go on in the place of this one. It changes with the next call. */
  get kept(): KeptBook {
    const assets = new Map<string, KeptAsset>();
    for (const [symbol, { machine, listed, events }] of this.#assets) {
      assets.set(symbol, {
        machine: machine.kept,
        listed,
        events: events.map(({ id, receipts }) => {
          const { openedAt } = receipts;
          return { id, openedAt, receipts: receipts.kept };
        }),
      });
    }
    return { rule: this.#rule, assets, last: this.#last };
  }

  /** Goes on as the book that was kept. Call it before the first listing. */
  resume({ rule, assets, last }: KeptBook): void {
    this.#rule = rule;
    this.#last = last;
    for (const [symbol, kept] of assets) {
      const machine = new EventMachine(rule.event);
      machine.resume(kept.machine);
      const events = kept.events.map(({ id, openedAt, receipts: waiting }) => {
        const receipts = this.#receipts(symbol, openedAt);
        receipts.resume(waiting);
        return { id, receipts };
      });
      const seen = Number.NEGATIVE_INFINITY;
      const asset = { symbol, machine, listed: kept.listed, events, seen };
      this.#assets.set(symbol, asset);
      this.#sort(asset);
    }
  }

  /**
   * Switches to the rule that the ticks from now on name. What is open or armed, and each series of ticks below
   * `close`, continues. Throws `malformed` for a rule of another class or with other receipts.
   */
  under(rule: ScoreRule): void {
    if (rule === this.#rule) return;
    const words = (each: ScoreRule): string => `${each.class}, ${receiptsText(each)}`;
    const [expected, found] = [words(this.#rule), words(rule)];
    if (expected !== found) throw new Fault('malformed', 'score rule', { expected, found });
    this.#rule = rule;
  }

  /**
   * The asset has ticks after `ts` (unix seconds). An asset that comes back continues as it was, because
   * listing it again arms nothing. Throws `out_of_range` for a time before the last tick.
   */
  list(symbol: string, ts: number): void {
    this.#requireNow(ts);
    const known = this.#assets.get(symbol);
    if (known !== undefined) {
      known.listed = true;
      return;
    }
    const machine = new EventMachine(this.#rule.event);
    const seen = Number.NEGATIVE_INFINITY;
    this.#assets.set(symbol, { symbol, machine, listed: true, events: [], seen });
  }

  /**
   * The asset has no ticks after `ts` (unix seconds). The next tick of the class voids its receipts, and an
   * open event continues until it closes for lack of good ticks. Throws `out_of_range` for a time before the
   * last tick and `not_found` for an asset that is not listed.
   */
  delist(symbol: string, ts: number): void {
    this.#requireNow(ts);
    const known = this.#assets.get(symbol);
    if (known?.listed !== true) throw new Fault('not_found', 'listed asset', { found: symbol });
    known.listed = false;
  }

  /** The number of events that are remembered because a receipt or a benchmark is still to come. */
  get remembered(): number {
    return [...this.#busy].reduce((sum, { events }) => sum + events.length, 0);
  }

  /**
   * Returns what the tick at `ts` (unix seconds) makes due: closes, receipts, benchmarks and opens, each
   * ordered by symbol, then horizon, then the opening of the event. A listed asset without a leaf counts as not
   * good, and a leaf of an asset that is not listed decides nothing. Throws `out_of_range` for a time that is
   * not on the grid or not after the last.
   */
  step(ts: number, leaves: ReadonlyMap<string, PublicLeaf>): readonly Due[] {
    const index = this.#grid.indexOf(ts);
    if (index === undefined || ts <= this.#last) {
      throw new Fault('out_of_range', 'tick', {
        expected: `a time of the grid after ${this.#last}`,
        found: String(ts),
      });
    }
    this.#last = ts;
    const { benchmark } = this.#rule.receipts;
    const held = this.#assets.get(benchmark);
    const benchmarkGood = held?.listed === true && leaves.get(benchmark)?.good === true;
    const dues: Dues = { closes: [], receipts: [], benchmarks: [], opens: [] };
    const at = { ts, index, benchmarkGood };
    // A tick without a leaf does not change an asset that has nothing open.
    for (const asset of this.#busy) {
      this.#take(asset, asset.listed ? leaves.get(asset.symbol) : undefined, at, dues);
    }
    for (const [symbol, leaf] of leaves) {
      const asset = this.#assets.get(symbol);
      if (asset?.listed === true && asset.seen !== ts) this.#take(asset, leaf, at, dues);
    }
    const { closes, receipts, benchmarks, opens } = dues;
    return [closes, receipts, benchmarks, opens].flatMap((each) => each.sort(bySymbol));
  }

  /** Handles one asset at a tick. The leaf is undefined if the asset has none or is not listed. */
  #take(asset: Followed, leaf: PublicLeaf | undefined, at: TickAt, dues: Dues): void {
    const { ts, index, benchmarkGood } = at;
    const good = leaf?.good === true;
    const tick: ReceiptTick = { ts, good, delisted: !asset.listed, benchmarkGood };
    asset.seen = ts;
    if (asset.events.length > 0) this.#settle(asset, tick, dues);
    if (asset.listed || asset.machine.isOpen) {
      this.#move(asset, index, leaf?.score ?? null, tick, dues);
    }
    this.#sort(asset);
  }

  /** Puts an asset among those that take part in every tick, or takes it out of them. */
  #sort(asset: Followed): void {
    if (asset.events.length > 0 || asset.machine.isOpen) this.#busy.add(asset);
    else this.#busy.delete(asset);
  }

  /** Adds the receipts and benchmarks of an asset's events that are due. */
  #settle(asset: Followed, tick: ReceiptTick, dues: Dues): void {
    const { symbol, events } = asset;
    const { benchmark } = this.#rule.receipts;
    for (const { receipts } of events) receipts.begin(tick);
    for (const horizon of HORIZONS) {
      for (const { id, receipts } of events) {
        const { openedAt: opened_at } = receipts;
        const step = receipts.receipt(horizon, tick);
        if (step !== undefined) {
          dues.receipts.push({ kind: 'receipt', id, symbol, horizon, opened_at, ...step });
        }
        const measured = receipts.benchmark(horizon, tick);
        if (measured !== undefined) {
          dues.benchmarks.push({ kind: 'benchmark', id, symbol, horizon, benchmark, ...measured });
        }
      }
    }
    if (events.some((each) => each.receipts.isDone)) {
      asset.events = events.filter((each) => !each.receipts.isDone);
    }
  }

  #move(asset: Followed, index: number, score: number | null, tick: ReceiptTick, dues: Dues): void {
    const { symbol, machine } = asset;
    machine.under(this.#rule.event);
    const step = machine.step(index, tick.ts, score, tick.good);
    if (step === undefined) return;
    if (step.kind === 'close') {
      const { at: closed_at, reason, peak: peak_score } = step;
      const id = eventId(this.#sha256, symbol, step.openedAt);
      dues.closes.push({ kind: 'close', id, symbol, closed_at, reason, peak_score });
      return;
    }
    const id = eventId(this.#sha256, symbol, step.at);
    dues.opens.push({ kind: 'open', id, symbol, opened_at: step.at, score: step.score });
    const receipts = this.#receipts(symbol, step.at);
    receipts.begin(tick);
    asset.events.push({ id, receipts });
  }

  #receipts(symbol: string, openedAt: number): EventReceipts {
    const { receipts: rule } = this.#rule;
    return new EventReceipts(rule, openedAt, symbol === rule.benchmark);
  }

  #requireNow(ts: number): void {
    if (ts >= this.#last) return;
    throw new Fault('out_of_range', 'listing', {
      expected: `a time at or after ${this.#last}`,
      found: String(ts),
    });
  }
}

/** In the order of ASCII. The entries of one asset keep their order. */
function bySymbol(a: Due, b: Due): number {
  if (a.symbol === b.symbol) return 0;
  return a.symbol < b.symbol ? -1 : 1;
}
