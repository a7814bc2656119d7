import { divideRounded, scaleRounded } from '../../number/scaled.ts';
import type { ScoreRule } from '../rule/score-rule.ts';
import { SortedWindow } from './sorted-window.ts';

/** The largest return that a window holds, in ppm: 200,000 %. */
export const MAX_RETURN_PPM = 2_000_000_000;

/** Marks a sample without a return. */
const NO_SAMPLE = -2_147_483_648;

/**
 * The samples of one return, by time and by size. They give how far a return is from the usual ones, in robust
 * deviations, which are made from the median absolute deviation (Hampel, 1974; docs/spec/score.md, steps 2 and
 * 3). Indexes are counts of the grid and rise.
 */
export class ReturnWindow {
  readonly #sample: number;
  readonly #window: number;
  readonly #minimum: number;
  readonly #scale: ScoreRule['scale'];
  readonly #floor: number;
  /** The samples, at their index divided by `sample`. */
  readonly #ring: Int32Array;
  readonly #sorted: SortedWindow;
  /**
   * The oldest sample that is remembered, and the one after the newest; each is an index divided by `sample`.
   */
  #from = 0;
  #to = 0;

  /** `floor` is the least robust deviation, in ppm. */
  constructor({ returns, scale }: ScoreRule, floor: number) {
    this.#sample = returns.sample;
    this.#window = returns.window;
    this.#minimum = returns.min_samples;
    this.#scale = scale;
    this.#floor = floor;
    const capacity = Math.ceil(returns.window / returns.sample) + 1;
    this.#ring = new Int32Array(capacity);
    this.#sorted = new SortedWindow(capacity);
  }

  /**
   * Returns the robust deviations of `value` (ppm) at `index` in thousandths. Then `value` may become a sample
   * itself.
   */
  take(index: number, value: number | undefined): number | null {
    this.#forget(index - this.#window);
    const z = value === undefined ? null : this.#deviations(value);
    if (index % this.#sample === 0) this.#put(index / this.#sample, value);
    return z;
  }

  #deviations(value: number): number | null {
    if (this.#sorted.size < this.#minimum) return null;
    const { median, deviation } = this.#sorted.spread();
    const { numerator, denominator } = this.#scale;
    const scale = Math.max(scaleRounded(numerator, deviation, denominator), this.#floor);
    return divideRounded(1000 * Math.abs(value - median), scale);
  }

  /** Removes the samples before index `start`. */
  #forget(start: number): void {
    while (this.#from < this.#to && this.#from * this.#sample < start) {
      const slot = this.#from % this.#ring.length;
      const value = this.#ring[slot] as number;
      if (value !== NO_SAMPLE) this.#sorted.remove(value);
      this.#from += 1;
    }
  }

  #put(at: number, value: number | undefined): void {
    if (this.#from === this.#to) [this.#from, this.#to] = [at, at];
    for (; this.#to < at; this.#to += 1) this.#ring[this.#to % this.#ring.length] = NO_SAMPLE;
    this.#ring[at % this.#ring.length] = value ?? NO_SAMPLE;
    this.#to = at + 1;
    if (value !== undefined) this.#sorted.insert(value);
  }
}
