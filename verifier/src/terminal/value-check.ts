import type { HashHex } from '@assay/core/hash/hash';
import type { Benchmark } from '@assay/core/kind/benchmark';
import type { Breadth, EventOpen } from '@assay/core/kind/event';
import type { ReceiptEntry } from '@assay/core/kind/receipt-entry';
import { HORIZON_SECONDS } from '@assay/core/kind/horizon';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { MOVED_BP } from '@assay/core/terminal/terminal';
import { DAY_SECONDS, formatTime, type TimeText } from '@assay/core/time/time';
import type { Findings } from '../verdict/finding.ts';

/** What an entry states about the price of an asset at a tick: its commitment. */
interface Cited {
  readonly symbol: string;
  readonly ts: TimeText;
  readonly price: HashHex;
}

/** Commitments, by asset and time, and by their own value. */
interface KeptCitations {
  readonly byPlace: Map<string, Cited>;
  readonly byPrice: Map<HashHex, Cited>;
}

/** Commitments that can be looked up by asset and time, and by their own value. */
class Citations {
  readonly kept: KeptCitations;

  constructor(kept: KeptCitations = { byPlace: new Map(), byPrice: new Map() }) {
    this.kept = kept;
  }

  get size(): number {
    return this.kept.byPlace.size;
  }

  at(symbol: string, ts: TimeText): Cited | undefined {
    return this.kept.byPlace.get(`${symbol} ${ts}`);
  }

  of(price: HashHex): Cited | undefined {
    return this.kept.byPrice.get(price);
  }

  add(cited: Cited): void {
    this.kept.byPlace.set(`${cited.symbol} ${cited.ts}`, cited);
    this.kept.byPrice.set(cited.price, cited);
  }

  /** Drops commitments from before `since`. */
  prune(since: TimeText): void {
    const { byPlace, byPrice } = this.kept;
    for (const [place, { ts, price }] of byPlace) {
      if (ts >= since) continue;
      byPlace.delete(place);
      byPrice.delete(price);
    }
  }

  [Symbol.iterator](): Iterator<Cited> {
    return this.kept.byPlace.values();
  }
}

/** What the entries of the newest tick state, and until when older commitments were dropped. Times are unix seconds. */
interface TickValues {
  ts: number;
  pruneAt: number;
  /** Returns of this tick, by asset and by the beginning of the return. */
  readonly returns: Map<string, number>;
  breadth: Breadth | undefined;
  /** How many events of the tick moved up, down, or not at all. */
  moves: { up: number; down: number; still: number };
}

/** What a check of vendor values knows between two entries. */
export interface KeptValues extends TickValues {
  /** The prices of the tick's own assets, those of the ticks before it, and those of the benchmark. */
  readonly own: KeptCitations;
  readonly past: KeptCitations;
  readonly held: KeptCitations;
}

/**
 * Compares the vendor values that the entries of a class state openly with each other: the return of an asset over the
 * same two ticks, the commitment of a price, the breadth of a tick. Each has one value, and each commitment is of one
 * price. A return is stated at the tick at which it ends; only the price of a benchmark is cited later. What was cited
 * is kept as far back as a receipt reaches.
 */
