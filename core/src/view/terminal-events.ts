import type { Benchmark } from '../kind/benchmark.ts';
import type { EventOpen } from '../kind/event.ts';
import type { EventClose } from '../kind/event-close.ts';
import type { ReceiptEntry } from '../kind/receipt-entry.ts';
import { HORIZONS, type Horizon } from '../kind/horizon.ts';
import { type DateText, dateOf } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState, ViewWrite } from './view.ts';

const EVENTS = 'events';
const BY_OPENING = 'events-opened';
/** By place: how many events had closed before this one, in the order of the log. */
const BY_CLOSING = 'closings';
/** For each UTC day on which closed events opened: how many they are, and their first and last place. */
const CLOSED_DAYS = 'closed-days';
const OPEN = 'events-open';
const closedTable = (symbol: string): string => `events-closed/${symbol}`;

/** A body and the entry that holds it. */
export interface Entered<T> {
  readonly seq: number;
  readonly body: T;
}

type ByHorizon<T> = Readonly<Record<Horizon, Entered<T> | null>>;

/** An event with everything that the log states about it. Each of its parts is stated once and never changes. */
export interface EventRow {
  readonly open: Entered<EventOpen>;
  readonly close: Entered<EventClose> | null;
  readonly receipts: ByHorizon<ReceiptEntry>;
  readonly benchmarks: ByHorizon<Benchmark>;
}

