import type { Clock } from '../platform/clock.ts';

/** After how many days with an answer, and after how many days without one, a late calendar is given up. */
const ANSWERED_DAYS = 3;
const SILENT_DAYS = 30;

interface Counted {
  readonly answered: number;
  readonly silent: number;
  /** When a day of either kind was last counted. */
  readonly answeredAt: number;
  readonly silentAt: number;
}

const NOTHING: Counted = {
  answered: 0,
  silent: 0,
  answeredAt: Number.NEGATIVE_INFINITY,
  silentAt: Number.NEGATIVE_INFINITY,
};

/**
 * Counts the days on which calendars were asked about a late batch. A clock that is wrong for one poll, or a
 * machine that slept, makes a batch old at once, but does not add days of requests.
 */
export class LateDays {
  readonly #elapsed: Clock;
  readonly #dayS: number;
  readonly #counted = new Map<number, Map<string, Counted>>();

  /** `dayS` is in seconds of `elapsed`, which has no steps. */
  constructor(elapsed: Clock, dayS: number) {
    this.#elapsed = elapsed;
    this.#dayS = dayS;
  }

  /** Records that a calendar was asked about a late batch. `answered` is true whatever it answered. */
  asked(batch: number, uri: string, answered: boolean): void {
    const calendars = this.#counted.get(batch) ?? new Map<string, Counted>();
    this.#counted.set(batch, calendars);
    const before = calendars.get(uri) ?? NOTHING;
    const now = this.#elapsed();
    if (answered && now - before.answeredAt >= this.#dayS) {
      calendars.set(uri, { ...before, answered: before.answered + 1, answeredAt: now });
    } else if (!answered && now - before.silentAt >= this.#dayS) {
      calendars.set(uri, { ...before, silent: before.silent + 1, silentAt: now });
    }
  }

  enough(batch: number, uri: string): boolean {
    const { answered, silent } = this.#counted.get(batch)?.get(uri) ?? NOTHING;
    return answered >= ANSWERED_DAYS || silent >= SILENT_DAYS;
  }

  /** The batch is no longer late, or the earlier requests no longer count. */
  forget(batch: number): void {
    this.#counted.delete(batch);
  }
}