export class ValueCheck {
  readonly #benchmark: string;
  readonly #reach: number;
  readonly #findings: Findings;
  #state: TickValues = {
    ts: Number.NEGATIVE_INFINITY,
    pruneAt: Number.NEGATIVE_INFINITY,
    returns: new Map(),
    breadth: undefined,
    moves: { up: 0, down: 0, still: 0 },
  };
  /** The prices of the tick's own assets, those of the ticks before it, and those of the benchmark. */
  #own = new Citations();
  #past = new Citations();
  #held = new Citations();

  constructor({ receipts }: ScoreRule, findings: Findings) {
    const { benchmark, void_after_s, benchmark_tolerance_s } = receipts;
    this.#benchmark = benchmark;
    this.#reach = HORIZON_SECONDS['30d'] + void_after_s + 2 * benchmark_tolerance_s;
    this.#findings = findings;
  }

  /** What a check of the same class needs to go on in the place of this one. It changes with the next entry. */
  get kept(): KeptValues {
    const [own, past, held] = [this.#own.kept, this.#past.kept, this.#held.kept];
    return { ...this.#state, own, past, held };
  }

  /** Goes on as the check that was kept, of the same class. Call it before the first tick. */
  resume({ own, past, held, ...state }: KeptValues): void {
    this.#state = state;
    this.#own = new Citations(own);
    this.#past = new Citations(past);
    this.#held = new Citations(held);
  }

  /** How many commitments are remembered. */
  get remembered(): number {
    return this.#own.size + this.#past.size + this.#held.size;
  }

  /** Begins the tick at `ts`, in Unix seconds. */
  tick(ts: number): void {
    this.#state.returns.clear();
    this.#state.breadth = undefined;
    this.#state.moves = { up: 0, down: 0, still: 0 };
    for (const cited of this.#own) this.#past.add(cited);
    this.#own = new Citations();
    if (ts >= this.#state.pruneAt) {
      const since = formatTime(Math.max(ts - this.#reach, 0));
      this.#past.prune(since);
      this.#held.prune(since);
      this.#state.pruneAt = ts + DAY_SECONDS;
    }
    this.#state.ts = ts;
  }

  /** An event of the tick. `from` is where its move begins, in Unix seconds. */
  event(body: EventOpen, from: number | undefined, place: string): void {
    const { symbol, opened_at: ts, move_24h: move, breadth, price } = body;
    this.#price({ symbol, ts, price }, `${place}/price`);
    if (move !== null && from !== undefined) {
      this.#return(symbol, formatTime(from), move, `${place}/move_24h`);
    }
    this.#ofTick(breadth, move ?? 0, `${place}/breadth`);
  }

  /** A receipt of the tick, and the event that it belongs to. */
  receipt({ ret, price, resolved_at: ts }: ReceiptEntry, event: EventOpen, place: string): void {
    if (ret === null || price === null || ts === null) return;
    const { symbol, opened_at: from } = event;
    this.#price({ symbol, ts, price }, `${place}/price`);
    this.#apart({ symbol, ts, price }, { symbol, ts: from, price: event.price }, `${place}/price`);
    this.#return(symbol, from, ret, `${place}/ret`);
  }

  /** A benchmark of the tick. */
  benchmark(body: Benchmark, place: string): void {
    const { symbol, from, to, ret, from_price, to_price } = body;
    if (ret === null || from === null || to === null) return;
    if (from_price === null || to_price === null) return;
    this.#price({ symbol, ts: from, price: from_price }, `${place}/from_price`);
    this.#price({ symbol, ts: to, price: to_price }, `${place}/to_price`);
    if (from === to && ret !== 0) this.#add(`${place}/ret`, '0, as it ends where it begins', ret);
    this.#return(symbol, from, ret, `${place}/ret`);
  }

  #return(symbol: string, from: TimeText, ret: number, place: string): void {
    const key = `${symbol} ${from}`;
    const known = this.#state.returns.get(key);
    if (known === undefined) this.#state.returns.set(key, ret);
    else if (known !== ret) {
      const to = formatTime(this.#state.ts);
      this.#add(place, `${known}, as stated of ${symbol} from ${from} to ${to}`, ret);
    }
  }

  #price(cited: Cited, place: string): void {
    const { symbol, ts, price } = cited;
    const kept = symbol === this.#benchmark ? this.#held : this.#own;
    const known = kept.at(symbol, ts);
    if (known !== undefined && known.price !== price) {
      this.#add(place, `${known.price}, as stated of ${symbol} at ${ts}`, price);
    }
    if (known !== undefined) return;
    const other = this.#own.of(price) ?? this.#past.of(price) ?? this.#held.of(price);
    if (other !== undefined) this.#apart(cited, other, place);
    kept.add(cited);
  }

  /** Two prices must have different commitments, because each has its own salt. */
  #apart(cited: Cited, other: Cited, place: string): void {
    if (cited.price !== other.price) return;
    if (cited.symbol === other.symbol && cited.ts === other.ts) return;
    this.#add(place, `another commitment than that of ${other.symbol} at ${other.ts}`, 'the same');
  }

  #ofTick(breadth: Breadth, move: number, place: string): void {
    const moves = this.#state.moves;
    if (move >= MOVED_BP) moves.up += 1;
    else if (move <= -MOVED_BP) moves.down += 1;
    else moves.still += 1;
    const { up, down, of } = breadth;
    const found = `up ${up}, down ${down}, of ${of}`;
    const known = this.#state.breadth;
    this.#state.breadth ??= breadth;
    if (known !== undefined && (known.up !== up || known.down !== down || known.of !== of)) {
      const expected = `up ${known.up}, down ${known.down}, of ${known.of}, as another event of the tick says`;
      this.#add(place, expected, found);
    } else if (up < moves.up || down < moves.down || of - up - down < moves.still) {
      const expected = `the tick's events among them: up ${moves.up}, down ${moves.down}, neither ${moves.still}`;
      this.#add(place, expected, found);
    }
  }

  #add(place: string, expected: string, found: string | number): void {
    this.#findings.add('value_contradicts', place, expected, `${found}`);
  }
}
