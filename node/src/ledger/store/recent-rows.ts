import type { WireValue } from '@assay/core/wire/wire';

/** What a row takes in addition to its bytes. */
const ROW_BYTES = 64;

/**
 * The rows that were used last. There are two generations: what is used goes into the younger one, and when that has half
 * of the room, the older one is given up and it takes its place. A map from which the oldest row is taken each time would
 * have to pass over every place that was emptied before.
 */
export class RecentRows {
  readonly #half: number;
  #young = new Map<string, Held>();
  #old = new Map<string, Held>();
  /** Of the younger generation. */
  #bytes = 0;

  /** Holds rows of at least half of `most` bytes, and at most of one row more than `most`. */
  constructor(most: number) {
    this.#half = most / 2;
  }

  get(name: string): WireValue | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young.value;
    const old = this.#old.get(name);
    if (old === undefined) return undefined;
    this.#take(name, old);
    return old.value;
  }

  /** Takes a row of so many bytes, in place of the one of that name. */
  hold(name: string, value: WireValue, length: number): void {
    this.#take(name, { value, bytes: length + name.length + ROW_BYTES });
  }

  #take(name: string, row: Held): void {
    this.#bytes += row.bytes - (this.#young.get(name)?.bytes ?? 0);
    this.#young.set(name, row);
    if (this.#bytes <= this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#bytes = 0;
  }
}

interface Held {
  readonly value: WireValue;
  readonly bytes: number;
}
