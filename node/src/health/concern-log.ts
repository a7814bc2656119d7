import type { Concern, StatusInput } from './concern.ts';

/** Tells each change of what is wrong: once when it begins, once when it is over. */
export class ConcernLog {
  readonly #inputs: readonly StatusInput[];
  readonly #tell: (change: 'begun' | 'over', concern: Concern) => void;
  #known: ReadonlyMap<string, Concern> = new Map();

  constructor(
    inputs: readonly StatusInput[],
    tell: (change: 'begun' | 'over', concern: Concern) => void,
  ) {
    this.#inputs = inputs;
    this.#tell = tell;
  }

  look(): void {
    const now = new Map<string, Concern>();
    for (const input of this.#inputs) {
      for (const concern of input()) now.set(concern.reason, concern);
    }
    const before = this.#known;
    this.#known = now;
    for (const [reason, concern] of now) if (!before.has(reason)) this.#tell('begun', concern);
    for (const [reason, concern] of before) if (!now.has(reason)) this.#tell('over', concern);
  }
}
