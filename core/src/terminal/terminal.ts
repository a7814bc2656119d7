import { commitmentOf } from '../hash/commitment.ts';
import { Fault } from '../fault.ts';
import { contentHash, type HashHex, hashHex, type Sha256 } from '../hash/hash.ts';
import type { Asset } from '../kind/asset.ts';
import type { Benchmark } from '../kind/benchmark.ts';
import type { Breadth, EventOpen } from '../kind/event.ts';
import type { KnownBody } from '../kind/kinds.ts';
import type { ReceiptEntry } from '../kind/receipt-entry.ts';
import type { Split } from '../kind/split.ts';
import { formatTime, parseTime } from '../time/time.ts';
import {
  type BenchmarkDue,
  type Due,
  EventBook,
  type OpenDue,
  type PublicLeaf,
  type ReceiptDue,
} from './event/event-book.ts';
import { judgeTick, type TickInput } from './score/good.ts';
import type { TickGrid } from './calendar/grid.ts';
import { HORIZONS } from '../kind/horizon.ts';
import { returnBp } from './score/returns.ts';
import { type Reading, type Scored, ScoreSeries } from './score/score.ts';
import { type ScoreRule, scoreRuleHash } from './rule/score-rule.ts';
import { tickSalt } from './tick/tick-values.ts';
import { type TickOpening, type TickRow, TickWriter } from './tick/tick-writer.ts';

export interface TerminalParts {
  readonly sha256: Sha256;
  /** A secret of 32 bytes, from which every salt is derived. */
  readonly seed: Uint8Array;
  /** The rule that steps are scored by. */
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
  /** The assets that are listed from the start. */
  readonly assets?: readonly Asset[];
  /** Whether a step also returns what opens its leaves. */
  readonly openings?: boolean;
}

/** An entry's kind and body, for a ledger to append. */
export type TickDraft = KnownBody;

/** The values of an asset at a tick, for whoever may see them. */
export interface BoardRow extends Scored {
  readonly good: boolean;
  /** Units of the asset's price; null if the tick is not good. */
  readonly price: number | null;
  /** Whole units of the quote currency. */
  readonly volume: number | null;
}

export interface TickStep {
  /** `tick/1`, then what it makes due: closes, receipts, benchmarks, opens. */
  readonly drafts: readonly TickDraft[];
  /** The leaves of the tick, which the first draft names. They have to be stored before that is appended. */
  readonly blob: Uint8Array;
  /** What opens the leaves, one for each, which is private; empty unless it was requested. */
  readonly values: readonly TickOpening[];
  /** The assets that were read, rising by symbol. */
  readonly board: ReadonlyMap<string, BoardRow>;
}

/** How many basis points an asset must move to count as moved, for the breadth of an event. */
export const MOVED_BP = 500;

interface Listed {
  /** The decimals of a unit of its price. */
  readonly decimals: number;
  readonly series: ScoreSeries;
}

interface Judged {
  readonly symbol: string;
  readonly listed: Listed;
  readonly input: TickInput;
  /** Undefined if the tick is not good. */
  readonly reading: Reading | undefined;
}

/** What a receipt will be measured against. */
interface OpenedEvent {
  readonly symbol: string;
  readonly openedAt: number;
  /** In units; undefined if the opening of the leaf was not there when the log was recalled. */
  readonly price: number | undefined;
  /** The benchmark's first good tick at or after the opening. */
  benchmark: Priced | undefined;
  /** The number of horizons without their last entry. */
  left: number;
}

interface Priced {
  readonly ts: number;
  /** In units. */
  readonly price: number;
}

interface KnownSplit extends Split {
  /** Unix seconds. */
  readonly at: number;
}

/**
 * A class of the Terminal: it takes readings and returns leaves and entries. It is pure and deterministic, for
 * a replay, for a live publisher and for whoever recomputes one from its openings: the same readings in the
 * same order make the same bytes. It remembers what scores, open events and open receipts need, and nothing
 * that grows with the number of ticks.
 */
export class Terminal {
  readonly #parts: TerminalParts;
  readonly #rule: HashHex;
  readonly #writer: TickWriter;
  readonly #book: EventBook;
  readonly #listed = new Map<string, Listed>();
  /** Everything that was ever listed. An asset that comes back continues with its own series. */
  readonly #known = new Map<string, Listed>();
  readonly #opened = new Map<string, OpenedEvent>();
  /** Splits that were not in force at the last tick. */
  #coming: readonly KnownSplit[] = [];
  #splits: readonly KnownSplit[] = [];
  #last = Number.NEGATIVE_INFINITY;

