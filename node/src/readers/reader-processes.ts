import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import { freePort } from './free-port.ts';
import type { FromReader, ReaderFigures, ReaderSetting, ToReader } from './reader-messages.ts';

/** Milliseconds until a reader that has ended is started again: the first time, and the most. */
const LEAST_WAIT_MS = 100;
const MOST_WAIT_MS = 10_000;
/** A reader that answered for so many milliseconds begins with the first again. */
const STEADY_MS = 30_000;
/** Milliseconds for a reader to end before it is killed. */
const END_MS = 6500;
/** A reader gives its figures every second: one that has given none for so many milliseconds does not answer. */
const HUNG_MS = 15_000;
/** Milliseconds that a start waits for the first reader. */
const FIRST_MS = 60_000;

export interface ReaderProcessesOptions {
  readonly count: number;
  /** The program of a reader's process. */
  readonly program: string;
  readonly host: string;
  /** Where all of them listen; with 0 any free port is taken. */
  readonly port: number;
  /** What the reader of a number, from 1, is told. */
  readonly settingOf: (number: number, port: number) => ReaderSetting;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** What is known of one reader. */
export interface ReaderStatus {
  readonly number: number;
  /** Undefined while it does not run. */
  readonly pid: number | undefined;
  /** Whether it answers, as far as it was heard of lately. */
  readonly listens: boolean;
  /** How often it was started again. */
  readonly restarts: number;
  readonly figures: ReaderFigures | undefined;
}

/** A reader's process, which is started again when it ends. */
class ReaderSlot {
  readonly number: number;
  readonly #options: ReaderProcessesOptions;
  readonly #port: number;
  readonly #onListening: () => void;
  #worker: Worker | undefined;
  #listens = false;
  #restarts = -1;
  #figures: ReaderFigures | undefined;
  /** When it last said something, by `performance.now()`. */
  #heardAt = 0;
  #reason: string | undefined;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    number: number,
    options: ReaderProcessesOptions,
    port: number,
    onListening: () => void,
  ) {
    this.number = number;
    this.#options = options;
    this.#port = port;
    this.#onListening = onListening;
  }

  get status(): ReaderStatus {
    return {
      number: this.number,
      pid: this.#worker?.process.pid,
      listens: this.#listens && performance.now() - this.#heardAt < HUNG_MS,
      restarts: Math.max(0, this.#restarts),
      figures: this.#figures,
    };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { log } = this.#options;
    let waitMs = LEAST_WAIT_MS;
    while (!signal.aborted) {
      const begun = performance.now();
      this.#restarts += 1;
      this.#reason = undefined;
      const code = await this.#runOnce(signal);
      this.#listens = false;
      this.#worker = undefined;
      this.#figures = undefined;
      if (signal.aborted) return;
      waitMs = performance.now() - begun > STEADY_MS ? LEAST_WAIT_MS : waitMs;
      log.error(
        { reader: this.number, code, reason: this.#reason, waitMs },
        'a reader has ended and is started again',
      );
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
    }
  }

  /** Resolves when the process has ended, to its exit code or its signal. */
  async #runOnce(signal: AbortSignal): Promise<unknown> {
    const { program, settingOf } = this.#options;
    // Both hold for the whole process, and each start sets them: workers take connections themselves.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      exec: program,
      args: [],
      execArgv: ['--max-semi-space-size=32', '--enable-source-maps'],
      silent: false,
    });
    const worker = cluster.fork();
    this.#worker = worker;
    const end = (): void => {
      tell(worker, { kind: 'stop' });
      const timer = setTimeout(() => worker.process.kill('SIGKILL'), END_MS);
      worker.process.once('exit', () => clearTimeout(timer));
    };
    worker.on('message', (message: FromReader) => {
      if (message.kind !== 'loaded') this.#hear(message);
      else tell(worker, { kind: 'start', setting: settingOf(this.number, this.#port) });
    });
    worker.on('error', (error: unknown) => {
      this.#reason = messageOf(error);
    });
    const ended = once(worker, 'exit') as Promise<[number | null, string | null]>;
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const [code, by] = await ended;
    signal.removeEventListener('abort', end);
    return by ?? code;
  }

  #hear(message: Exclude<FromReader, { readonly kind: 'loaded' }>): void {
    switch (message.kind) {
      case 'listening':
        this.#listens = true;
        this.#heardAt = performance.now();
        this.#options.log.info(
          { reader: this.number, port: message.port, transport: message.transport },
          'a reader answers',
        );
        this.#onListening();
        return;
      case 'failed':
        this.#reason = message.reason;
        return;
      case 'figures':
        this.#figures = message;
        this.#heardAt = performance.now();
    }
  }
}

function tell(worker: Worker, message: ToReader): void {
  // Nothing is sent to a process that has ended.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/**
 * Readers in processes of their own on this machine, which share a port. With uWebSockets.js each listens there itself
 * and the kernel deals out the connections (SO_REUSEPORT, on Linux); with node:http they take them from one socket. They
 * are started again when they end, and end with this process.
 */
export class ReaderProcesses implements Service {
  readonly stops = 'before';
  readonly #options: ReaderProcessesOptions;
  #slots: readonly ReaderSlot[] = [];

  constructor(options: ReaderProcessesOptions) {
    this.#options = options;
  }

  /** What is known of each of them. */
  get status(): readonly ReaderStatus[] {
    return this.#slots.map(({ status }) => status);
  }

  /**
   * Starts them, and resolves to their port once the first of them answers, or after a while: then they are still being
   * started. Throws `bad_config` if the address cannot be used.
   */
  async open(): Promise<number> {
    const { count, host, log } = this.#options;
    const port = await freePort({ host, port: this.#options.port });
    let first: () => void = () => undefined;
    const listening = new Promise<void>((resolve) => {
      first = resolve;
    });
    this.#slots = Array.from(
      { length: count },
      (_, i) => new ReaderSlot(i + 1, this.#options, port, first),
    );
    for (const slot of this.#slots) slot.start();
    const late = sleep(FIRST_MS, 'late' as const, { ref: false });
    if ((await Promise.race([listening, late])) === 'late') {
      log.warn({ port }, 'no reader answers yet');
    }
    return port;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.stop()));
  }

  concerns(): readonly Concern[] {
    const away = this.status.filter(({ listens }) => !listens).length;
    if (away === 0) return [];
    const of = this.#slots.length;
    return [
      { level: 'degraded', reason: `Of the ${of} readers of this machine, ${away} do not answer.` },
    ];
  }
}
