import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { logRow } from '@assay/core/view/log';
import type { Concern } from '../health/concern.ts';
import type { LogMirror } from '../mirror/log-mirror.ts';
import type { Clock } from '../platform/clock.ts';
import { FrameReader } from './follow-frame.ts';
import { FOLLOW_PATH } from './follow-route.ts';
import { parseWriterState, type WriterState } from './writer-state.ts';
import type { WriterClient } from './writer-client.ts';

/** Milliseconds without a word after which a connection counts as lost: the publisher speaks every second. */
const SILENT_MS = 5000;
/** Milliseconds between two attempts to reach a publisher: the first, and the most. */
const LEAST_RETRY_MS = 50;
const MOST_RETRY_MS = 2000;
/** Milliseconds between two looks at the status of a publisher that is followed without its token. */
const PUBLIC_STATE_MS = 5000;
/** Seconds without a word from the publisher after which `/status` says so. */
const AWAY_AFTER_S = 10;

export interface FollowedLogParts {
  readonly client: WriterClient;
  readonly mirror: LogMirror;
  /** The clock of this machine. */
  readonly now: Clock;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Milliseconds between two polls of a publisher that is followed without its token. */
  readonly pollMs: number;
  /** What such a publisher says of itself to anybody. */
  readonly publicState: () => Promise<WriterState>;
  /** Receives live scores. */
  readonly onTick: (of: string, data: object) => void;
}

/** A log that is followed from its publisher: each entry is checked before it is shown. */
export class FollowedLog {
  readonly #parts: FollowedLogParts;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #state: WriterState | undefined;
  /** Milliseconds of the process's clock at which the publisher was heard last, and when its state came. */
  #heardAt = performance.now();
  #stateAt = performance.now();
  /** Seconds of the publisher's clock in a second. It is 1 but on a development network. */
  #speed = 1;
  #trouble: Concern | undefined;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: FollowedLogParts) {
    this.#parts = parts;
  }

  get mirror(): LogMirror {
    return this.#parts.mirror;
  }

  /** What the publisher said of itself last; undefined before that. */
  get state(): WriterState | undefined {
    return this.#state;
  }

  /** Whether everything that the publisher sent was taken. */
  get isSound(): boolean {
    return this.#trouble === undefined;
  }

  /** Seconds since the publisher was heard. */
  get silentS(): number {
    return Math.floor((performance.now() - this.#heardAt) / 1000);
  }

  /** Resolves when the publisher has said what it is, and what it has published is held. */
  async ready(signal: AbortSignal): Promise<void> {
    const isReady = (): boolean =>
      this.#state !== undefined && (this.#state.size === 0 || this.mirror.published !== undefined);
    while (!isReady()) {
      signal.throwIfAborted();
      await Promise.race([
        new Promise<void>((resolve) => this.#waiting.push(resolve)),
        sleep(100, undefined, { signal }),
      ]);
    }
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** What is wrong with the publisher, as it says, and with following it. */
  readonly concerns = (): readonly Concern[] => {
    const found: Concern[] = [...(this.#state?.concerns ?? [])];
    if (this.#trouble !== undefined) found.push(this.#trouble);
    if (this.silentS >= AWAY_AFTER_S) {
      found.push({
        level: 'degraded',
        reason: `The publisher has not been reached from here for ${this.silentS} s: what it published since is not shown.`,
      });
    }
    return found;
  };

  /** The clock of the log: that of this machine, or on a development network the publisher's. */
  readonly now: Clock = () => {
    const state = this.#state;
    if (state === undefined || logRow(this.mirror.shown)?.network !== 'development') {
      return this.#parts.now();
    }
    const passed = (performance.now() - this.#stateAt) / 1000;
    return Math.floor(state.now + passed * this.#speed);
  };

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let retryMs = LEAST_RETRY_MS;
    while (!signal.aborted) {
      const begun = performance.now();
      try {
        if (this.#parts.client.place.token === undefined) await this.#poll(signal);
        else await this.#stream(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.log.warn({ reason: messageOf(error) }, 'the publisher cannot be followed');
        this.#note(error);
      }
      retryMs = performance.now() - begun > SILENT_MS ? LEAST_RETRY_MS : retryMs * 2;
      retryMs = Math.min(retryMs, MOST_RETRY_MS);
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Polls until everything that is published is held. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const followed = await this.mirror.follow(signal);
    switch (followed.kind) {
      case 'followed':
        this.#trouble = undefined;
        this.#heard();
        return;
      case 'behind':
        throw new Fault('ledger_behind', 'publisher', {
          expected: `${followed.size} entries or more`,
          found: `${followed.head}`,
        });
      case 'forked':
        throw new Fault('ledger_differs', 'publisher', {
          expected: 'one history',
          found: 'two, both signed',
        });
      case 'unwitnessed':
      case 'full':
        throw new Fault('stopped', 'publisher', { found: followed.kind });
    }
  }

  /** What keeps an entry from being shown is said in `/status`; that nobody answered is said after a while. */
  #note(error: unknown): void {
    const code = faultCode(error);
    if (code === 'unreachable' || code === 'timeout') return;
    this.#trouble = {
      level: 'degraded',
      reason: `What the publisher sends is not taken: ${code ?? 'it cannot be read'}. What is shown here is what was taken before.`,
    };
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const { client, mirror } = this.#parts;
    const cut = new AbortController();
    const stop = (): void => cut.abort();
    signal.addEventListener('abort', stop, { once: true });
    let silent = setTimeout(stop, SILENT_MS);
    try {
      const target = `${FOLLOW_PATH}?from=${mirror.size}`;
      const answer = await client.send({ method: 'GET', target, signal: cut.signal });
      if (answer.status !== 200) {
        throw new Fault('unreachable', 'publisher', { found: `status ${answer.status}` });
      }
      const frames = new FrameReader();
      for await (const chunk of answer.chunks()) {
        clearTimeout(silent);
        silent = setTimeout(stop, SILENT_MS);
        for (const frame of frames.push(chunk)) {
          switch (frame.kind) {
            case 'state':
              this.#take(parseWriterState(frame.state));
              break;
            case 'tick':
              this.#parts.onTick(frame.of, frame.data);
              break;
            case 'far':
              await this.#catchUp(signal);
              return;
            case 'head':
              if (!(await mirror.take(frame.note, frame.start, frame.entries))) {
                await this.#catchUp(signal);
                // What came meanwhile is not what the publisher believes this reader to have.
                return;
              }
              // What was not taken before is over once the publisher continues what is held here.
              this.#trouble = undefined;
          }
        }
        this.#heard();
      }
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault('unreachable', 'publisher', { found: 'a connection that was cut' });
    } finally {
      clearTimeout(silent);
      signal.removeEventListener('abort', stop);
      cut.abort();
    }
  }

  /** Follows a publisher as anybody can: by its checkpoint. */
  async #poll(signal: AbortSignal): Promise<void> {
    await this.#catchUp(signal);
    for (;;) {
      if (this.#state === undefined || performance.now() - this.#stateAt >= PUBLIC_STATE_MS) {
        this.#take(await this.#parts.publicState());
        this.#heard();
      }
      await sleep(this.#parts.pollMs, undefined, { signal });
      await this.#catchUp(signal);
    }
  }

  #take(state: WriterState): void {
    const before = this.#state;
    const passed = (performance.now() - this.#stateAt) / 1000;
    if (before !== undefined && passed > 0.1) {
      this.#speed = Math.max(0, (state.now - before.now) / passed);
    }
    this.#state = state;
    this.#stateAt = performance.now();
  }

  #heard(): void {
    this.#heardAt = performance.now();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
