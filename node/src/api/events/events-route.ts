import { problem } from '../../http/problem.ts';
import { NO_STORE, stream } from '../../http/reply.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import { parseEventId } from '../../stream/entry-frames.ts';
import type { EventFilter, EventHub } from '../../stream/event-hub.ts';
import { halted } from '../folded-routes.ts';
import { getEvents } from '../operation/event-operations.ts';

export const EVENTS_PATH = '/events';
export const EVENT_STREAM = 'text/event-stream';

/** Seconds after which to come back to a service that has as many readers as it takes. */
const FULL_RETRY_S = 30;

interface EventsInput {
  readonly after?: string | undefined;
  readonly from?: string | undefined;
  readonly kinds?: string | undefined;
  readonly tickers?: string | undefined;
  readonly symbols?: string | undefined;
  readonly ticks?: 'true' | 'false' | undefined;
}

/** The entries of the log as they are published; `halted` where the record cannot be read. */
export function eventsRoute(hub: EventHub | undefined): Route {
  const handle = async (request: ApiRequest, input: EventsInput): Promise<ApiReply> => {
    if (hub === undefined) return halted(request);
    const { after: given, from } = input;
    // A browser that comes back sends the header beside the address that it began with, and has read further.
    const after = request.header('last-event-id') ?? given;
    if (given !== undefined && from !== undefined) {
      return problem(request, 'bad_request', { detail: 'after and from exclude each other.' });
    }
    const next =
      after === undefined ? Number(from ?? hub.frames.size) : await nextAfter(hub, after);
    if (next === 'malformed') {
      return problem(request, 'bad_request', {
        detail:
          'after, or Last-Event-ID, is the id of an event: a number, a hyphen and 16 hexadecimal digits.',
      });
    }
    if (next === undefined || next > hub.frames.size) {
      return problem(request, 'other_history', {
        detail: `This log, of ${hub.frames.size} entries, has no such entry.`,
        members: { size: hub.frames.size },
      });
    }
    const refused = hub.refusal(request.client);
    if (refused === 'full') {
      return problem(request, 'busy', {
        detail: 'As many streams are open as this service has room for.',
        headers: [['retry-after', String(FULL_RETRY_S)]],
      });
    }
    if (refused === 'address_full') {
      return problem(request, 'rate_limited', {
        detail: 'This address has as many streams open as one may have.',
        members: { 'violated-policies': ['streams'] },
        headers: [['retry-after', String(FULL_RETRY_S)]],
      });
    }
    const filter: EventFilter = {
      kinds: input.kinds?.split(',') ?? null,
      tickers: input.tickers?.toUpperCase().split(',') ?? null,
      symbols: input.symbols?.toUpperCase().split(',') ?? null,
      ticks: input.ticks === 'true',
    };
    return stream(EVENT_STREAM, hub.open(request.client, next, filter, request.signal), {
      cacheControl: NO_STORE,
      filler: ':\n\n', // a comment
      // A proxy that waits for the end of an answer would wait for ever.
      headers: [['x-accel-buffering', 'no']],
    });
  };
  return route('GET', EVENTS_PATH, handle, { operation: getEvents });
}

/** The entry after the one that an id names; undefined if the log has another one there, or none. */
async function nextAfter(hub: EventHub, id: string): Promise<number | 'malformed' | undefined> {
  const named = parseEventId(id);
  if (named === undefined) return 'malformed';
  const { seq } = named;
  return (await hub.frames.idOf(seq)) === id ? seq + 1 : undefined;
}
