import { Agent as PlainAgent, type IncomingMessage, request as requestPlain } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import { Fault } from '@assay/core/fault';
import type { HeaderList } from '../http/header.ts';
import { errorCode } from '../platform/durable-file.ts';
import { readerHeader, READER_HEADER } from './reader-gate.ts';

/** How a publisher is reached from a process that follows it. */
export interface WriterPlace {
  /** Its address for readers, or its public address where there is no token; without a slash at its end. */
  readonly url: string;
  /** The token of its address for readers; undefined to be a reader like any other. */
  readonly token: string | undefined;
}

export interface WriterRequest {
  readonly method: string;
  /** The path with its query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The address of the client for whom it is asked; undefined for the reader's own requests. */
  readonly client?: string | undefined;
  /** Whether it is for a client, whatever its address is. */
  readonly isPassed?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface WriterAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderList;
  /** The bytes of the body, if they are known. */
  readonly size: number | undefined;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

const TITLE = 'publisher';
/** Connections at a time. What is more waits for one of them. */
const MOST_SOCKETS = 64;
/** Requests at a time, those that wait included. What is more is refused. */
const MOST_REQUESTS = 512;
/** Milliseconds until the head of an answer: a payment may take that long to be settled. */
const HEAD_MS = 30_000;
/** Milliseconds in which an answer that has begun brings nothing before it is cut. */
const STALL_MS = 15_000;
/** Milliseconds for which an unused connection is kept: less than either transport keeps its end. */
const IDLE_MS = 4000;

/** Asks a publisher, over connections that are kept. */
export class WriterClient {
  readonly place: WriterPlace;
  readonly #base: URL;
  readonly #agent: PlainAgent | SecureAgent;
  #open = 0;

  constructor(place: WriterPlace) {
    this.place = place;
    this.#base = new URL(place.url);
    const options = { keepAlive: true, maxSockets: MOST_SOCKETS, timeout: IDLE_MS };
    this.#agent =
      this.#base.protocol === 'https:' ? new SecureAgent(options) : new PlainAgent(options);
  }

  /**
   * The answer to a request, whatever its status is. A GET is sent again, once, where a kept connection turns out to be
   * closed. Throws `unreachable`, `timeout`, and `busy` where as many requests are under way as may be.
   */
  async send(asked: WriterRequest): Promise<WriterAnswer> {
    if (this.#open >= MOST_REQUESTS) {
      throw new Fault('unreachable', TITLE, { found: `${this.#open} requests under way` });
    }
    this.#open += 1;
    let ended = false;
    const end = (): void => {
      if (!ended) this.#open -= 1;
      ended = true;
    };
    try {
      const message = await this.#sendAgain(asked);
      message.once('close', end);
      return answerOf(message);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #sendAgain(asked: WriterRequest): Promise<IncomingMessage> {
    const reused = { value: false };
    try {
      return await this.#sendOnce(asked, reused);
    } catch (error) {
      const isSafe = asked.method === 'GET' || asked.method === 'HEAD';
      if (!reused.value || !isSafe || asked.signal?.aborted === true) throw error;
      return this.#sendOnce(asked, { value: false });
    }
  }

  #sendOnce(asked: WriterRequest, reused: { value: boolean }): Promise<IncomingMessage> {
    const { method, target, body, signal } = asked;
    const send = this.#base.protocol === 'https:' ? requestSecure : requestPlain;
    return new Promise((resolve, reject) => {
      const outgoing = send(
        new URL(this.#base.pathname.replace(/\/$/, '') + target, this.#base),
        { method, agent: this.#agent, headers: this.#headers(asked), signal },
        resolve,
      );
      outgoing.setTimeout(HEAD_MS, () => {
        outgoing.destroy(new Fault('timeout', TITLE, { at: target.split('?', 1)[0] ?? '' }));
      });
      outgoing.once('error', (error) => {
        reused.value = outgoing.reusedSocket;
        if (error instanceof Fault) reject(error);
        else reject(new Fault('unreachable', TITLE, { found: errorCode(error) ?? 'no answer' }));
      });
      outgoing.end(body);
    });
  }

  #headers({ headers, body, client, isPassed = false }: WriterRequest): Record<string, string> {
    const { token } = this.place;
    return {
      'accept-encoding': 'identity',
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      ...(token === undefined
        ? {}
        : { [READER_HEADER]: readerHeader(token, isPassed ? 'client' : 'itself') }),
      ...(token === undefined || client === undefined ? {} : { 'x-forwarded-for': client }),
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

function answerOf(message: IncomingMessage): WriterAnswer {
  const headers: (readonly [string, string])[] = [];
  for (let i = 0; i < message.rawHeaders.length; i += 2) {
    headers.push([
      (message.rawHeaders[i] as string).toLowerCase(),
      message.rawHeaders[i + 1] as string,
    ]);
  }
  const length = message.headers['content-length'];
  message.setTimeout(STALL_MS, () => message.destroy());
  return {
    status: message.statusCode ?? 0,
    headers,
    size: length === undefined ? undefined : Number(length),
    chunks: () => message,
  };
}

/** The whole body of an answer. Throws `too_large`, and `unreachable` where it ends too early. */
export async function bodyOf(answer: WriterAnswer, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of answer.chunks()) {
      length += part.length;
      if (length > most) throw new Fault('too_large', TITLE, { expected: `${most} bytes` });
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('unreachable', TITLE, { found: 'an answer that was cut' });
  }
  return new Uint8Array(Buffer.concat(parts));
}