interface ClosedDay {
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** `cooling`: it has closed, and a receipt is still missing. `resolved`: all three receipts are there, or are void. */
export const EVENT_STATUSES = ['open', 'cooling', 'resolved'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

const NONE = { '24h': null, '7d': null, '30d': null } as const;

/**
 * Every event by its id, the order of their openings, the order in which the log closed them, and the open ones. Where
 * two entries state the same part of an event, the first counts. An entry about an unknown event has no effect.
 */
export const terminalEventsView: View = {
  name: 'terminal-events',
  apply(entry, state) {
    const { seq } = entry;
    switch (entry.kind) {
      case 'event/1':
        return opened(seq, entry.body, state);
      case 'event-close/1':
        return closed(seq, entry.body, state);
      case 'receipt/1': {
        const row = eventRow(state, entry.body.id);
        const { horizon } = entry.body;
        if (row === undefined || row.receipts[horizon] !== null) return [];
        return [
          written({ ...row, receipts: { ...row.receipts, [horizon]: entered(seq, entry.body) } }),
        ];
      }
      case 'benchmark/1': {
        const row = eventRow(state, entry.body.id);
        const { horizon } = entry.body;
        if (row === undefined || row.benchmarks[horizon] !== null) return [];
        return [
          written({
            ...row,
            benchmarks: { ...row.benchmarks, [horizon]: entered(seq, entry.body) },
          }),
        ];
      }
      default:
        return [];
    }
  },
};

function opened(seq: number, body: EventOpen, state: ViewState): readonly ViewWrite[] {
  const { id, symbol, opened_at } = body;
  if (eventRow(state, id) !== undefined) return [];
  return [
    written({ open: entered(seq, body), close: null, receipts: NONE, benchmarks: NONE }),
    { table: BY_OPENING, key: `${opened_at} ${symbol} ${id}`, value: id },
    { table: OPEN, key: symbol, value: [...openIds(state, symbol), id] },
  ];
}

function closed(seq: number, body: EventClose, state: ViewState): readonly ViewWrite[] {
  const { id, closed_at } = body;
  const row = eventRow(state, id);
  if (row === undefined || row.close !== null) return [];
  const { symbol, opened_at } = row.open.body;
  const place = closedCount(state);
  const day = dateOf(opened_at);
  const before = state.get(CLOSED_DAYS, day) as unknown as ClosedDay | undefined;
  const { count = 0, first = place } = before ?? {};
  return [
    written({ ...row, close: entered(seq, body) }),
    { table: BY_CLOSING, key: seqKey(place), value: id },
    { table: CLOSED_DAYS, key: day, value: { count: count + 1, first, last: place } },
    { table: closedTable(symbol), key: `${closed_at} ${id}`, value: id },
    { table: OPEN, key: symbol, value: openIds(state, symbol).filter((each) => each !== id) },
  ];
}

/** How many events have closed. */
export function closedCount(state: ViewState): number {
  for (const [key] of state.descend(BY_CLOSING)) return Number(key) + 1;
  return 0;
}

function entered<T>(seq: number, body: T): Entered<T> {
  return { seq, body };
}

function written(row: EventRow): ViewWrite {
  return { table: EVENTS, key: row.open.body.id, value: wire(row) };
}

export function eventRow(state: ViewState, id: string): EventRow | undefined {
  return state.get(EVENTS, id) as unknown as EventRow | undefined;
}

export function eventStatus({ close, receipts }: EventRow): EventStatus {
  if (close === null) return 'open';
  return HORIZONS.every((horizon) => receipts[horizon] !== null) ? 'resolved' : 'cooling';
}

function openIds(state: ViewState, symbol: string): readonly string[] {
  return (state.get(OPEN, symbol) as readonly string[] | undefined) ?? [];
}

/** The open event of an asset; the first, where a log has more than one. */
export function openEvent(state: ViewState, symbol: string): EventRow | undefined {
  const [id] = openIds(state, symbol);
  return id === undefined ? undefined : eventRow(state, id);
}

/** All events, those opened last first. */
export function eventsByOpening(state: ViewState): Generator<EventRow> {
  return eventsBack(state, BY_OPENING);
}

/** The events that have closed, those closed last first. */
export function* eventsByClosing(state: ViewState): Generator<EventRow> {
  for (const [, row] of closingsBack(state)) yield row;
}

/** Which of the events that have closed are wanted. */
export interface ClosingsWanted {
  /** Only those before this place. */
  readonly below?: number | undefined;
  /** Only those of this asset. */
  readonly symbol?: string | undefined;
  /** The first and the last day (UTC) of their openings. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The same with the place of each: how many had closed before it. Of the events that are not wanted few are read, whatever
 * the length of the log.
 */
export function* closingsBack(
  state: ViewState,
  { below, symbol, from, to }: ClosingsWanted = {},
): Generator<readonly [place: number, row: EventRow]> {
  const days = placesOfDays(state, from, to);
  if (days === undefined) return;
  const left = symbol === undefined ? undefined : closedIds(state, symbol);
  const end = Math.min(below ?? Number.MAX_SAFE_INTEGER, days.last + 1);
  for (const [key, value] of state.descend(BY_CLOSING, seqKey(end))) {
    const [place, id] = [Number(key), value as string];
    if (place < days.first || left?.size === 0) return;
    if (left !== undefined && !left.delete(id)) continue;
    const row = eventRow(state, id) as EventRow;
    if (isOpenedOn(row, from, to)) yield [place, row];
  }
}

/** The same in the order in which the log closed them; with `above`, only those after that place. */
export function* closingsOn(
  state: ViewState,
  {
    above,
    symbol,
    from,
    to,
  }: Omit<ClosingsWanted, 'below'> & { readonly above?: number | undefined },
): Generator<readonly [place: number, row: EventRow]> {
  const days = placesOfDays(state, from, to);
  if (days === undefined) return;
  const ids = symbol === undefined ? undefined : closedIds(state, symbol);
  for (let place = Math.max(days.first, (above ?? -1) + 1); place <= days.last; place += 1) {
    const id = state.get(BY_CLOSING, seqKey(place)) as string;
    if (ids?.has(id) === false) continue;
    const row = eventRow(state, id) as EventRow;
    if (isOpenedOn(row, from, to)) yield [place, row];
  }
}

/** The first and the last place of closed events that opened on one of those days; undefined where none did. */
function placesOfDays(
  state: ViewState,
  from: string | undefined,
  to: string | undefined,
): Pick<ClosedDay, 'first' | 'last'> | undefined {
  let found: Pick<ClosedDay, 'first' | 'last'> | undefined;
  for (const [day, value] of state.list(CLOSED_DAYS)) {
    if ((from !== undefined && day < from) || (to !== undefined && day > to)) continue;
    const { first, last } = value as unknown as ClosedDay;
    found = {
      first: Math.min(first, found?.first ?? first),
      last: Math.max(last, found?.last ?? last),
    };
  }
  return found;
}

/** The ids of the events of an asset that have closed. */
function closedIds(state: ViewState, symbol: string): Set<string> {
  return new Set([...state.list(closedTable(symbol))].map(([, id]) => id as string));
}

/** Whether an event opened on one of the days (UTC) from `from` to `to`. */
function isOpenedOn({ open }: EventRow, from: string | undefined, to: string | undefined): boolean {
  const day = dateOf(open.body.opened_at);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}

/** The events of an asset that have closed, those closed last first. */
export function pastEvents(state: ViewState, symbol: string): Generator<EventRow> {
  return eventsBack(state, closedTable(symbol));
}

function* eventsBack(state: ViewState, table: string): Generator<EventRow> {
  for (const [, id] of state.descend(table)) yield eventRow(state, id as string) as EventRow;
}

/**
 * The closed events that opened on the day `since` (UTC) or later, from the `offset`th of them on, in the order
 * in which the log closed them. A close that is written later comes after all others, whatever time it names,
 * so an offset always refers to the same event. Few events before the first result are examined.
 */
export function* closedSince(
  state: ViewState,
  since: DateText,
  offset: number,
): Generator<EventRow> {
  for (const [, row] of closingsSince(state, since, offset)) yield row;
}

/** The same with the place of each: how many had closed before it. */
export function* closingsSince(
  state: ViewState,
  since: DateText,
  offset: number,
): Generator<readonly [place: number, row: EventRow]> {
  const end = closedCount(state);
  // For the events that opened earlier: how many have closed, and the place after which there are no more of
  // them.
  let earlier = 0;
  let behind = 0;
  let first = end;
  for (const [day, value] of state.list(CLOSED_DAYS)) {
    const of = value as unknown as ClosedDay;
    if (day >= since) first = Math.min(first, of.first);
    else {
      earlier += of.count;
      behind = Math.max(behind, of.last + 1);
    }
  }
  let passed = 0;
  // Where both kinds are mixed, they are counted.
  for (let place = offset + earlier >= behind ? behind : first; place < behind; place += 1) {
    const row = closedAt(state, place);
    if (dateOf(row.open.body.opened_at) < since) continue;
    passed += 1;
    if (passed > offset) yield [place, row];
  }
  for (let place = Math.max(behind, offset + earlier); place < end; place += 1) {
    yield [place, closedAt(state, place)];
  }
}

function closedAt(state: ViewState, place: number): EventRow {
  return eventRow(state, state.get(BY_CLOSING, seqKey(place)) as string) as EventRow;
}
