import { Fault } from './fault.ts';

/** What ends a budget. */
export interface WorkLimits {
  /** Steps in all; without a limit where absent. */
  readonly steps?: number;
  /**
   * Whether the time is over. It is called now and then between steps, so that it can read a clock while no timer can
   * run. Never over where absent.
   */
  readonly isOver?: () => boolean;
}

/** Steps between two calls of `isOver`: a few milliseconds. */
const STEPS_BETWEEN = 1_048_576;

/**
 * What work on foreign bytes may cost, counted in steps. Reading one byte takes about one step. The work charges its
 * steps while it runs, so that the budget can end it at any point.
 *
 * Spent steps do not come back. After the first `work_exceeded` every further charge throws it, so that no `catch` on
 * the way can turn it into an answer.
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

  /** The steps charged so far. */
  get spent(): number {
    return this.#spent;
  }

  /** The steps that are left. */
  get left(): number {
    return Math.max(this.#limit - this.#spent, 0);
  }

  /** Why the work had to end; undefined while it continues. */
  get exceeded(): Fault | undefined {
    return this.#exceeded;
  }

  /** Charges `steps`. Throws `work_exceeded` where fewer are left, or where the time is over. */
  charge(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#next) this.check();
  }

  /** Checks whether there is time left. Throws `work_exceeded`. */
  check(): void {
    this.#next = Math.min(this.#limit, this.#spent + STEPS_BETWEEN);
    if (this.#spent > this.#limit) this.end(`an end within ${this.#limit} steps`);
    else if (this.#isOver()) this.end('an end before the deadline');
    this.requireLeft();
  }

  /**
   * Ends the work from outside. `expected` is what it should have done, such as `an end within 5 s`. Only the first
   * call counts.
   */
  end(expected: string): void {
    this.#next = -1;
    this.#exceeded ??= new Fault('work_exceeded', 'work', { expected });
  }

  /** Throws again what `charge` threw before. It counts nothing. */
  requireLeft(): void {
    if (this.#exceeded === undefined) return;
    this.#next = -1;
    throw this.#exceeded;
  }
}

/** For the caller's own bytes, and for bytes where a limit on their length is enough. */
export const NO_LIMIT: WorkBudget = new WorkBudget();
