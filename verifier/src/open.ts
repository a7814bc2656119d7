import { type DayRange, numberRange, type PeriodNumber } from './client/number-range.ts';
import type { NumberAnswer } from './client/number-answer.ts';
import { numberClient, type NumberClientOptions } from './client/number-client.ts';
import type { OpenStream } from './client/event-connection.ts';
import type { EventQuery } from './client/event-query.ts';
import { type EventAnswer, provenEvents } from './client/proven-events.ts';
import { type PageQuery, type ServedList, servedRows } from './client/served-pages.ts';
import type { ServedRows } from './client/served-rows.ts';
import { web } from './client/web.ts';

export type OpenOptions = Omit<NumberClientOptions, 'isVouched'>;

/** A served log. What its server answers makes `number`, `numbers` and `events` refuse, and never throw. */
export interface LogClient {
  /**
   * The newest report of a period, proven by its bundle under a head that continues the pinned one. Without a good
   * verdict there is a refusal with a fixed code, and no value. While the head stays as it is, the answer is kept.
   */
  readonly number: (index: string, period: string) => Promise<NumberAnswer>;
  /**
   * The number of each period that a day of the range names, in order, by the calendar of the rule. Throws `malformed`
   * for a range that is none.
   */
  readonly numbers: (index: string, range: DayRange) => AsyncIterableIterator<PeriodNumber>;
  /**
   * The entries as they are published, each proven to be in a head that continues the pinned one. It comes back by
   * itself where a connection ends. A refusal is the last that comes. Throws `malformed` for a query that is none.
   */
  readonly events: (query?: EventQuery) => AsyncIterableIterator<EventAnswer>;
  /** The rows of a list, page by page, as the server has them: nothing of them is proven. Throws as `servedRows`. */
  readonly served: <List extends ServedList>(
    list: List,
    query?: PageQuery,
  ) => AsyncIterableIterator<ServedRows[List]>;
}

/** Opens the log at `url`. Throws as `requirePolicy` for an invalid key or policy; nothing is asked for yet. */
export async function open(url: string, options: OpenOptions): Promise<LogClient> {
  const { numbers, server, parts } = numberClient(url, { ...options, isVouched: true });
  const stream = { base: url.replace(/\/+$/, ''), fetch: options.fetch ?? streamFetch };
  return {
    number: (index, period) => numbers.read(index, period),
    numbers: (index, range) => numberRange(numbers, index, range),
    events: (query = {}) => provenEvents(parts, stream, query),
    served: (list, query = {}) => servedRows(server, list, query),
  };
}

/** The platform's `fetch`, without a limit of time: a stream does not end. */
const streamFetch: OpenStream = (url, init, signal) => web.fetch(url, { ...init, signal });
