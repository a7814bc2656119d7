/**
 * Pseudo-random numbers that are the same on every machine: the generator sfc32 (C. Doty-Humphrey, PractRand) on
 * 32-bit integers. What is made of them takes only sums, products, quotients and square roots, each of which
 * IEEE 754 rounds in one way.
 */
export class Draws {
  #a: number;
  #b = 0x9e37_79b9;
  #c = 0x243f_6a88;
  #counter = 1;

  /** `seed` is an integer; its lowest 32 bits count. */
  constructor(seed: number) {
    this.#a = seed | 0;
    for (let i = 0; i < 16; i += 1) this.#word();
  }

  /** At least 0 and below 1, in steps of 2^-32. */
  uniform(): number {
    return this.#word() / 4_294_967_296;
  }

  /** An integer from 0 to below `n`, which is at most 2^20. */
  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }

  /** Nearly normal, with the mean 0 and the variance 1: the sum of four uniform numbers. */
  bell(): number {
    const sum = this.uniform() + this.uniform() + this.uniform() + this.uniform();
    return (sum - 2) * SQRT_3;
  }

  /** Student's t with 4 degrees of freedom, scaled to the variance 1, by the polar method (R. Bailey 1994). */
  tail(): number {
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const w = u * u + v * v;
      if (w > 0 && w <= 1) return u * Math.sqrt((2 * (1 / Math.sqrt(w) - 1)) / w);
    }
  }

  #word(): number {
    const word = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + word;
    this.#c |= 0;
    return word >>> 0;
  }
}

const SQRT_3 = Math.sqrt(3);

/** (1 + x / 256)^256, which is near e^x. The last bit of `Math.exp` is not the same in all engines. */
export function grow(x: number): number {
  let y = 1 + x / 256;
  for (let i = 0; i < 8; i += 1) y *= y;
  return y;
}
