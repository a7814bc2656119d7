import type { UnmeasuredReason } from '../../kind/benchmark.ts';
import type { VoidReason } from '../../kind/receipt-entry.ts';
import { type Horizon, HORIZON_SECONDS, HORIZONS } from '../../kind/horizon.ts';
import type { ScoreRule } from '../rule/score-rule.ts';

/** The result of a receipt. Times are unix seconds. */
export type ReceiptStep =
  | { readonly status: 'resolved'; readonly resolved_at: number; readonly reason: null }
  | { readonly status: 'void'; readonly resolved_at: null; readonly reason: VoidReason };

/** The ticks of the benchmark over which a resolved receipt is measured, or why there are none. */
export type BenchmarkStep =
  | { readonly from: number; readonly to: number; readonly reason: null }
  | { readonly from: null; readonly to: null; readonly reason: UnmeasuredReason };

/** A tick as receipts see it. */
export interface ReceiptTick {
  /** Unix seconds. */
  readonly ts: number;
  /** Whether the event's asset is good at this tick. */
  readonly good: boolean;
  /** Whether the event's asset is no longer listed. */
  readonly delisted: boolean;
  /** Whether the benchmark is good at this tick. */
  readonly benchmarkGood: boolean;
}

/**
 * The first good tick of the benchmark at or after `since`: its time, none within the tolerance, or not known
 * yet.
 */
interface Instant {
  readonly since: number;
  found: number | null | undefined;
}

/** What the receipts of an event still wait for. */
export interface KeptReceipts {
  /** Where the benchmark's return begins. */
  readonly from: Instant;
  /** Horizons without a receipt. */
  readonly waiting: Set<Horizon>;
  /** Where the benchmark's return ends, for horizons that are resolved but not measured yet. */
  readonly measuring: Map<Horizon, Instant>;
}

/**
 * The receipts of one event (docs/spec/receipt.md): one for each horizon, and one benchmark for each horizon
 * that is resolved. It must receive every tick of the class, beginning with that of the opening.
 */
export class EventReceipts {
  readonly openedAt: number;
  readonly #rule: ScoreRule['receipts'];
  readonly #own: boolean;
  #state: KeptReceipts;

  /** With `own`, the event is the benchmark's own. `openedAt` is in unix seconds. */
  constructor(rule: ScoreRule['receipts'], openedAt: number, own: boolean) {
    this.openedAt = openedAt;
    this.#rule = rule;
    this.#own = own;
    this.#state = {
      from: { since: openedAt, found: undefined },
      waiting: new Set(HORIZONS),
      measuring: new Map(),
    };
  }

  /** What receipts of the same event need to go on in the place of these. It changes with the next tick. */
  get kept(): KeptReceipts {
    return this.#state;
  }

  /** Goes on as the receipts that were kept, of the same event. Call it before the first tick. */
  resume(kept: KeptReceipts): void {
    this.#state = kept;
  }

  /** Whether nothing is due any more. */
  get isDone(): boolean {
    return this.#state.waiting.size === 0 && this.#state.measuring.size === 0;
  }

  /** Searches for where the benchmark's return begins. Called once for each tick, before the horizons. */
  begin({ ts, benchmarkGood }: ReceiptTick): void {
    this.#look(this.#state.from, ts, benchmarkGood);
  }

  /** Returns the receipt of `horizon` if this tick decides it. */
  receipt(horizon: Horizon, { ts, good, delisted }: ReceiptTick): ReceiptStep | undefined {
    const { waiting, measuring } = this.#state;
    if (!waiting.has(horizon)) return undefined;
    const due = this.openedAt + HORIZON_SECONDS[horizon];
    const late = ts > due + this.#rule.void_after_s;
    if (late || delisted) {
      waiting.delete(horizon);
      return { status: 'void', resolved_at: null, reason: late ? 'no_data' : 'delisted' };
    }
    if (!good || ts < due) return undefined;
    waiting.delete(horizon);
    measuring.set(horizon, { since: ts, found: undefined });
    return { status: 'resolved', resolved_at: ts, reason: null };
  }

  /** Returns the benchmark of `horizon` if this tick decides it. Called after `receipt`. */
  benchmark(horizon: Horizon, { ts, benchmarkGood }: ReceiptTick): BenchmarkStep | undefined {
    const { from: begin, measuring } = this.#state;
    const end = measuring.get(horizon);
    if (end === undefined) return undefined;
    this.#look(end, ts, benchmarkGood);
    const [from, to] = [begin.found, end.found];
    const lacking = from === null || to === null;
    if (!this.#own && !lacking && (from === undefined || to === undefined)) return undefined;
    measuring.delete(horizon);
    if (this.#own) return { from: null, to: null, reason: 'own' };
    if (lacking) return { from: null, to: null, reason: 'no_data' };
    return { from: from as number, to: to as number, reason: null };
  }

  #look(instant: Instant, ts: number, good: boolean): void {
    if (instant.found !== undefined) return;
    if (ts > instant.since + this.#rule.benchmark_tolerance_s) instant.found = null;
    else if (good) instant.found = ts;
  }
}