  /** Throws `bad_length` for a seed of another length. */
  constructor(parts: TerminalParts) {
    const { sha256, seed, rule, grid, assets = [] } = parts;
    this.#parts = parts;
    this.#rule = scoreRuleHash(sha256, rule);
    this.#writer = new TickWriter(sha256, seed);
    this.#book = new EventBook({ rule, grid, sha256 });
    for (const asset of assets) this.list(asset, 0);
  }

  /** The hash of the score rule, as its entries name it. */
  get rule(): HashHex {
    return this.#rule;
  }

  /**
   * The asset has ticks after `ts` (unix seconds), which is the time of the last tick or later. Throws
   * `malformed` for another class or other decimals.
   */
  list(asset: Asset, ts: number): void {
    const { class: of } = this.#parts.rule;
    if (asset.class !== of) {
      throw new Fault('malformed', 'asset', { expected: `class ${of}`, found: asset.class });
    }
    const known = this.#known.get(asset.symbol) ?? {
      decimals: asset.decimals,
      series: new ScoreSeries(this.#parts.rule),
    };
    if (asset.decimals !== known.decimals) {
      throw new Fault('malformed', 'asset', {
        expected: `${known.decimals} decimals, as it was listed first`,
        found: String(asset.decimals),
      });
    }
    this.#book.list(asset.symbol, ts);
    this.#known.set(asset.symbol, known);
    this.#listed.set(asset.symbol, known);
  }

  /** The asset has no more ticks, and the next step voids its receipts. Throws `not_found`. */
  delist(symbol: string, ts: number): void {
    this.#book.delist(symbol, ts);
    this.#listed.delete(symbol);
  }

  /**
   * Records a split, which counts for returns across its time. Call it before the first tick at or after that
   * time.
   */
  split(split: Split): void {
    const known = { ...split, at: parseTime(split.effective_at) };
    if (known.at <= this.#last) {
      throw new Fault('out_of_range', 'split', {
        expected: `in force after ${formatTime(this.#last)}`,
        found: split.effective_at,
      });
    }
    this.#coming = [...this.#coming, known].sort((a, b) => a.at - b.at);
  }

