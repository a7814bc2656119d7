import type { Clock } from '../platform/clock.ts';

/** The pause after a failure in seconds, doubled after each further one. */
const FIRST_S = 60;
const LONGEST_S = 3600;

/** Pauses calendars that failed, so that one that is down does not delay the others. */
export class CalendarPauses {
  readonly #elapsed: Clock;
  readonly #pauses = new Map<string, { readonly seconds: number; readonly until: number }>();

  constructor(elapsed: Clock) {
    this.#elapsed = elapsed;
  }

  /** When the calendar may be asked again, by the clock without steps; undefined if it may be asked at once. */
  until(uri: string): number | undefined {
    const pause = this.#pauses.get(uri);
    return pause !== undefined && pause.until > this.#elapsed() ? pause.until : undefined;
  }

  /** Records a failure. Further failures of requests that were already under way change nothing. */
  failed(uri: string): void {
    if (this.until(uri) !== undefined) return;
    const before = this.#pauses.get(uri)?.seconds ?? FIRST_S / 2;
    const seconds = Math.min(before * 2, LONGEST_S);
    this.#pauses.set(uri, { seconds, until: this.#elapsed() + seconds });
  }

  answered(uri: string): void {
    this.#pauses.delete(uri);
  }
}
