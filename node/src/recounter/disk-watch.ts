import type { Clock } from '../platform/clock.ts';
import type { DiskUse } from './disk-use.ts';

/** Seconds between two measurements, each of which reads the size of every file. */
const EVERY_S = 3600;
/** The free bytes below which somebody should act: a few of the largest reads (64 MB for each source). */
const LOW_BYTES = 1024 ** 3;

export interface DiskWatchParts {
  readonly measure: () => Promise<DiskUse>;
  readonly now: Clock;
  readonly onFailed: (error: unknown) => void;
}

/** The use of the disk, measured once an hour. */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  #at = Number.NEGATIVE_INFINITY;
  #use: DiskUse | undefined;

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
  }

  /** The last measurement; undefined before the first. */
  get use(): DiskUse | undefined {
    return this.#use;
  }

  /** What is wrong, in a sentence; undefined if nothing is. */
  get concern(): string | undefined {
    const { free = LOW_BYTES } = this.#use ?? {};
    if (free >= LOW_BYTES) return undefined;
    return `The disk has ${Math.floor(free / 1e6)} MB left: what is read and copied is stored, and grows.`;
  }

  /** Measures if it is time to. Never throws: a failure is reported. */
  async poll(): Promise<void> {
    const { measure, now, onFailed } = this.#parts;
    const at = now();
    if (at - this.#at < EVERY_S) return;
    this.#at = at;
    try {
      this.#use = await measure();
    } catch (error) {
      onFailed(error);
    }
  }
}
