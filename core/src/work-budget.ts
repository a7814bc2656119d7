import { Fault } from './fault.ts';

/** What ends a budget. */
export interface WorkLimits {
  /** Steps in all; without a limit where absent. */
  readonly steps?: number;
  /**
   * Whether there is no more time: it is asked now and then between steps, so that it can look at a clock while no timer
   * has its turn. Never where absent.
   */
  readonly isOver?: () => boolean;
}

/** Steps between two questions whether there is time: a few milliseconds. */
const STEPS_BETWEEN = 1_048_576;

/**
 * What the work on somebody else's bytes may cost, counted in steps. One step is about what it takes to read one byte.
 * Whoever does the work charges for it as it is done, in proportion, so that the budget ends it in the middle.
 *
 * What is spent stays spent: after the first `work_exceeded` every further charge throws it, so that no `catch` on its
 * way can turn it into an answer.
 */
export class WorkBudget {
  readonly #limit: number;
  readonly #isOver: () => boolean;
  #spent = 0;
  #next: number;
  #exceeded: Fault | undefined;

  constructor({ steps = Number.POSITIVE_INFINITY, isOver = () => false }: WorkLimits = {}) {
    this.#limit = steps;
    this.#isOver = isOver;
    this.#next = Math.min(steps, STEPS_BETWEEN);
  }

  /** Steps so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Why the work had to end; undefined while it goes on. */
  get exceeded(): Fault | undefined {
    return this.#exceeded;
  }

  /** Takes `steps` off what is left. Throws `work_exceeded` where there are not so many, or no more time. */
  charge(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#next) this.look();
  }

  /** Asks whether there is time now. Throws `work_exceeded`. */
  look(): void {
    this.#next = Math.min(this.#limit, this.#spent + STEPS_BETWEEN);
    if (this.#spent > this.#limit) this.end(`an end within ${this.#limit} steps`);
    else if (this.#isOver()) this.end('an end before it was told to stop');
    this.requireLeft();
  }

  /** Ends the work from outside. `expected`: what it was to do, such as `an end within 5 s`. The first call stands. */
  end(expected: string): void {
    this.#next = -1;
    this.#exceeded ??= new Fault('work_exceeded', 'work', { expected });
  }

  /** Throws what `charge` threw before; nothing is counted. */
  requireLeft(): void {
    if (this.#exceeded === undefined) return;
    this.#next = -1;
    throw this.#exceeded;
  }
}

/** For bytes of one's own, and where a limit on their length is enough. */
export const NO_LIMIT: WorkBudget = new WorkBudget();
