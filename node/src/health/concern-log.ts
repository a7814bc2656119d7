import type { Concern, StatusInput } from './concern.ts';
import type { Service } from './services.ts';

/** Milliseconds between two checks. */
const EVERY_MS = 30_000;

/** Logs each change of what is wrong, for the operator: once when it begins, and once when it is over. */
export class ConcernLog implements Service {
  readonly stops = 'before';
  readonly #inputs: readonly StatusInput[];
  readonly #tell: (change: 'begun' | 'over', concern: Concern) => void;
  #timer: NodeJS.Timeout | undefined;
  #known: ReadonlyMap<string, Concern> = new Map();

  constructor(
    inputs: readonly StatusInput[],
    tell: (change: 'begun' | 'over', concern: Concern) => void,
  ) {
    this.#inputs = inputs;
    this.#tell = tell;
  }

  /** Looks at once, then again and again. */
  start(): void {
    this.check();
    this.#timer = setInterval(() => this.check(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  check(): void {
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
