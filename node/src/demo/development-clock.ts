import type { Clock } from '../clock.ts';

/**
 * The development network's time: it stands still where it is put, and once started runs `speed`
 * times as fast as the real clock. It never goes back.
 */
export class DevelopmentClock {
  #base: number;
  #startedMs: number | undefined;
  readonly #speed: number;
  readonly #realMs: () => number;

  constructor(start: number, speed: number, realMs: () => number = () => performance.now()) {
    this.#base = start;
    this.#speed = speed;
    this.#realMs = realMs;
  }

  readonly now: Clock = () => {
    if (this.#startedMs === undefined) return Math.floor(this.#base);
    return Math.floor(this.#base + ((this.#realMs() - this.#startedMs) / 1000) * this.#speed);
  };

  /** Puts a standing clock forward to `seconds`; an earlier time leaves it where it is. */
  advanceTo(seconds: number): void {
    if (this.#startedMs !== undefined) throw new TypeError('DevelopmentClock: it runs already');
    this.#base = Math.max(this.#base, seconds);
  }

  run(): void {
    this.#startedMs ??= this.#realMs();
  }
}
