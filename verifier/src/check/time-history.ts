import type { TimeText } from '@assay/core/time/time';

/** What a `TimeHistory` remembers. */
export interface KeptTimes {
  readonly seqs: number[];
  readonly times: (TimeText | undefined)[];
  readonly last: TimeText | undefined;
}

/**
 * The times of the newest entries of a log, as the entries state them. Neighbouring entries often state the same time,
 * so only the changes are kept.
 */
export class TimeHistory {
  readonly #depth: number;
  /** The entries at which the time changes, ascending, and the times that it changes to. */
  #seqs: number[] = [];
  #times: (TimeText | undefined)[] = [];
  #last: TimeText | undefined;

  /** `depth` is how many entries back an entry may lie, counted from the newest. */
  constructor(depth: number) {
    this.#depth = depth;
  }

  get kept(): KeptTimes {
    return { seqs: this.#seqs, times: this.#times, last: this.#last };
  }

  /** Goes on as the one that was kept. */
  resume({ seqs, times, last }: KeptTimes): void {
    this.#seqs = seqs;
    this.#times = times;
    this.#last = last;
  }

  /** Records the time of the next entry; undefined for an entry that cannot be read. */
  note(seq: number, at: TimeText | undefined): void {
    if (at === this.#last && seq > 0) return;
    this.#last = at;
    this.#seqs.push(seq);
    this.#times.push(at);
    // Drops half of them at once, because moving the array at each entry would cost more than hashing the entry.
    if (this.#seqs.length > 2 * this.#depth + 2) {
      this.#seqs = this.#seqs.slice(this.#depth + 1);
      this.#times = this.#times.slice(this.#depth + 1);
    }
  }

  /** The time of an entry; undefined for one that could not be read, or that lies too far back. */
  of(seq: number): TimeText | undefined {
    let low = 0;
    let high = this.#seqs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#seqs[middle] as number) <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#times[low - 1];
  }
}
