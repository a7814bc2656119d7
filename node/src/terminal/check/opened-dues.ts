import type { HashHex } from '@assay/core/hash/hash';
import type { Split } from '@assay/core/kind/split';
import type { BenchmarkDue, Due, ReceiptDue } from '@assay/core/terminal/event/event-book';
import { HORIZONS } from '@assay/core/kind/horizon';
import { returnBp } from '@assay/core/terminal/score/returns';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { MOVED_BP } from '@assay/core/terminal/terminal';
import { formatTime } from '@assay/core/time/time';

import type { DueKind } from '@assay/verifier/terminal/terminal-kinds';
import { dueKey } from './due-entry.ts';

/** What a tick says of an asset as far as it is open; what is not known is undefined. */
export interface Row {
  readonly good: boolean;
  readonly price: number | undefined;
  readonly move: number | null | undefined;
  readonly volMult: number | null | undefined;
}

export type Board = ReadonlyMap<string, Row>;

export const SHUT: Row = { good: true, price: undefined, move: undefined, volMult: undefined };
export const BAD: Row = { good: false, price: undefined, move: null, volMult: null };

/** A price that an entry may rest on, units; undefined where it is not open. */
export interface Priced {
  readonly ts: number;
  readonly price: number | undefined;
}

export interface OpenedEvent {
  readonly symbol: string;
  readonly opened: Priced;
  /** The benchmark's first good tick at or after the opening. */
  benchmark: Priced | undefined;
  /** Horizons without their last entry. */
  left: number;
}

/** An entry that a tick makes due: of its body what is known. */
export interface Owed {
  readonly kind: DueKind;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether that is all but the prices that it commits to. */
  readonly isWhole: boolean;
  /** Prices that it commits to, and how many of them are opened. */
  readonly prices: number;
  readonly opened: number;
}

export interface KnownSplit extends Split {
  /** Unix seconds. */
  readonly at: number;
}

/** What is known of a class whose ticks are opened. */
export interface OpenedState {
  readonly rule: ScoreRule;
  readonly hash: HashHex;
  /** Events without all of their entries, by id. */
  readonly events: Map<string, OpenedEvent>;
  /** Splits that have taken place. */
  readonly splits: readonly KnownSplit[];
}

/** The commitment to a price; undefined where the price, or what its salt comes of, is not known. */
export type PriceCommit = (symbol: string, priced: Priced) => HashHex | undefined;

/** The entry that a tick makes due, with what is known of its body. */
export function owedBy(following: OpenedState, due: Due, board: Board, commit: PriceCommit): Owed {
  const { events } = following;
  const { id } = due;
  switch (due.kind) {
    case 'close': {
      const { reason, peak_score } = due;
      const body = { id, closed_at: formatTime(due.closed_at), reason, peak_score };
      return owed('event-close/1', body, [], true);
    }
    case 'open': {
      const { symbol, opened_at: ts, score } = due;
      const row = board.get(symbol) ?? SHUT;
      const opened = { ts, price: row.price };
      const own = following.rule.receipts.benchmark;
      const benchmark = board.get(own)?.good === true ? priced(board, own, ts) : undefined;
      events.set(id, { symbol, opened, benchmark, left: HORIZONS.length });
      const { class: of } = following.rule;
      const breadth = breadthOf(board);
      const known = {
        id,
        symbol,
        class: of,
        opened_at: formatTime(ts),
        score,
        rule: following.hash,
        ...(row.move === undefined ? {} : { move_24h: row.move }),
        ...(row.volMult === undefined ? {} : { vol_mult: row.volMult }),
        ...(breadth === undefined ? {} : { breadth }),
      };
      const isWhole = [row.move, row.volMult, breadth].every((each) => each !== undefined);
      return owed('event/1', known, [['price', commit(symbol, opened)]], isWhole);
    }
    case 'receipt':
      return receiptOf(following, due, board, commit);
    case 'benchmark':
      return benchmarkOf(following, due, board, commit);
  }
}

