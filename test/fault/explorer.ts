import { createHash } from 'node:crypto';

/**
 * An explicit-state exploration of real code behind fake ports: each await of a port is a scheduling
 * point, and every order of them is tried, with crashes and restarts at every point. The code runs
 * again from its beginning for each schedule (as in VeriSoft, Godefroid 1997); a schedule ends where it
 * comes to a state that was met before.
 *
 * A state is what is durable, what was let out, and for each process all that its ports have told it
 * since its start: code without a clock and without chance is the same after the same answers.
 */

/** A process that runs, is down, or has come to its end. */
interface Process {
  readonly name: string;
  /** Starts so far. */
  started: number;
  isUp: boolean;
  /** What its ports have told it since its start. */
  heard: string[];
  /** How its program ended: `done`, or an error's code. */
  end: string | undefined;
}

/** What is special about a call. */
export interface Wait {
  /** Whether it can be carried out now; what it waits for beside its turn. */
  readonly isReady: () => boolean;
  /** All that readiness and result hang on, for the state. */
  readonly state: () => string;
  /** Whether it changes nothing: a crash after it is a crash before it. */
  readonly isRead: boolean;
}

const WRITE: Wait = { isReady: () => true, state: () => '', isRead: false };
/** A call that changes nothing. */
export const READ: Wait = { ...WRITE, isRead: true };

/** A call of a port that nobody has carried out yet. */
interface Call {
  readonly process: string;
  readonly label: string;
  readonly wait: Wait;
  readonly carryOut: () => unknown;
  readonly answer: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
}

export interface Program {
  readonly name: string;
  /** Crashes that are tried. */
  readonly crashes: number;
  /** What it runs each time that it starts, 0 being the first. */
  readonly run: (world: Explored, start: number) => Promise<void>;
}

/** One way that the world is made: anew for each schedule. */
export interface Scenario {
  readonly programs: readonly Program[];
  /** What lasts: everything that a program can find after its restart. */
  readonly durable: () => string;
  /** What was let out, and can never be taken back. */
  readonly released: () => string;
  /** Throws where something was let out that must not be. Looked at after each step. */
  readonly check: () => void;
  /** Things that may happen by themselves, each at most once: a restore from a copy. */
  readonly events?: readonly {
    readonly label: string;
    readonly can: (isUp: (process: string) => boolean) => boolean;
    readonly happen: () => void;
  }[];
}