  /**
   * Makes the tick at `ts` (unix seconds) from everything that was read then. Throws `out_of_range` for a time
   * that is not on the grid or not after the last, or without a reading; `not_found` for an asset that is not
   * listed, or for a price that was not recalled; and `malformed` for values that no opening can have, after
   * which this object must not be used any more.
   */
  step(ts: number, reads: ReadonlyMap<string, TickInput>): TickStep {
    const { sha256, rule } = this.#parts;
    const index = this.#indexOf(ts, reads.size);
    const judged = ordered(reads.keys()).map((symbol) => this.#judge(symbol, ts, reads));
    this.#takeSplits(ts, index);
    this.#last = ts;
    const board = new Map<string, BoardRow>();
    const rows: TickRow[] = [];
    for (const { symbol, listed, input, reading } of judged) {
      const row = reading === undefined ? BAD : scoreRow(listed.series, index, reading);
      board.set(symbol, row);
      const { price, volume24h: volume_24h, sources } = input;
      rows.push({ symbol, price, volume_24h, sources, score: row.score, good: row.good });
    }
    const { blob, root, openings } = this.#writer.write(ts, rows, this.#parts.openings === true);
    const drafts: TickDraft[] = [
      {
        kind: 'tick/1',
        body: {
          class: rule.class,
          ts: formatTime(ts),
          rule: this.#rule,
          size: rows.length,
          root: hashHex(root),
          blob: hashHex(contentHash(sha256, blob)),
        },
      },
    ];
    this.#beginBenchmarks(ts, board);
    const leaves: ReadonlyMap<string, PublicLeaf> = board;
    this.#book.under(rule);
    for (const due of this.#book.step(ts, leaves)) drafts.push(this.#draft(due, board));
    return { drafts, blob, values: openings, board };
  }

  /**
   * Takes a tick of the log with its leaves instead of scoring it, for a publisher that continues its log.
   * `reads` are the values of the tick that are still stored. Returns what the tick made due.
   *
   * The steps that follow are those of a terminal that never stopped, once the reads include those within the
   * rule's windows and those of the ticks that open events cite.
   *
   * `named` is the rule of a tick from before a handover. That rule decides what is good at the tick and what
   * it opens. The scores to come are made from everything that was good. Throws `out_of_range` as `step` does,
   * `malformed` for a rule that no handover leads from, and `not_found` for a reading of an asset that was
   * never listed.
   */
  recall(
    ts: number,
    leaves: ReadonlyMap<string, PublicLeaf>,
    reads: ReadonlyMap<string, TickInput>,
    named: ScoreRule = this.#parts.rule,
  ): readonly Due[] {
    this.#book.under(named);
    const index = this.#indexOf(ts, leaves.size);
    this.#takeSplits(ts, index);
    this.#last = ts;
    const board = new Map<string, BoardRow>();
    for (const [symbol, input] of reads) {
      const known = this.#known.get(symbol);
      if (known === undefined) throw new Fault('not_found', 'listed asset', { found: symbol });
      const reading = judgeTick(named.sources, ts, known.decimals, input);
      if (reading !== undefined) board.set(symbol, scoreRow(known.series, index, reading));
    }
    this.#beginBenchmarks(ts, board);
    const dues = this.#book.step(ts, leaves);
    for (const due of dues) {
      if (due.kind === 'open') this.#begin(due, board);
      else if (due.kind === 'benchmark' || (due.kind === 'receipt' && due.status === 'void')) {
        this.#finish(due.id, this.#eventOf(due.id));
      }
    }
    return dues;
  }

  #indexOf(ts: number, size: number): number {
    const index = this.#parts.grid.indexOf(ts);
    if (index === undefined || ts <= this.#last || size === 0) {
      throw new Fault('out_of_range', 'tick', {
        expected: 'readings, at a time of the grid after the last',
        found: `${size} at ${ts}`,
      });
    }
    return index;
  }

  #judge(symbol: string, ts: number, reads: ReadonlyMap<string, TickInput>): Judged {
    const listed = this.#listed.get(symbol);
    if (listed === undefined) throw new Fault('not_found', 'listed asset', { found: symbol });
    const input = reads.get(symbol) as TickInput;
    const reading = judgeTick(this.#parts.rule.sources, ts, listed.decimals, input);
    return { symbol, listed, input, reading };
  }

  #takeSplits(ts: number, index: number): void {
    const now = this.#coming.filter(({ at }) => at <= ts);
    if (now.length === 0) return;
    this.#coming = this.#coming.filter(({ at }) => at > ts);
    this.#splits = [...this.#splits, ...now];
    for (const split of now) this.#known.get(split.symbol)?.series.split(index, split);
  }

  /** Records where the benchmark's return over an event begins. */
  #beginBenchmarks(ts: number, board: ReadonlyMap<string, BoardRow>): void {
    const price = board.get(this.#parts.rule.receipts.benchmark)?.price ?? null;
    if (price === null) return;
    for (const event of this.#opened.values()) event.benchmark ??= { ts, price };
  }

  #draft(due: Due, board: ReadonlyMap<string, BoardRow>): TickDraft {
    switch (due.kind) {
      case 'close': {
        const { id, closed_at, reason, peak_score } = due;
        return {
          kind: 'event-close/1',
          body: { id, closed_at: formatTime(closed_at), reason, peak_score },
        };
      }
      case 'receipt':
        return { kind: 'receipt/1', body: this.#receipt(due, board) };
      case 'benchmark':
        return { kind: 'benchmark/1', body: this.#benchmark(due, board) };
      case 'open':
        return { kind: 'event/1', body: this.#open(due, board) };
    }
  }

  #begin({ id, symbol, opened_at: ts }: OpenDue, board: Board): void {
    const benchmark = board.get(this.#parts.rule.receipts.benchmark)?.price ?? null;
    this.#opened.set(id, {
      symbol,
      openedAt: ts,
      price: board.get(symbol)?.price ?? undefined,
      benchmark: benchmark === null ? undefined : { ts, price: benchmark },
      left: HORIZONS.length,
    });
  }

  #open(due: OpenDue, board: Board): EventOpen {
    const { id, symbol, opened_at: ts, score } = due;
    const { rule } = this.#parts;
    const { price, move, volMult } = goodRow(board, symbol);
    this.#begin(due, board);
    return {
      id,
      symbol,
      class: rule.class,
      opened_at: formatTime(ts),
      score,
      move_24h: move,
      vol_mult: volMult,
      breadth: breadthOf(board),
      price: this.#commit(symbol, { ts, price }),
      rule: this.#rule,
    };
  }

