import { boundedFetch } from '../platform/bounded-fetch.ts';

/** Bytes of a calendar's answer at most, as the reference client has it. */
export const MAX_CALENDAR_BYTES = 10_000;

export interface CalendarRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

export interface CalendarResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

/** Asks a calendar; any status is an answer. Throws a Fault where there is none. */
export type CalendarFetch = (request: CalendarRequest) => Promise<CalendarResponse>;

/**
 * Asks over the network. Throws `redirect_refused`, `too_large` over `MAX_CALENDAR_BYTES`, `timeout`
 * once the signal aborts, `unreachable`.
 */
export const calendarFetch: CalendarFetch = (request) =>
  boundedFetch({
    ...request,
    title: 'calendar',
    headers: { accept: 'application/vnd.opentimestamps.v1' },
    maxBytes: MAX_CALENDAR_BYTES,
  });