function receiptOf(
  following: OpenedState,
  due: ReceiptDue,
  board: Board,
  commit: PriceCommit,
): Owed {
  const { id, symbol, horizon, status, reason } = due;
  const event = following.events.get(id);
  if (status === 'void') {
    finish(following, id);
    const body = { id, horizon, status, resolved_at: null, ret: null, price: null, reason };
    return owed('receipt/1', body, [], true);
  }
  const to = priced(board, symbol, due.resolved_at);
  const ret = returned(following, symbol, event?.opened, to);
  const body = {
    id,
    horizon,
    status,
    resolved_at: formatTime(due.resolved_at),
    reason,
    ...(ret === undefined ? {} : { ret }),
  };
  return owed('receipt/1', body, [['price', commit(symbol, to)]], ret !== undefined);
}

function benchmarkOf(
  following: OpenedState,
  due: BenchmarkDue,
  board: Board,
  commit: PriceCommit,
): Owed {
  const { id, horizon, benchmark: symbol, reason } = due;
  const event = following.events.get(id);
  finish(following, id);
  if (reason !== null) {
    const nothing = { from: null, to: null, ret: null, from_price: null, to_price: null };
    return owed('benchmark/1', { id, horizon, symbol, ...nothing, reason }, [], true);
  }
  const from = event?.benchmark ?? { ts: due.from, price: undefined };
  const to = priced(board, symbol, due.to);
  const ret = returned(following, symbol, from, to);
  const body = {
    id,
    horizon,
    symbol,
    from: formatTime(due.from),
    to: formatTime(due.to),
    reason,
    ...(ret === undefined ? {} : { ret }),
  };
  const prices = [
    ['from_price', commit(symbol, from)],
    ['to_price', commit(symbol, to)],
  ] as const;
  return owed('benchmark/1', body, prices, ret !== undefined);
}

/** Where the benchmark's return over an event begins. */
export function beginBenchmarks({ rule, events }: OpenedState, ts: number, board: Board): void {
  const { benchmark } = rule.receipts;
  if (board.get(benchmark)?.good !== true) return;
  for (const event of events.values()) event.benchmark ??= priced(board, benchmark, ts);
}

function finish({ events }: OpenedState, id: string): void {
  const event = events.get(id);
  if (event === undefined) return;
  event.left -= 1;
  if (event.left === 0) events.delete(id);
}

function priced(board: Board, symbol: string, ts: number): Priced {
  return { ts, price: board.get(symbol)?.price };
}

function returned(
  { splits }: OpenedState,
  symbol: string,
  from: Priced | undefined,
  to: Priced,
): number | undefined {
  if (from?.price === undefined || to.price === undefined) return undefined;
  const between = splits.filter(
    (each) => each.symbol === symbol && each.at > from.ts && each.at <= to.ts,
  );
  return returnBp(from.price, to.price, between);
}

/** How many of the assets that have a move went up or down by `MOVED_BP`; undefined where one's move is not known. */
function breadthOf(board: Board): { up: number; down: number; of: number } | undefined {
  const breadth = { up: 0, down: 0, of: 0 };
  for (const { move } of board.values()) {
    if (move === undefined) return undefined;
    if (move === null) continue;
    breadth.of += 1;
    if (move >= MOVED_BP) breadth.up += 1;
    else if (move <= -MOVED_BP) breadth.down += 1;
  }
  return breadth;
}

function owed(
  kind: DueKind,
  body: Readonly<Record<string, unknown>>,
  prices: readonly (readonly [field: string, commitment: HashHex | undefined])[],
  isWhole: boolean,
): Owed {
  const opened = prices.filter(([, commitment]) => commitment !== undefined);
  return {
    kind,
    key: dueKey(kind, body),
    body: { ...body, ...Object.fromEntries(opened) },
    isWhole,
    prices: prices.length,
    opened: opened.length,
  };
}
