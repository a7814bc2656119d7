import type { TimeText } from '@assay/core/time/time';

/**
 * When the newest entries of a log say that they were written. Neighbours often say the same, so that only
 * the changes are kept.
 */
export class TimeHistory {
  readonly #depth: number;
  /** Entries at which the time changes, ascending, and what it changes to. */
  #seqs: number[] = [];
  #times: (TimeText | undefined)[] = [];
  #last: TimeText | undefined;

  /** `depth`: how many entries ago one may lie, counted from the newest. */
  constructor(depth: number) {
    this.#depth = depth;
  }

  /** Takes the next entry's time; undefined for one that cannot be read. */
  note(seq: number, at: TimeText | undefined): void {
    if (at === this.#last && seq > 0) return;
    this.#last = at;
    this.#seqs.push(seq);
    this.#times.push(at);
    // Half of them at once: a move for each entry would cost more than its hash.
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
