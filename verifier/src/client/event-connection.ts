import { Fault, messageOf } from '@assay/core/fault';
import type { Fetch, HttpResponse } from '../reader/http-reader.ts';
import { answerOf, isBusy } from '../reader/http-reader.ts';
import { isObject } from '@assay/core/wire/schema';
import { type EventMessage, EventParser } from './event-message.ts';
import { parseJson } from './log-answer.ts';
import { pause, type StopSignal, web } from './web.ts';

/** What a stream is read with. */
export interface ConnectionParts {
  /** The server, without a slash at the end. */
  readonly base: string;
  readonly fetch: Fetch;
  readonly signal: StopSignal | undefined;
  /** Milliseconds without a byte after which the server counts as away. */
  readonly maxSilenceMs: number;
  /** The query of the next connection: it says where the stream goes on. */
  readonly query: () => string;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** Seconds of the longest pause that is accepted from a server that is busy. */
const MAX_PAUSE_S = 60;

/** The events of a server, from one connection after the other, until `signal` ends them. */
export class EventConnection {
  readonly #parts: ConnectionParts;
  #heardAt = Date.now();
  #retryMs = FIRST_RETRY_MS;
  #failures = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /**
   * Throws `unreachable` after `maxSilenceMs` without a byte, `refused` with the server's reason for an answer that is no
   * stream, and as `EventParser` does.
   */
  async *messages(): AsyncGenerator<EventMessage> {
    const { signal } = this.#parts;
    this.#heardAt = Date.now();
    for (;;) {
      const wait = signal?.aborted === true ? 0 : yield* this.#connection();
      if (signal?.aborted === true) return;
      this.#requireHeard(undefined);
      await pause(wait, signal);
    }
  }

  /** The messages of one connection; the milliseconds after which to open the next. */
  async *#connection(): AsyncGenerator<EventMessage, number> {
    const { base, fetch, query } = this.#parts;
    const url = `${base}/events${query()}`;
    let response: HttpResponse | undefined;
    try {
      response = await this.#within(fetch(url, { redirect: 'error' }));
    } catch (error) {
      this.#requireHeard(error);
      return this.#nextWait();
    }
    if (response === undefined) return 0;
    if (isBusy(response.status)) {
      await response.body?.getReader().cancel();
      const named = /^[0-9]{1,9}$/.exec(response.headers.get('retry-after') ?? '')?.[0];
      return Math.max(Math.min(Number(named ?? 1), MAX_PAUSE_S) * 1000, this.#nextWait());
    }
    if (response.status !== 200 || response.body === null) throw await refusedBy(response, url);
    return yield* this.#read(response.body);
  }

  async *#read(body: NonNullable<HttpResponse['body']>): AsyncGenerator<EventMessage, number> {
    const reader = body.getReader();
    const parser = new EventParser();
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
        this.#heardAt = Date.now();
        this.#failures = 0;
        for (const message of parser.push(part.value ?? new Uint8Array(0))) {
          this.#retryMs = Math.min(message.retryMs ?? FIRST_RETRY_MS, MAX_RETRY_MS);
          yield message;
        }
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  #nextWait(): number {
    const wait = Math.min(this.#retryMs * 2 ** this.#failures, MAX_RETRY_MS);
    this.#failures += 1;
    return wait;
  }

  #requireHeard(cause: unknown): void {
    const { base, maxSilenceMs } = this.#parts;
    if (Date.now() - this.#heardAt < maxSilenceMs) return;
    throw new Fault('unreachable', 'event stream', {
      at: base,
      expected: `something within ${maxSilenceMs} ms`,
      found: cause === undefined ? 'nothing' : messageOf(cause),
      cause,
    });
  }

  /** What is awaited; undefined where `signal` ends it. Rejects when the silence has lasted too long. */
  #within<T>(awaited: Promise<T>): Promise<T | undefined> {
    const { signal, maxSilenceMs } = this.#parts;
    const left = Math.max(this.#heardAt + maxSilenceMs - Date.now(), 0);
    return new Promise((resolve, reject) => {
      const stop = (): void => end(() => resolve(undefined));
      const end = (then: () => void): void => {
        web.clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        then();
      };
      const timer = web.setTimeout(() => end(() => reject(new Error('silence'))), left);
      signal?.addEventListener('abort', stop);
      if (signal?.aborted === true) stop();
      awaited.then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error as Error)),
      );
    });
  }
}

/** The fault of an answer that is no stream. */
async function refusedBy(response: HttpResponse, url: string): Promise<Fault> {
  const { status, body } = await answerOf(response, url);
  let detail: unknown;
  try {
    const value = parseJson(body, url);
    detail = isObject(value) ? value['detail'] : undefined;
  } catch {
    // The status says enough.
  }
  const found = typeof detail === 'string' ? `${status}: ${detail}` : `status ${status}`;
  return new Fault('refused', 'event stream', { at: url, expected: 'a stream', found });
}
