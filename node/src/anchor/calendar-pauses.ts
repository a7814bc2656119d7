import type { Clock } from '../platform/clock.ts';

/** Seconds after a failure, twice as long after each further one. */
const FIRST_S = 60;
const LONGEST_S = 3600;

/** Calendars that failed are left alone for a while: one that is down must not hold up the others. */
export class CalendarPauses {
  readonly #elapsed: Clock;
  readonly #pauses = new Map<string, { readonly seconds: number; readonly until: number }>();

  constructor(elapsed: Clock) {
    this.#elapsed = elapsed;
  }

  /** When the calendar may be asked again, of the clock without steps; undefined for at once. */
  until(uri: string): number | undefined {
    const pause = this.#pauses.get(uri);
    return pause !== undefined && pause.until > this.#elapsed() ? pause.until : undefined;
  }

  /** It failed; what else was under way with it and fails too changes nothing. */
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
