import { type Clock, processClock } from '../platform/clock.ts';

/** What a commit consists of: all of it, the database, the head guard, and the signature on the head. */
export const COMMIT_STEPS = ['commit', 'store', 'guard', 'sign'] as const;
export type CommitStep = (typeof COMMIT_STEPS)[number];

/** How long commits and their steps take, and how long the one that is under way has waited. */
export class CommitTimes {
  readonly #take: (step: CommitStep, seconds: number) => void;
  readonly #elapsed: Clock;
  #begun: number | undefined;

  /** `elapsed` are seconds of a clock without steps. */
  constructor(take: (step: CommitStep, seconds: number) => void, elapsed: Clock = processClock) {
    this.#take = take;
    this.#elapsed = elapsed;
  }

  /**
   * Seconds for which the commit under way has not ended, 0 if there is none. A commit that hangs, as on a
   * database that waits for its standby, is in no histogram before it ends.
   */
  get waitingS(): number {
    return this.#begun === undefined ? 0 : this.#elapsed() - this.#begun;
  }

  /** A commit as a whole. There is one at a time. */
  async commit(work: () => Promise<void>): Promise<void> {
    this.#begun = this.#elapsed();
    try {
      await this.step('commit', work);
    } finally {
      this.#begun = undefined;
    }
  }

  /** One step. One that fails counts as well. */
  async step<T>(step: CommitStep, work: () => T | Promise<T>): Promise<T> {
    const begun = this.#elapsed();
    try {
      return await work();
    } finally {
      this.#take(step, this.#elapsed() - begun);
    }
  }
}

/** For a ledger that nobody measures. */
export const UNTIMED: CommitTimes = new CommitTimes(() => undefined);
