import { Fault } from '@assay/core/fault';
import type { Concern, StatusInput } from './concern.ts';
import type { Service } from './services.ts';

/** Milliseconds between two checks. */
const EVERY_MS = 30_000;

/** What `/status` says in one word. */
export type ServiceState = 'ok' | 'degraded' | 'halted';

/** Logs each change of what is wrong, for the operator: once when it begins, and once when it is over. */
export class ConcernLog implements Service {
  readonly stops = 'before';
  readonly #inputs: readonly StatusInput[];
  readonly #tell: (change: 'begun' | 'over', concern: Concern) => void;
  readonly #onState: (state: ServiceState, reasons: readonly string[]) => void;
  readonly #isSettled: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #state: ServiceState | undefined;
  /** Whether it was looked once when all could be known: what is found until then was so before the start. */
  #wasSettled = false;
  #known: ReadonlyMap<string, Concern> = new Map();

  /** `isSettled` says no at first if what is wrong cannot all be known yet. */
  constructor(
    inputs: readonly StatusInput[],
    tell: (change: 'begun' | 'over', concern: Concern) => void,
    onState: (state: ServiceState, reasons: readonly string[]) => void = () => {},
    isSettled: () => boolean = () => true,
  ) {
    this.#isSettled = isSettled;
    this.#inputs = inputs;
    this.#onState = onState;
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
    try {
      for (const input of this.#inputs) {
        for (const concern of input()) now.set(concern.reason, concern);
      }
    } catch (error) {
      // What cannot be read is mended or reported by whoever reads it for its own sake: a damaged row, a database that has
      // been closed. The next look is not far.
      if (!(error instanceof Fault)) throw error;
      return;
    }
    const before = this.#known;
    this.#known = now;
    for (const [reason, concern] of now) if (!before.has(reason)) this.#tell('begun', concern);
    for (const [reason, concern] of before) if (!now.has(reason)) this.#tell('over', concern);
    const state = stateOf([...now.values()]);
    const isChange = this.#wasSettled && this.#state !== state;
    this.#wasSettled ||= this.#isSettled();
    this.#state = state;
    if (isChange) this.#onState(state, [...now.keys()]);
  }
}

function stateOf(concerns: readonly Concern[]): ServiceState {
  if (concerns.some(({ level }) => level === 'halted')) return 'halted';
  return concerns.length > 0 ? 'degraded' : 'ok';
}
