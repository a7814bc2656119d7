import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Fault, messageOf } from '@assay/core/fault';
import { type TrustedProxies, clientKey, parseAddress } from './address.ts';
import { InFlight } from './in-flight.ts';
import type { Answer, Pipeline } from './pipeline.ts';
import { PROBLEM_TYPE } from './problem.ts';
import {
  BodyRefused,
  type Incoming,
  methodOf,
  type ReadableHeader,
  type StreamReply,
} from './request.ts';
import type { Match, Params } from './route.ts';
import {
  type HttpServer,
  type ListenAddress,
  type Listening,
  MAX_HEAD,
  SERVER_LIMITS,
  type ServerLimits,
  type ServerOptions,
} from './transport.ts';

interface Setting extends ServerLimits {
  readonly trusted: TrustedProxies;
  readonly flights: InFlight;
  readonly pending: WeakMap<Socket, Set<() => void>>;
  /** Cuts each stream without an end whose reader is waited for. */
  readonly stuck: Set<() => void>;
  closing: boolean;
}

/** The milliseconds that a connection may be silent between requests: longer than the 60 s of usual load balancers, which would otherwise send on one that ends. */
const KEEP_ALIVE_MS = 75_000;
/** The milliseconds that a head may take. */
const HEAD_MS = 10_000;
/** The milliseconds in which the rest of a refused body is read and discarded. */
const DISCARD_MS = 1000;

interface Target {
  readonly path: string;
  readonly query: string;
}

/** The path and query of a request target in origin form or absolute form (RFC 9112, 3.2). */
function targetOf(text: string): Target {
  const origin = text.startsWith('/') ? text : text.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = origin.indexOf('?');
  if (at < 0) return { path: origin === '' ? '/' : origin, query: '' };
  return { path: at === 0 ? '/' : origin.slice(0, at), query: origin.slice(at + 1) };
}

/**
 * What has to end when the connection of a response does. Node notifies only the response that is being sent,
 * not those that are pipelined after it.
 */
function pendingOn(socket: Socket, { pending }: Setting): Set<() => void> {
  const known = pending.get(socket);
  if (known !== undefined) return known;
  const ends = new Set<() => void>();
  pending.set(socket, ends);
  socket.once('close', () => {
    for (const end of ends) end();
  });
  return ends;
}

class Exchange implements Incoming {
  readonly method: Incoming['method'];
  readonly path: string;
  readonly query: string;
  readonly params: Params;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #setting: Setting;
  #body: Promise<Uint8Array> | undefined;
  #abort: AbortController | undefined;

  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    target: Target,
    params: Params,
    setting: Setting,
  ) {
    this.method = methodOf(message.method ?? '');
    this.path = target.path;
    this.query = target.query;
    this.params = params;
    this.#message = message;
    this.#response = response;
    this.#setting = setting;
    setting.flights.begin();
    const end = (): void => {
      if (!pending.delete(end)) return;
      setting.flights.end();
      if (!response.writableFinished) this.#abort?.abort();
    };
    const pending = pendingOn(message.socket, setting);
    pending.add(end);
    response.once('close', end);
  }

  get client(): string {
    const { remoteAddress = '' } = this.#message.socket;
    const hops = this.#message.headers['x-forwarded-for'] ?? '';
    return clientKey(
      parseAddress(remoteAddress),
      typeof hops === 'string' ? hops : hops.join(','),
      this.#setting.trusted,
    );
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#response.destroyed && !this.#response.writableFinished) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  header(name: ReadableHeader): string | undefined {
    const value = this.#message.headers[name];
    const text = typeof value === 'string' ? value : (value?.join(', ') ?? '');
    return text === '' ? undefined : text;
  }

  body(): Promise<Uint8Array> {
    this.#body ??= this.#collect();
    return this.#body;
  }

  #collect(): Promise<Uint8Array> {
    const message = this.#message;
    const { maxBody, bodyMs } = this.#setting;
    if (Number(this.header('content-length') ?? 0) > maxBody) {
      return Promise.reject(new BodyRefused('content_too_large'));
    }
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let size = 0;
      const settle = (error: BodyRefused | undefined): void => {
        clearTimeout(timer);
        message.off('data', take);
        if (error === undefined) resolve(Buffer.concat(parts));
        else reject(error);
      };
      const timer = setTimeout(() => {
        settle(new BodyRefused('request_timeout'));
      }, bodyMs);
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > maxBody) settle(new BodyRefused('content_too_large'));
        else parts.push(chunk);
      };
      message.on('data', take);
      message.once('end', () => {
        settle(undefined);
      });
      message.once('close', () => {
        settle(new BodyRefused('gone'));
      });
    });
  }

  async write(answer: Answer): Promise<void> {
    const response = this.#response;
    if (response.destroyed) return;
    const { reply, passage } = answer;
    const close = answer.close || this.#setting.closing;
    const flat: string[] = ['x-request-id', passage.requestId, ...passage.common.flat];
    if (passage.admitted !== undefined) flat.push(...passage.admitted.flat);
    for (const block of reply.blocks) flat.push(...block.flat);
    for (const [name, value] of reply.headers) flat.push(name, value);
    if (close) flat.push('connection', 'close');
    const isBodiless = reply.status === 204 || reply.status === 304;
    if (reply.kind === 'whole' && !isBodiless) {
      flat.push('content-length', String(Buffer.byteLength(reply.body)));
    } else if (reply.kind === 'stream' && reply.size !== undefined && !isBodiless) {
      flat.push('content-length', String(reply.size));
    }
    response.writeHead(reply.status, flat);
    if (reply.kind === 'whole') response.setTimeout(this.#setting.stallMs);
    if (isBodiless || this.method === 'HEAD') {
      response.end();
    } else if (reply.kind === 'stream') {
      await this.#stream(reply, answer);
    } else if (answer.close && !this.#message.complete) {
      response.write(reply.body);
      await this.#discard();
      response.end();
    } else {
      response.end(reply.body);
    }
  }

  /**
   * Continues to read for a while, because closing the connection while the peer sends can lose an answer that
   * it has not read.
   */
  async #discard(): Promise<void> {
    const message = this.#message;
    const { maxDiscard } = this.#setting;
    if (Number(this.header('content-length') ?? 0) > maxDiscard) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      let size = 0;
      timer = setTimeout(resolve, DISCARD_MS);
      message.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxDiscard) resolve();
      });
      message.once('end', resolve);
      message.once('close', resolve);
    });
    clearTimeout(timer);
  }

  async #stream(reply: StreamReply, answer: Answer): Promise<void> {
    const response = this.#response;
    const { stuck, stallMs } = this.#setting;
    let wake: (() => void) | undefined;
    const onFlow = (): void => wake?.();
    const cut = (): void => {
      response.destroy();
    };
    response.on('drain', onFlow);
    response.on('close', onFlow);
    try {
      let sent = 0;
      for await (const chunk of reply.chunks) {
        if (response.destroyed) return;
        sent += Buffer.byteLength(chunk);
        if (sent > (reply.size ?? sent))
          throw new TypeError('a stream is longer than its stated size');
        if (response.write(chunk)) continue;
        if (reply.filler !== undefined) {
          if (this.#setting.closing) cut();
          else stuck.add(cut);
        }
        if (response.destroyed) return;
        response.setTimeout(stallMs);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        stuck.delete(cut);
        if (response.destroyed) return;
        response.setTimeout(0);
      }
      if (sent !== (reply.size ?? sent))
        throw new TypeError('a stream is shorter than its stated size');
      response.end();
    } catch (error) {
      if (response.destroyed) return;
      answer.passage.broke(error);
      response.destroy();
    }
  }
}

