import { Fault } from '@assay/core/fault';
import type { StopSignal } from './web.ts';

/** Which entries are read, and from where. */
export interface EventQuery {
  /** The `id` of the event after which it goes on. Without it and without `from`: what is published next. */
  readonly after?: string;
  /** The entry to begin with. */
  readonly from?: number;
  /** Nouns of kinds, such as `report`. All entries are read, and the client itself leaves out the others. */
  readonly kinds?: readonly string[];
  /**
   * Only what is about these indexes and assets. The server leaves out the rest: each entry that comes is proven, but
   * one that the server keeps back is not missed.
   */
  readonly tickers?: readonly string[];
  readonly symbols?: readonly string[];
  /** Ends the events. */
  readonly signal?: StopSignal;
  /** Seconds without an event or a heartbeat after which the events end with `unreachable`; 120 where absent. */
  readonly maxSilenceS?: number;
}

/** What an event's id says. */
export interface EventId {
  readonly seq: number;
  /** The first digits of the leaf hash. */
  readonly digits: string;
}

const ID_DIGITS = 16;
const ID = /^(0|[1-9][0-9]{0,14})-([0-9a-f]{16})$/;
const NAME = /^[A-Za-z0-9-]{1,64}$/;

export function formatEventId(seq: number, leafHex: string): string {
  return `${seq}-${leafHex.slice(0, ID_DIGITS)}`;
}

/** What `after` names; undefined without it. Throws `malformed` for a query that is none. */
export function startOf({ after, from, kinds, tickers, symbols }: EventQuery): EventId | undefined {
  const found = after === undefined ? undefined : ID.exec(after);
  if (found === null) throw malformed('after', 'the id of an event', `${after}`);
  if (after !== undefined && from !== undefined) {
    throw malformed('from', 'nothing beside after', `${from}`);
  }
  if (from !== undefined && !(Number.isSafeInteger(from) && from >= 0)) {
    throw malformed('from', 'the number of an entry', `${from}`);
  }
  for (const [at, names] of Object.entries({ kinds, tickers, symbols })) {
    const bad = names?.length === 0 ? 'none' : names?.find((name) => !NAME.test(name));
    if (bad !== undefined) throw malformed(at, 'names', bad);
  }
  return found === undefined ? undefined : { seq: Number(found[1]), digits: found[2] as string };
}

/** Whether the server leaves out entries. */
export function isSelective({ tickers, symbols }: EventQuery): boolean {
  return tickers !== undefined || symbols !== undefined;
}

/** The query of `GET /events` that goes on after an id, or with an entry. */
export function streamQuery(
  query: EventQuery,
  place: { after: string } | { from: number },
): string {
  const where = 'after' in place ? `after=${place.after}` : `from=${place.from}`;
  if (!isSelective(query)) return `?${where}`;
  const { kinds, tickers, symbols } = query;
  const lists = Object.entries({ kinds, tickers, symbols });
  const named = lists.flatMap(([name, names]) =>
    names === undefined ? [] : [`&${name}=${names.join(',')}`],
  );
  return `?${where}${named.join('')}`;
}

function malformed(at: string, expected: string, found: string): Fault {
  return new Fault('malformed', 'query of events', { at, expected, found });
}
