import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Fault } from '@assay/core/fault';
import type { Polled } from '../recounter/recounter-parts.ts';
import type { FromRecounter, RecounterSetting, ToRecounter } from './recounter-messages.ts';

const PROGRAM = fileURLToPath(new URL('./recounter-process.js', import.meta.url));

/** Milliseconds for a process to answer, and to end. */
const ANSWER_MS = 60_000;
const END_MS = 6000;

type Told<Kind extends FromRecounter['kind']> = Extract<FromRecounter, { readonly kind: Kind }>;

/** One process of a recounter, from its start to its end. */
export class RecounterChild {
  readonly #process: ChildProcess;
  #reason: string | undefined;
  /** The answer to the message under way, of which there is one at a time. */
  #answer: Promise<FromRecounter> | undefined;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;

  constructor(setting: RecounterSetting) {
    // Its messages for the operator go to the demo's own log.
    this.#process = fork(PROGRAM, [JSON.stringify(setting)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--max-semi-space-size=32', '--min-semi-space-size=16'],
    });
    this.ended = once(this.#process, 'exit').then(() => undefined);
    this.#process.on('message', (message) => {
      const told = message as FromRecounter;
      if (told.kind === 'failed') this.#reason = told.reason;
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether it is still running. */
  get lives(): boolean {
    const { exitCode, signalCode } = this.#process;
    return exitCode === null && signalCode === null;
  }

  opened(): Promise<Told<'opened'>> {
    return this.#next('opened');
  }

  begin(given: Omit<Extract<ToRecounter, { kind: 'begin' }>, 'kind'>): Promise<Told<'begun'>> {
    this.#tell({ kind: 'begin', ...given });
    return this.#next('begun');
  }

  tellOf(name: string, url: string): void {
    this.#tell({ kind: 'peer', name, url });
  }

  /** Makes it poll once, after what it is doing. */
  async follow(): Promise<Polled> {
    // An answer may be shared only with callers that asked before the poll began.
    while (this.#answer !== undefined) await this.#answer.catch(() => undefined);
    this.#tell({ kind: 'follow' });
    this.#answer = this.#next('followed').finally(() => {
      this.#answer = undefined;
    });
    return ((await this.#answer) as Told<'followed'>).looked;
  }

  /** Ends it in order, or kills it after a while. Resolves when it has ended. */
  async close(): Promise<void> {
    this.#tell({ kind: 'close' });
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), END_MS);
    await this.ended;
    clearTimeout(timer);
  }

  #tell(message: ToRecounter): void {
    // Nothing is sent to a process that has ended; whoever waits for its answer is informed of that.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  /** Its next message of a kind. Throws `stopped` if it ends before, and `timeout` if it does not answer. */
  #next<Kind extends FromRecounter['kind']>(kind: Kind): Promise<Told<Kind>> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#process.off('message', hear);
        this.#process.off('exit', gone);
      };
      const hear = (message: unknown): void => {
        const told = message as FromRecounter;
        if (told.kind !== kind) return;
        end();
        resolve(told as Told<Kind>);
      };
      const gone = (): void => {
        end();
        const found = this.#reason ?? 'it has ended';
        reject(new Fault('stopped', 'recounter', { at: `process ${this.pid}`, found }));
      };
      const timer = setTimeout(() => {
        end();
        const expected = `an answer within ${ANSWER_MS} ms`;
        reject(new Fault('timeout', 'recounter', { at: `process ${this.pid}`, expected }));
      }, ANSWER_MS);
      this.#process.on('message', hear);
      this.#process.on('exit', gone);
      if (!this.lives) gone();
    });
  }
}
