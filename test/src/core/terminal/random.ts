/** Whole numbers from a seed, the same each time: the generator of Park and Miller. */
export class Random {
  #state: number;

  /** `seed`: 1 to 2^31 - 2. */
  constructor(seed: number) {
    this.#state = seed;
  }

  /** 0 up to and without `bound`, which is at most 2^31. */
  below(bound: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % bound;
  }

  /** True one time in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }
}
