import { boundedFetch } from '../platform/bounded-fetch.ts';

/** The most bytes of a calendar's answer, as in the reference client. */
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

/** Asks a calendar; any status is an answer. Throws a Fault if there is no answer. */
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
