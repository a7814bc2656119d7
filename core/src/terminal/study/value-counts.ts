import { divideRounded } from '../../number/scaled.ts';

/** Integers with how often each was added. The memory depends on the number of different integers. */
export class ValueCounts {
  #counts = new Map<number, number>();
  #n = 0;

  /** How often each integer was added. It changes with the next one. */
  get kept(): Map<number, number> {
    return this.#counts;
  }

  /** Goes on as the counts that were kept. Call it before anything is added. */
  resume(kept: Map<number, number>): void {
    this.#counts = kept;
    for (const count of kept.values()) this.#n += count;
  }

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#n += 1;
  }

  get n(): number {
    return this.#n;
  }

  get sum(): bigint {
    let sum = 0n;
    for (const [value, count] of this.#counts) sum += BigInt(value) * BigInt(count);
    return sum;
  }

  /** How many are above 0. */
  get positive(): number {
    let positive = 0;
    for (const [value, count] of this.#counts) if (value > 0) positive += count;
    return positive;
  }

  /**
   * The median; null if there are no values. For an even count it is the mean of the middle two, rounded half
   * away from zero.
   */
  get median(): number | null {
    if (this.#n === 0) return null;
    const sorted = [...this.#counts].toSorted(([a], [b]) => a - b);
    const lower = valueAt(sorted, (this.#n - 1) >> 1);
    const upper = valueAt(sorted, this.#n >> 1);
    const sum = lower + upper;
    return Number.isSafeInteger(sum)
      ? divideRounded(sum, 2)
      : Number((BigInt(lower) + BigInt(upper) + (sum < 0 ? -1n : 1n)) / 2n);
  }
}

/** The value of a rank, counted from 0. */
function valueAt(
  sorted: readonly (readonly [value: number, count: number])[],
  rank: number,
): number {
  let before = 0;
  for (const [value, count] of sorted) {
    before += count;
    if (rank < before) return value;
  }
  throw new RangeError('ValueCounts: a rank beyond the last');
}
