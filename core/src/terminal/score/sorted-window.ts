import { divideRounded } from '../../number/scaled.ts';

/** The median of a set of returns, and how far its members usually are from it; both in ppm. */
export interface Spread {
  readonly median: number;
  /** The median of the absolute deviations from `median`. */
  readonly deviation: number;
}

/**
 * Integers of 32 bits in rising order, so that their median and the median of their deviations are found
 * without sorting. The median of an even count is the mean of the middle two, rounded half away from zero.
 */
export class SortedWindow {
  readonly #values: Int32Array;
  #size = 0;
  #spread: Spread | undefined;

  /** Holds at most `capacity` values. */
  constructor(capacity: number) {
    this.#values = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Throws a `TypeError` if it is full. */
  insert(value: number): void {
    if (this.#size === this.#values.length) throw new TypeError('SortedWindow: full');
    const at = this.#place(value);
    this.#values.copyWithin(at + 1, at, this.#size);
    this.#values[at] = value;
    this.#size += 1;
    this.#spread = undefined;
  }

  /** Removes one value equal to `value`. Throws a `TypeError` if there is none. */
  remove(value: number): void {
    const at = this.#place(value);
    if (at === this.#size || this.#values[at] !== value) throw new TypeError('SortedWindow: none');
    this.#values.copyWithin(at, at + 1, this.#size);
    this.#size -= 1;
    this.#spread = undefined;
  }

  /** Throws a `TypeError` if it is empty. */
  spread(): Spread {
    this.#spread ??= this.#computed();
    return this.#spread;
  }

  /** The place of the first value that is not below `value`. */
  #place(value: number): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #computed(): Spread {
    const size = this.#size;
    if (size === 0) throw new TypeError('SortedWindow: empty');
    const half = size >>> 1;
    const even = size % 2 === 0;
    const values = this.#values;
    const upper = values[half] as number;
    const median = even ? divideRounded((values[half - 1] as number) + upper, 2) : upper;
    // Deviations rise to the left and to the right of this place. Of the half + 1 smallest, `left` are on the
    // left.
    const center = this.#place(median);
    const taken = half + 1;
    let left = Math.max(0, taken - (size - center));
    let most = Math.min(taken, center);
    while (left < most) {
      const middle = (left + most) >>> 1;
      const next = median - (values[center - 1 - middle] as number);
      if (this.#above(center, taken - middle, median) <= next) most = middle;
      else left = middle + 1;
    }
    const [below, above] = [
      this.#below(center, left, median),
      this.#above(center, taken - left, median),
    ];
    const last = Math.max(below, above);
    if (!even) return { median, deviation: last };
    const before =
      below > above
        ? Math.max(this.#below(center, left - 1, median), above)
        : Math.max(below, this.#above(center, taken - left - 1, median));
    return { median, deviation: divideRounded(before + last, 2) };
  }

  /** The largest of the first `count` deviations left of `center`; 0 for none. */
  #below(center: number, count: number, median: number): number {
    return count === 0 ? 0 : median - (this.#values[center - count] as number);
  }

  /** The largest of the first `count` deviations from `center` on; 0 for none. */
  #above(center: number, count: number, median: number): number {
    return count === 0 ? 0 : (this.#values[center + count - 1] as number) - median;
  }
}
