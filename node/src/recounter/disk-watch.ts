import type { Clock } from '../platform/clock.ts';
import type { DiskUse } from './disk-use.ts';

/** Seconds between two measurements: each looks at every file. */
const EVERY_S = 3600;
/** Bytes under which somebody should look: some of the largest reads (64 MB a source). */
const LOW_BYTES = 1024 ** 3;

export interface DiskWatchParts {
  readonly measure: () => Promise<DiskUse>;
  readonly now: Clock;
  readonly onFailed: (error: unknown) => void;
}

/** What is on the disk, measured once an hour. */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  #at = Number.NEGATIVE_INFINITY;
  #use: DiskUse | undefined;

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
  }

  /** As last measured; undefined before. */
  get use(): DiskUse | undefined {
    return this.#use;
  }

  /** What is the matter, in a sentence; undefined where nothing is. */
  get concern(): string | undefined {
    const { free = LOW_BYTES } = this.#use ?? {};
    if (free >= LOW_BYTES) return undefined;
    return `The disk has ${Math.floor(free / 1e6)} MB left: what is read and copied is kept, and grows.`;
  }

  /** Measures where it is time to. Never throws: a failure is told. */
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
