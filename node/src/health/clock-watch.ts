import { DAY_SECONDS, parseTime, type TimeText } from '@assay/core/time/time';
import type { Clock } from '../platform/clock.ts';
import type { Concern } from './concern.ts';

/** By how many seconds a clock may be wrong before that is reported. */
const MAX_OFF_S = 300;
/** For how many seconds a step is reported. */
const SAID_FOR_S = DAY_SECONDS;

/** Notices a system clock that was stepped, and one that is behind the time of the log's newest entry. */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #elapsed: Clock;
  readonly #nextAt: () => TimeText;
  /** By how much the clock was ahead of `elapsed` at the last check. */
  #offset: number;
  #step: { readonly seconds: number; readonly at: number } | undefined;

  /**
   * `clock` is the system's, with its steps; `elapsed` has none. `nextAt` is the time that an entry would have
   * if it were written now.
   */
  constructor(clock: Clock, elapsed: Clock, nextAt: () => TimeText) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#nextAt = nextAt;
    this.#offset = clock() - elapsed();
  }

  concerns(): readonly Concern[] {
    const now = this.#clock();
    const elapsed = this.#elapsed();
    const seconds = Math.round(now - elapsed - this.#offset);
    this.#offset = now - elapsed;
    if (Math.abs(seconds) > MAX_OFF_S) this.#step = { seconds, at: elapsed };
    const words: string[] = [];
    const next = this.#nextAt();
    if (parseTime(next) - now > MAX_OFF_S) {
      words.push(`The clock is behind the log: until ${next} entries are written with that time.`);
    }
    const step = this.#step;
    if (step !== undefined && elapsed - step.at < SAID_FOR_S) {
      const by = Math.abs(step.seconds);
      words.push(
        step.seconds < 0
          ? `The clock was set back by ${by} seconds.`
          : `The clock was set ahead by ${by} seconds, or the machine slept.`,
      );
    }
    return words.map((reason) => ({ level: 'degraded', reason }));
  }
}
