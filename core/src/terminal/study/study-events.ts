import type { Benchmark } from '../../kind/benchmark.ts';
import type { EventOpen } from '../../kind/event.ts';
import type { KnownBody } from '../../kind/kinds.ts';
import type { ReceiptEntry } from '../../kind/receipt-entry.ts';
import { parseTime } from '../../time/time.ts';
import type { AssetClass } from '../tick/asset-symbol.ts';
import type { StudyEvent } from './base-rate.ts';
import type { Horizon } from '../../kind/horizon.ts';
import type { HorizonReturn } from './return-statistics.ts';

interface Followed {
  readonly open: EventOpen;
  closed: boolean;
  readonly receipts: Map<Horizon, ReceiptEntry>;
  readonly benchmarks: Map<Horizon, Benchmark>;
}

/**
 * The events of a class for a study, from the entries of its range in their order. If two entries state the
 * same part of an event, the first counts. An entry about an event that opened before the range has no effect.
 */
export class StudyEvents {
  readonly #of: AssetClass;
  /** By id, in the order of their openings. */
  readonly #events = new Map<string, Followed>();

  constructor(of: AssetClass) {
    this.#of = of;
  }

  take(entry: KnownBody): void {
    switch (entry.kind) {
      case 'event/1': {
        const { id, class: of } = entry.body;
        if (of !== this.#of || this.#events.has(id)) return;
        const [receipts, benchmarks] = [new Map(), new Map()];
        this.#events.set(id, { open: entry.body, closed: false, receipts, benchmarks });
        return;
      }
      case 'event-close/1': {
        const event = this.#events.get(entry.body.id);
        if (event !== undefined) event.closed = true;
        return;
      }
      case 'receipt/1':
        setFirst(this.#events.get(entry.body.id)?.receipts, entry.body);
        return;
      case 'benchmark/1':
        setFirst(this.#events.get(entry.body.id)?.benchmarks, entry.body);
    }
  }

  /** The events that have closed. */
  get closed(): readonly StudyEvent[] {
    return [...this.#events.values()].filter(({ closed }) => closed).map(studyEvent);
  }
}

function setFirst<T extends { readonly horizon: Horizon }>(
  said: Map<Horizon, T> | undefined,
  body: T,
): void {
  if (said?.has(body.horizon) === false) said.set(body.horizon, body);
}

function studyEvent({ open, receipts, benchmarks }: Followed): StudyEvent {
  const { id, symbol, opened_at, move_24h, breadth } = open;
  const after = (horizon: Horizon): HorizonReturn => ({
    ret: receipts.get(horizon)?.ret ?? null,
    benchmark: benchmarks.get(horizon)?.ret ?? null,
  });
  return {
    id,
    symbol,
    opened_at: parseTime(opened_at),
    move_24h,
    breadth,
    returns: { '1d': after('24h'), '7d': after('7d'), '30d': after('30d') },
  };
}