  #receipt(due: ReceiptDue, board: Board): ReceiptEntry {
    const { id, symbol, horizon, status, reason } = due;
    const event = this.#eventOf(id);
    if (status === 'void') {
      this.#finish(id, event);
      return { id, horizon, status, resolved_at: null, ret: null, price: null, reason };
    }
    const { resolved_at: ts } = due;
    const { price } = goodRow(board, symbol);
    if (event.price === undefined) throw lost(symbol, event.openedAt);
    const splits = this.#between(symbol, event.openedAt, ts);
    return {
      id,
      horizon,
      status,
      resolved_at: formatTime(ts),
      ret: returnBp(event.price, price, splits),
      price: this.#commit(symbol, { ts, price }),
      reason,
    };
  }

  #benchmark(due: BenchmarkDue, board: Board): Benchmark {
    const { id, horizon, benchmark: symbol, reason } = due;
    const event = this.#eventOf(id);
    this.#finish(id, event);
    const none = { from: null, to: null, ret: null, from_price: null, to_price: null };
    if (reason !== null) return { id, horizon, symbol, ...none, reason };
    const from = event.benchmark;
    if (due.to !== this.#last) {
      throw new TypeError('Terminal: a benchmark at another tick than its book says');
    }
    if (from === undefined || from.ts !== due.from) throw lost(symbol, due.from);
    const to = { ts: due.to, price: goodRow(board, symbol).price };
    return {
      id,
      horizon,
      symbol,
      from: formatTime(from.ts),
      to: formatTime(to.ts),
      ret: returnBp(from.price, to.price, this.#between(symbol, from.ts, to.ts)),
      from_price: this.#commit(symbol, from),
      to_price: this.#commit(symbol, to),
      reason,
    };
  }

  #eventOf(id: string): OpenedEvent {
    const event = this.#opened.get(id);
    if (event === undefined) throw new TypeError('Terminal: an event that it did not open');
    return event;
  }

  #finish(id: string, event: OpenedEvent): void {
    event.left -= 1;
    if (event.left === 0) this.#opened.delete(id);
  }

  #between(symbol: string, from: number, to: number): readonly KnownSplit[] {
    return this.#splits.filter((each) => each.symbol === symbol && each.at > from && each.at <= to);
  }

  #commit(symbol: string, { ts, price }: Priced): HashHex {
    const { sha256, seed } = this.#parts;
    const salt = tickSalt(sha256, seed, 'price', symbol, ts);
    return commitmentOf(sha256, salt, BigInt(price));
  }
}

type Board = ReadonlyMap<string, BoardRow>;

const BAD: BoardRow = {
  good: false,
  price: null,
  volume: null,
  score: null,
  move: null,
  volMult: null,
  zLong: null,
  zShort: null,
};

function scoreRow(series: ScoreSeries, index: number, reading: Reading): BoardRow {
  const { score, move, volMult, zLong, zShort } = series.add(index, reading);
  const { price, volume } = reading;
  return { good: true, price, volume, score, move, volMult, zLong, zShort };
}

/** The error for a price that an entry cites but that was not recalled. */
function lost(symbol: string, ts: number): Fault {
  const expected = `what opens ${symbol} of ${formatTime(ts)}, from a back-up of the tick openings`;
  return new Fault('not_found', 'opening', { expected });
}

/** The keys in rising order. Most callers pass them in that order. */
function ordered(symbols: Iterable<string>): readonly string[] {
  const all = [...symbols];
  for (let i = 1; i < all.length; i += 1) {
    if ((all[i - 1] as string) > (all[i] as string)) return all.sort();
  }
  return all;
}

function goodRow(board: Board, symbol: string): BoardRow & { readonly price: number } {
  const row = board.get(symbol);
  if (row === undefined || row.price === null) {
    throw new TypeError('Terminal: an entry on a tick that is not good');
  }
  return { ...row, price: row.price };
}

/** How many of the assets that have a move went up or down by `MOVED_BP` or more. */
function breadthOf(board: Board): Breadth {
  let [up, down, of] = [0, 0, 0];
  for (const { move } of board.values()) {
    if (move === null) continue;
    of += 1;
    if (move >= MOVED_BP) up += 1;
    else if (move <= -MOVED_BP) down += 1;
  }
  return { up, down, of };
}
