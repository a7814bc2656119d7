import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long anything may take before the run fails: long enough for a machine that does much else. */
export const MOST_MS = 600_000;
const RESTART_MS = 500;

/** Waits until `done` resolves with something other than undefined or false. */
export async function until<T>(
  what: string,
  done: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (const end = performance.now() + MOST_MS; ;) {
    const found = await done();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await sleep(100);
  }
}

/** Whether an address answers with this status. */
export async function answers(url: string, status = 200): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status === status;
  } catch {
    return false;
  }
}

export interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly variables?: NodeJS.ProcessEnv;
  readonly folder: string;
}

/** A process that is started again when it ends, as a service manager does, until it is told not to. */
export class Part {
  readonly name: string;
  /** What it has said on standard output, in all of its lives. */
  readonly lines: string[] = [];
  readonly #command: () => Command;
  #child: ChildProcess | undefined;
  #isWanted = false;
  #errors = '';
  #isKilled = false;
  /** What it said last, each time that it ended by itself. */
  readonly ends: string[] = [];
  #onLine: (line: string) => void;

  constructor(
    name: string,
    command: () => Command,
    onLine: (line: string) => void = () => undefined,
  ) {
    this.name = name;
    this.#command = command;
    this.#onLine = onLine;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The last of what it said on standard error. */
  get errors(): string {
    return this.#errors;
  }

  start(): void {
    this.#isWanted = true;
    const { program, parameters, variables, folder } = this.#command();
    const child = spawn(program, parameters, {
      cwd: folder,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const [...lines] = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        this.lines.push(line);
        this.#onLine(line);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = `${this.#errors}${text}`.slice(-4000);
    });
    child.once('error', (error) => {
      this.#errors += error.message;
    });
    child.once('exit', () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (!this.#isWanted) return;
      if (!this.#isKilled) this.ends.push(this.#errors.trim().split('\n').at(-1) ?? '');
      this.#isKilled = false;
      setTimeout(() => {
        if (this.#isWanted && this.#child === undefined) this.start();
      }, RESTART_MS).unref();
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Kills it. It is started again. */
  kill(): void {
    this.#isKilled = this.#child !== undefined;
    this.signal('SIGKILL');
  }

  /** Kills it for good, a process that is paused included. */
  async end(): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
