import { Fault, messageOf } from '@assay/core/fault';
import type { HttpResponse } from '../reader/http-reader.ts';
import { answerOf, isBusy } from '../reader/http-reader.ts';
import { isObject } from '@assay/core/wire/schema';
import { type EventMessage, EventParser } from './event-message.ts';
import { parseJson } from './log-answer.ts';
import { MAX_TIMER_MS, pause, type StopSignal, web } from './web.ts';

/** Opens a stream. The platform's `fetch` is told by `signal` to let go of it; any other may leave that be. */
export type OpenStream = (
  url: string,
  init: { readonly redirect: 'error' },
  signal: StopSignal,
) => Promise<HttpResponse>;

/** What a stream is read with. */
export interface ConnectionParts {
  /** The server, without a slash at the end. */
  readonly base: string;
  readonly fetch: OpenStream;
  readonly signal: StopSignal;
  /** Milliseconds without an event or a comment after which the server counts as away. */
  readonly maxSilenceMs: number;
  /** The query of the next connection: it says where the stream goes on. */
  readonly query: () => string;
}

const FIRST_RETRY_MS = 1000;
/** Whatever a server asks for, it is not called more often than this. */
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** Seconds of the longest pause that is accepted from a server that is busy. */
const MAX_PAUSE_S = 60;

/** Why nothing is awaited any longer. */
const SILENCE = new Error('silence');

/** The events of a server, from one connection after the other, until `signal` ends them. */
export class EventConnection {
  readonly #parts: ConnectionParts;
  #heardAt = 0;
  #retryMs = FIRST_RETRY_MS;
  #failures = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /**
   * Throws `unreachable` after `maxSilenceMs` in which it waited and no event or comment came, `refused` with the server's
   * reason for an answer that is no stream, and as `EventParser` does.
   */
  async *messages(): AsyncGenerator<EventMessage> {
    const { signal } = this.#parts;
    this.#heardAt = web.performance.now();
    while (!signal.aborted) {
      const connection = new web.AbortController();
      let wait: number;
      try {
        wait = yield* this.#connection(connection.signal);
      } finally {
        connection.abort();
      }
      if (signal.aborted) return;
      this.#requireHeard(undefined);
      await pause(wait, signal);
    }
  }

  /** The messages of one connection; the milliseconds after which to open the next. */
  async *#connection(signal: StopSignal): AsyncGenerator<EventMessage, number> {
    const { base, fetch, query } = this.#parts;
    const url = `${base}/events${query()}`;
    let response: HttpResponse | undefined;
    try {
      response = await this.#within(fetch(url, { redirect: 'error' }, signal), (late) => {
        late.body?.getReader().cancel().catch(ignore);
      });
    } catch (error) {
      this.#requireHeard(error);
      return this.#nextWait();
    }
    if (response === undefined) return 0;
    if (isBusy(response.status)) {
      await response.body?.getReader().cancel().catch(ignore);
      const named = /^[0-9]{1,9}$/.exec(response.headers.get('retry-after') ?? '')?.[0];
      return Math.max(Math.min(Number(named ?? 1), MAX_PAUSE_S) * 1000, this.#nextWait());
    }
    const type = response.headers.get('content-type') ?? 'no type';
    const isStream = response.status === 200 && /^text\/event-stream\s*(;|$)/i.test(type);
    if (isStream && response.body !== null) return yield* this.#read(response.body);
    throw await this.#refusedBy(response, url, type);
  }

  async *#read(body: NonNullable<HttpResponse['body']>): AsyncGenerator<EventMessage, number> {
    const reader = body.getReader();
    const parser = new EventParser();
    const openedAt = web.performance.now();
    try {
      for (;;) {
        let part;
        try {
          part = await this.#within(reader.read());
        } catch (error) {
          this.#requireHeard(error);
          return this.#nextWait();
        }
        if (part === undefined) return 0;
        if (part.done) return this.#nextWait();
        for (const message of parser.push(part.value ?? new Uint8Array(0))) {
          const { retryMs = FIRST_RETRY_MS } = message;
          this.#retryMs = Math.max(Math.min(retryMs, MAX_RETRY_MS), MIN_RETRY_MS);
          const isLasting = web.performance.now() - openedAt > MAX_RETRY_MS;
          if (isLasting || message.event !== '') this.#failures = 0;
          yield message;
          // The time that the caller takes for an event is not the server's silence.
          this.#heardAt = web.performance.now();
        }
      }
    } finally {
      await reader.cancel().catch(ignore);
    }
  }

  /** Longer after each failure. Half of it is up to chance, so that not all clients of a server come back at once. */
  #nextWait(): number {
    const wait = Math.min(this.#retryMs * 2 ** this.#failures, MAX_RETRY_MS);
    this.#failures += 1;
    return wait * (0.5 + Math.random() / 2);
  }

  #requireHeard(cause: unknown): void {
    const { base, maxSilenceMs } = this.#parts;
    const silentMs = web.performance.now() - this.#heardAt;
    if (cause !== SILENCE && silentMs < maxSilenceMs) return;
    throw new Fault('unreachable', 'event stream', {
      at: base,
      expected: `something within ${maxSilenceMs} ms`,
      found: cause === undefined ? 'nothing' : messageOf(cause),
      cause,
    });
  }

  /**
   * What is awaited; undefined where `signal` ends it. Rejects when the silence has lasted too long. What comes later
   * goes to `late`.
   */
  #within<T>(awaited: Promise<T>, late?: (value: T) => void): Promise<T | undefined> {
    const { signal, maxSilenceMs } = this.#parts;
    const left = Math.max(this.#heardAt + maxSilenceMs - web.performance.now(), 0);
    let isOver = false;
    return new Promise((resolve, reject) => {
      const stop = (): void => end(() => resolve(undefined));
      const end = (then: () => void): void => {
        isOver = true;
        web.clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        then();
      };
      const fail = (): void => end(() => reject(SILENCE));
      const timer = web.setTimeout(fail, Math.min(left, MAX_TIMER_MS));
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      awaited.then(
        (value) => (isOver ? late?.(value) : end(() => resolve(value))),
        (error: unknown) => end(() => reject(error as Error)),
      );
    });
  }

  /** The fault of an answer that is no stream. */
  async #refusedBy(response: HttpResponse, url: string, type: string): Promise<Fault> {
    let detail: unknown;
    try {
      const answer = await this.#within(answerOf(response, url));
      const value = answer === undefined ? null : parseJson(answer.body, url);
      detail = isObject(value) ? value['detail'] : undefined;
    } catch {
      // The status and the type say enough.
    }
    const found = `${response.status}: ${typeof detail === 'string' ? detail : type}`;
    return new Fault('refused', 'event stream', { at: url, expected: 'a stream', found });
  }
}

function ignore(): void {
  // A connection that fails while it is closed is closed.
}
