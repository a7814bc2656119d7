import { createHash } from 'node:crypto';

/** Numbers that follow from a seed, so that a log of a seed is the same log wherever and whenever it is made. */
export class Dice {
  readonly #seed: string;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #blocks = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** From 0 to `below` - 1. */
  int(below: number): number {
    if (this.#at + 4 > this.#block.length) {
      this.#block = createHash('sha256').update(`${this.#seed}\0${this.#blocks}`).digest();
      this.#blocks += 1;
      this.#at = 0;
    }
    const drawn = this.#block.readUInt32BE(this.#at);
    this.#at += 4;
    return drawn % below;
  }

  between(least: number, most: number): number {
    return least + this.int(most - least + 1);
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.int(1_000_000) < probability * 1_000_000;
  }

  pick<T>(of: readonly T[]): T {
    if (of.length === 0) throw new TypeError('Dice: nothing to pick from');
    return of[this.int(of.length)] as T;
  }

  /** Some of them, in their order. */
  some<T>(of: readonly T[], probability: number): readonly T[] {
    return of.filter(() => this.chance(probability));
  }

  /** Dice of their own, which nothing that is drawn here moves. */
  fork(name: string): Dice {
    return new Dice(`${this.#seed}/${name}`);
  }
}
