import type { Clock } from '../platform/clock.ts';

/** The state of a development clock. It is stopped at `base` if `startedMs` is undefined. */
export interface ClockState {
  /** Unix seconds, with a fraction. */
  readonly base: number;
  /** When it was at `base`, in milliseconds of the real clock. */
  readonly startedMs: number | undefined;
  /** Seconds of this clock in a real second. */
  readonly speed: number;
  /** Unix seconds that it does not pass by itself; Infinity if nothing limits it. */
  readonly until: number;
}

/** The time of a clock in unix seconds, with a fraction. */
export function clockAt(
  { base, startedMs, speed, until }: ClockState,
  realMs: () => number,
): number {
  if (startedMs === undefined) return base;
  return Math.max(base, Math.min(base + ((realMs() - startedMs) / 1000) * speed, until));
}

/**
 * The time of the development network. It is stopped until it is started, and then runs `speed` times as fast
 * as the real clock. It never goes back.
 */
export class DevelopmentClock {
  #base: number;
  #startedMs: number | undefined;
  /** Up to when it may run, by whoever does work that is due by it. */
  readonly #limits = new Map<string, number>();
  #holders = 0;
  #runs = false;
  readonly #speed: number;
  readonly #realMs: () => number;
  readonly #onChange: (state: ClockState) => void;

  /** `onChange` is called with its state, at once and at each change. */
  constructor(
    start: number,
    speed: number,
    realMs: () => number = () => performance.now(),
    onChange: (state: ClockState) => void = () => undefined,
  ) {
    this.#base = start;
    this.#speed = speed;
    this.#realMs = realMs;
    this.#onChange = onChange;
    this.#tell();
  }

  readonly now: Clock = () => {
    return Math.floor(this.#exact());
  };

  #exact(): number {
    return clockAt(this.#state(), this.#realMs);
  }

  #state(): ClockState {
    return {
      base: this.#base,
      startedMs: this.#startedMs,
      speed: this.#speed,
      until: Math.min(Number.POSITIVE_INFINITY, ...this.#limits.values()),
    };
  }

  #tell(): void {
    this.#onChange(this.#state());
  }

  /** Follows the real clock from now on, or stops from now on. */
  #go(runs: boolean): void {
    const at = this.#realMs();
    this.#base = clockAt(this.#state(), () => at);
    this.#startedMs = runs ? at : undefined;
    this.#tell();
  }

  /**
   * Stops the clock until the returned function is called, so that what would take no time at the speed of the
   * world takes none here either. Several callers may hold it at once.
   */
  readonly hold = (): (() => void) => {
    this.#holders += 1;
    if (this.#holders === 1) this.#go(false);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      if (this.#holders === 0 && this.#runs) this.#go(true);
    };
  };

  /**
   * Lets the clock run up to `seconds` and no further before the next call for the same `work`; the earliest limit
   * counts. There is no limit before the first call. Whoever does work that is due by the clock calls it when that is
   * done: on a slow machine the clock is then slow, and nothing that is due is missed.
   */
  allowUntil(seconds: number, work = 'rounds'): void {
    const at = this.#realMs();
    if (this.#startedMs !== undefined) {
      this.#base = clockAt(this.#state(), () => at);
      this.#startedMs = at;
    }
    this.#limits.set(work, seconds);
    this.#tell();
  }

  /** Sets a stopped clock forward to `seconds`. An earlier time leaves it unchanged. */
  advanceTo(seconds: number): void {
    if (this.#runs) throw new TypeError('DevelopmentClock: it runs already');
    this.#base = Math.max(this.#base, seconds);
    this.#tell();
  }

  run(): void {
    if (this.#runs) return;
    this.#runs = true;
    if (this.#holders === 0) this.#go(true);
  }
}