/** What the programs' ports are made of. */
export class Explored {
  readonly #scenario: Scenario;
  readonly #processes = new Map<string, Process>();
  readonly #crashes = new Map<string, number>();
  readonly #events = new Set<string>();
  #calls: Call[] = [];

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    for (const { name, crashes } of scenario.programs) {
      this.#processes.set(name, { name, started: 0, isUp: false, heard: [], end: undefined });
      this.#crashes.set(name, crashes);
    }
  }

  /** A scheduling point: resolves with what `carryOut` gives when its turn has come. */
  call<T>(process: string, label: string, carryOut: () => T, wait: Wait = WRITE): Promise<T> {
    const { started } = this.#process(process);
    return new Promise<T>((resolve, reject) => {
      const isSame = (): boolean => {
        const now = this.#process(process);
        return now.isUp && now.started === started;
      };
      this.#calls.push({
        process,
        label,
        wait,
        carryOut,
        answer: (result) => {
          if (!isSame()) return;
          this.#process(process).heard.push(`${label}=${digest(result)}`);
          resolve(result as T);
        },
        fail: (error) => {
          if (!isSame()) return;
          this.#process(process).heard.push(`${label}!${String(error)}`);
          reject(error as Error);
        },
      });
    });
  }

  /**
   * Something that the machine does behind the process, which hears nothing of it: at any time while `isReady`, or not at
   * all before the process ends.
   */
  behind(process: string, label: string, carryOut: () => void, isReady: () => boolean): void {
    const nobody = (): void => undefined;
    const wait = { isReady, isRead: false, state: () => String(isReady()) };
    this.#calls.push({ process, label, wait, carryOut, answer: nobody, fail: nobody });
  }

  /** Something came in that the process did not ask for. */
  tell(process: string, what: unknown): void {
    this.#process(process).heard.push(digest(what));
  }

  /** Which start of the process runs now: whoever waits for it can tell that it has gone. */
  startOf(process: string): number | undefined {
    const { isUp, started } = this.#process(process);
    return isUp ? started : undefined;
  }

  /** All that can happen next, in an order that is the same each time. */
  get choices(): readonly string[] {
    const choices: string[] = [];
    for (const [i, { process, label, wait }] of this.#calls.entries()) {
      if (!wait.isReady()) continue;
      choices.push(`${i} ${label}`);
      if (!wait.isRead && this.#mayCrash(process))
        choices.push(`${i} ${label}, then ${process} crashes`);
    }
    for (const { name, isUp } of this.#processes.values()) {
      if (!isUp) choices.push(`start ${name}`);
      else if (this.#mayCrash(name)) choices.push(`crash ${name}`);
    }
    for (const { label, can } of this.#scenario.events ?? []) {
      if (!this.#events.has(label) && can((name) => this.#process(name).isUp))
        choices.push(`event ${label}`);
    }
    return choices;
  }

  /** Everything that what happens from now on can depend on. */
  get state(): string {
    const processes = [...this.#processes.values()].map(
      ({ name, isUp, started, heard, end }) =>
        `${name} ${isUp} ${started} ${end} ${this.#crashes.get(name)} ${heard.join(';')}`,
    );
    const calls = this.#calls
      .map(({ process, label, wait }) => `${process} ${label} ${wait.state()}`)
      .toSorted();
    const { durable, released } = this.#scenario;
    const parts = [durable(), released(), ...processes, ...calls, ...[...this.#events].toSorted()];
    return digest(parts);
  }

  /** Starts every program, in their order. */
  async begin(): Promise<void> {
    for (const name of this.#processes.keys()) await this.step(`start ${name}`);
  }

  /** Has `choice` happen, and everything that follows from it without another. */
  async step(choice: string): Promise<void> {
    const [verb = '', name = ''] = choice.split(' ');
    if (verb === 'start') this.#start(name);
    else if (verb === 'crash') this.#crash(name);
    else if (verb === 'event') this.#happen(choice.slice('event '.length));
    else this.#carryOut(Number(verb), choice.includes(', then '));
    // All that is left are microtasks: after a turn of the loop every program waits for a port.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  /** Throws where something was let out that must not be. */
  check(): void {
    this.#scenario.check();
  }

  #process(name: string): Process {
    const process = this.#processes.get(name);
    if (process === undefined) throw new TypeError(`no process ${name}`);
    return process;
  }

  #mayCrash(name: string): boolean {
    return this.#process(name).isUp && (this.#crashes.get(name) ?? 0) > 0;
  }

  #start(name: string): void {
    const process = this.#process(name);
    process.isUp = true;
    process.started += 1;
    process.heard = [];
    process.end = undefined;
    const { started } = process;
    const program = this.#scenario.programs.find((each) => each.name === name);
    void program?.run(this, started - 1).then(
      () => (process.end = 'done'),
      (error: unknown) => (process.end = String(error)),
    );
  }

  #crash(name: string): void {
    this.#crashes.set(name, (this.#crashes.get(name) ?? 0) - 1);
    this.#process(name).isUp = false;
    this.#calls = this.#calls.filter(({ process }) => process !== name);
  }

  #happen(label: string): void {
    this.#events.add(label);
    this.#scenario.events?.find((each) => each.label === label)?.happen();
  }

  #carryOut(index: number, crashes: boolean): void {
    const [call] = this.#calls.splice(index, 1);
    if (call === undefined) throw new TypeError('no such call');
    try {
      const result = call.carryOut();
      if (crashes) this.#crash(call.process);
      else call.answer(result);
    } catch (error) {
      if (crashes) this.#crash(call.process);
      else call.fail(error);
    }
  }
}

export function digest(value: unknown): string {
  const text = JSON.stringify(value, (_key, each: unknown) =>
    each instanceof Uint8Array ? Buffer.from(each).toString('base64') : each,
  );
  return createHash('sha256')
    .update(text ?? 'undefined')
    .digest('base64url')
    .slice(0, 22);
}

export interface Exploration {
  /** Runs from the beginning. */
  readonly schedules: number;
  /** Different states that were met. */
  readonly states: number;
  /** Whether every schedule was tried, and not only the first `limit`. */
  readonly isComplete: boolean;
  /** The steps to the first violation, and what was violated; undefined where there is none. */
  readonly violation: { readonly steps: readonly string[]; readonly words: string } | undefined;
}

/** Tries every schedule, until one violates something or `limit` were run. */
export async function explore(make: () => Scenario, limit: number): Promise<Exploration> {
  const met = new Set<string>();
  const todo: (readonly string[])[] = [[]];
  let schedules = 0;
  for (let prefix = todo.pop(); prefix !== undefined; prefix = todo.pop()) {
    if (schedules >= limit)
      return { schedules, states: met.size, isComplete: false, violation: undefined };
    schedules += 1;
    const world = new Explored(make());
    const steps: string[] = [];
    try {
      await world.begin();
      for (const choice of prefix) {
        steps.push(choice);
        await world.step(choice);
      }
      // What lies before its last step was looked at when it was met first.
      world.check();
      for (;;) {
        const { state } = world;
        if (met.has(state)) break;
        met.add(state);
        const [first, ...others] = world.choices;
        if (first === undefined) break;
        for (const other of others) todo.push([...steps, other]);
        steps.push(first);
        await world.step(first);
        world.check();
      }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return { schedules, states: met.size, isComplete: false, violation: { steps, words } };
    }
  }
  return { schedules, states: met.size, isComplete: true, violation: undefined };
}