/** What is not even HTTP gets a problem without a type of its own (RFC 9457, 4.2.1). */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  const body = JSON.stringify({
    type: 'about:blank',
    title: status.slice(4),
    status: Number(status.slice(0, 3)),
  });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${body.length}`,
  ];
  socket.end([...head, '', body].join('\r\n'));
}

function bind(server: Server, { host, port, isShared = false }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new Fault('bad_config', 'listen address', {
          expected: 'a free port of this machine',
          found: `${host} ${port}: ${messageOf(cause)}`,
          cause,
        }),
      );
    });
    server.listen({ port, host, exclusive: !isShared }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Serves the routes of `served` with Node's own server, for platforms without uWebSockets.js. */
export function nodeServer(served: Pipeline, options: ServerOptions = {}): HttpServer {
  const { maxBody } = { ...SERVER_LIMITS, ...options };

  /** A body is limited whether or not its route reads it. */
  function answerTo(
    match: Match,
    exchange: Exchange,
    { headers }: IncomingMessage,
  ): Answer | Promise<Answer> {
    if (headers['transfer-encoding'] !== undefined) return served.answerWithBody(match, exchange);
    return Number(headers['content-length'] ?? 0) > maxBody
      ? served.refuse(match, exchange, 'content_too_large')
      : served.answer(match, exchange);
  }

  async function listen(address: ListenAddress): Promise<Listening> {
    const setting: Setting = {
      ...SERVER_LIMITS,
      ...options,
      trusted: options.trustedProxies ?? [],
      flights: new InFlight(),
      pending: new WeakMap(),
      stuck: new Set(),
      closing: false,
    };
    async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
      const target = targetOf(message.url ?? '/');
      const match = served.match(target.path);
      const exchange = new Exchange(message, response, target, match.params, setting);
      const answer = answerTo(match, exchange, message);
      await exchange.write(answer instanceof Promise ? await answer : answer);
    }
    const server = createServer(
      {
        maxHeaderSize: MAX_HEAD,
        headersTimeout: HEAD_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: HEAD_MS + 2 * setting.bodyMs,
        connectionsCheckingInterval: 5000,
      },
      (message, response) => {
        void serve(message, response);
      },
    );
    server.on('clientError', onClientError);
    const port = await bind(server, address);

    async function shut(): Promise<void> {
      setting.closing = true;
      for (const cut of setting.stuck) cut();
      const stopped = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      await setting.flights.settled(setting.drainMs);
      server.closeAllConnections();
      await stopped;
    }
    let closed: Promise<void> | undefined;
    return {
      transport: 'node:http',
      port,
      inFlight: () => setting.flights.count,
      close: () => {
        closed ??= shut();
        return closed;
      },
    };
  }
  return { transport: 'node:http', listen };
}
