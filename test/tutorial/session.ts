import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { begins } from './compare.ts';

type Environment = Readonly<Record<string, string>>;

/** What a command printed on both its outputs, and how it ended. */
export interface Ran {
  readonly output: string;
  readonly code: number;
}

/** Milliseconds after a request to end, after which a process is killed. */
const END_MS = 20_000;

/** What stands around a command's exit code and folder, and in no output. */
const MARK = '<<<ended>>>';

/** Starts bash as the first process of a group of its own. */
function start(args: readonly string[], folder: string, environment: Environment): ChildProcess {
  return spawn('bash', ['--noprofile', '--norc', ...args], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch (error) {
    // The whole group has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  signal(child, 'SIGTERM');
  const timer = setTimeout(() => signal(child, 'SIGKILL'), END_MS);
  await closed;
  clearTimeout(timer);
}

/** A terminal: what one command changes, such as its folder, the next one finds. */
export class Session {
  readonly #bash: ChildProcess;
  #heard = '';
  #folder: string;

  constructor(folder: string, environment: Environment) {
    this.#folder = folder;
    this.#bash = start([], folder, environment);
    const hear = (chunk: Buffer): void => void (this.#heard += chunk.toString('utf8'));
    this.#bash.stdout?.on('data', hear);
    this.#bash.stderr?.on('data', hear);
  }

  /** The folder in which the next command begins. */
  get folder(): string {
    return this.#folder;
  }

  /** Runs a command to its end, or throws after `timeoutMs`. */
  async run(command: string, timeoutMs: number): Promise<Ran> {
    this.#heard = '';
    const quoted = `'${command.replaceAll("'", `'\\''`)}'`;
    this.#bash.stdin?.write(
      `eval ${quoted} </dev/null 2>&1\n_ended=$?; printf '${MARK}%s %s${MARK}' "$_ended" "$PWD"; (exit "$_ended")\n`,
    );
    const until = Date.now() + timeoutMs;
    for (;;) {
      const [output = '', ended = '', rest] = this.#heard.split(MARK);
      if (rest !== undefined) {
        this.#folder = ended.slice(ended.indexOf(' ') + 1);
        return { output, code: Number.parseInt(ended, 10) };
      }
      if (this.#bash.exitCode !== null) throw new Error(`the shell ended: ${this.#heard}`);
      if (Date.now() > until)
        throw new Error(`not done after ${timeoutMs / 1000} s: ${this.#heard}`);
      await sleep(20);
    }
  }

  close(): Promise<void> {
    this.#bash.stdin?.end();
    return end(this.#bash);
  }
}

/** A command in another terminal, which runs until it is stopped. */
export class Service {
  readonly #child: ChildProcess;
  #heard = '';

  constructor(command: string, folder: string, environment: Environment) {
    this.#child = start(['-c', command], folder, environment);
    const hear = (chunk: Buffer): void => void (this.#heard += chunk.toString('utf8'));
    this.#child.stdout?.on('data', hear);
    this.#child.stderr?.on('data', hear);
  }

  /** What it has printed so far. */
  get output(): string {
    return this.#heard;
  }

  /** Whether it has begun to print `expected` within `timeoutMs`; `shown` turns its output into what a page shows. */
  async prints(
    expected: readonly string[],
    shown: (output: string) => string,
    timeoutMs: number,
  ): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    while (!begins(expected, shown(this.#heard))) {
      if (this.#child.exitCode !== null || Date.now() > until) return false;
      await sleep(50);
    }
    return true;
  }

  stop(): Promise<void> {
    return end(this.#child);
  }
}
