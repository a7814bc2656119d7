import { Fault } from '../fault.ts';
import type { Sha256 } from '../hash.ts';
import type { CloseReason } from '../kind/event-close.ts';
import { eventId } from './event-id.ts';
import { EventMachine } from './event-machine.ts';
import type { TickGrid } from './grid.ts';
import { type Horizon, HORIZONS } from './horizon.ts';
import {
  type BenchmarkStep,
  EventReceipts,
  type ReceiptStep,
  type ReceiptTick,
} from './receipts.ts';
import type { ScoreRule } from './score-rule.ts';

/** What the open part of a tick leaf says. */
export interface PublicLeaf {
  readonly score: number | null;
  readonly good: boolean;
}

/** An entry that a tick makes due, without what private values add to it. Times are unix seconds. */
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
  /** Symbol of what it is held against. */
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
  /** Events with something still to say, oldest first. */
  events: { readonly id: string; readonly receipts: EventReceipts }[];
}

interface Dues {
  readonly closes: Due[];
  readonly receipts: Due[];
  readonly benchmarks: Due[];
  readonly opens: Due[];
}

/**
 * The events and receipts of a class, from the public leaves of its ticks alone: a publisher writes exactly these
 * entries, and whoever has the blobs finds out one that is missing, early, late or too many (docs/spec/event.md,
 * docs/spec/receipt.md). It keeps what is open, and one machine for each asset that was ever listed.
 */
export class EventBook {
  readonly #rule: ScoreRule;
  readonly #grid: TickGrid;
  readonly #sha256: Sha256;
  /** By symbol, rising. */
  #assets: readonly Followed[] = [];
  readonly #bySymbol: Map<string, Followed> = new Map();
  #last = Number.NEGATIVE_INFINITY;

  constructor({ rule, grid, sha256 }: { rule: ScoreRule; grid: TickGrid; sha256: Sha256 }) {
    this.#rule = rule;
    this.#grid = grid;
    this.#sha256 = sha256;
  }

  /**
   * The asset has ticks after `ts` (unix seconds). One that comes back goes on as it was: listing it again arms
   * nothing. Throws `out_of_range` for a time before the last tick.
   */
  list(symbol: string, ts: number): void {
    this.#requireNow(ts);
    const known = this.#bySymbol.get(symbol);
    if (known !== undefined) {
      known.listed = true;
      return;
    }
    const machine = new EventMachine(this.#rule.event);
    this.#bySymbol.set(symbol, { symbol, machine, listed: true, events: [] });
    this.#assets = [...this.#bySymbol.values()].sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  }

  /**
   * The asset has no ticks after `ts` (unix seconds): the next tick of the class voids its receipts, and an open event
   * goes on to its close without good ticks. Throws `out_of_range` for a time before the last tick, `not_found` for an
   * asset that is not listed.
   */
  delist(symbol: string, ts: number): void {
    this.#requireNow(ts);
    const known = this.#bySymbol.get(symbol);
    if (known?.listed !== true) throw new Fault('not_found', 'listed asset', { found: symbol });
    known.listed = false;
  }

  /** Events that are kept: those with a receipt or a benchmark still to come. */
  get kept(): number {
    return this.#assets.reduce((sum, { events }) => sum + events.length, 0);
  }

  /**
   * What the tick at `ts` (unix seconds) makes due: closes, receipts, benchmarks, opens; each by symbol, then horizon,
   * then the event's opening. A listed asset without a leaf is as one whose tick is not good; a leaf of another asset
   * decides nothing. Throws `out_of_range` for a time off the grid or not after the last.
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
    const held = this.#bySymbol.get(benchmark);
    const benchmarkGood = held?.listed === true && leaves.get(benchmark)?.good === true;
    const dues: Dues = { closes: [], receipts: [], benchmarks: [], opens: [] };
    for (const asset of this.#assets) {
      const leaf = asset.listed ? leaves.get(asset.symbol) : undefined;
      const good = leaf?.good === true;
      const tick: ReceiptTick = { ts, good, delisted: !asset.listed, benchmarkGood };
      if (asset.events.length > 0) this.#settle(asset, tick, dues);
      if (asset.listed || asset.machine.isOpen) {
        this.#move(asset, index, leaf?.score ?? null, tick, dues);
      }
    }
    return [...dues.closes, ...dues.receipts, ...dues.benchmarks, ...dues.opens];
  }

  /** Receipts and benchmarks of an asset's events. */
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
    const { receipts: rule } = this.#rule;
    const receipts = new EventReceipts(rule, step.at, symbol === rule.benchmark);
    receipts.begin(tick);
    asset.events.push({ id, receipts });
  }

  #requireNow(ts: number): void {
    if (ts >= this.#last) return;
    throw new Fault('out_of_range', 'listing', {
      expected: `a time at or after ${this.#last}`,
      found: String(ts),
    });
  }
}
