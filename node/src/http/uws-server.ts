import { STATUS_CODES } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Fault } from '@assay/core/fault';
import { type TrustedProxies, clientKey, readAddress } from './address.ts';
import { HeadBuffer } from './head-buffer.ts';
import { InFlight } from './in-flight.ts';
import type { Answer, Pipeline } from './pipeline.ts';
import {
  BodyRefused,
  type Incoming,
  methodOf,
  READABLE_HEADERS,
  type ReadableHeader,
  type StreamReply,
} from './request.ts';
import type { Match, Params } from './route.ts';
import {
  type HttpServer,
  type ListenAddress,
  type Listening,
  SERVER_LIMITS,
  type ServerLimits,
  type ServerOptions,
} from './transport.ts';
import type { Uws, UwsListenToken, UwsRequest, UwsResponse } from './uws.ts';

const STATUS_LINES: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([code, words]) => [Number(code), `${code} ${words ?? ''}`]),
);

/** The library's default: SO_REUSEPORT is set before it binds. */
const SHARED_PORT = 0;

/** After how many bytes of a stream the others get their turn, even if its reader would take more. */
const STREAM_TURN = 256 * 1024;

const TOO_MANY = 429;

/** Names as bytes, which the library takes in half the time of texts: it would encode those at each call. */
const NAMES: ReadonlyMap<string, ArrayBuffer> = new Map(
  [...READABLE_HEADERS, 'transfer-encoding', 'x-request-id'].map((name) => [
    name,
    Uint8Array.from(Buffer.from(name)).buffer,
  ]),
);
const CONTENT_LENGTH = nameOf('content-length');
const TRANSFER_ENCODING = nameOf('transfer-encoding');
const REQUEST_ID = nameOf('x-request-id');

function nameOf(name: string): ArrayBuffer {
  return NAMES.get(name) as ArrayBuffer;
}

/** The head that is being written: the library copies it at once. */
const head = new HeadBuffer();

interface Setting extends ServerLimits {
  readonly trusted: TrustedProxies;
  readonly flights: InFlight;
  /** The keys of IPv4 peers by their 32 bits, so that the text of a client's key is made once. */
  readonly keys: Map<number, string>;
  /** Cuts each stream without an end whose reader is waited for. */
  readonly stuck: Set<() => void>;
  closing: boolean;
}

/** For how many clients the keys are remembered. */
const MAX_KEYS = 10_000;

/** The part of an exchange that is kept when it outlives the handler. */
interface Kept {
  readonly headers: ReadonlyMap<ReadableHeader, string>;
  readonly query: string;
  readonly client: string;
}

/**
 * One request and its answer. Only this class deals with the requirements of uWebSockets.js: the request may be
 * read only until the handler returns, the response may be used only until it has ended or was aborted, and
 * what is written outside a handler is written inside `cork`.
 */
class Exchange implements Incoming {
  readonly method: Incoming['method'];
  readonly path: string;
  readonly params: Params;
  readonly #response: UwsResponse;
  readonly #setting: Setting;
  /** Readable until the handler returns, `undefined` after that. */
  #request: UwsRequest | undefined;
  /** Set if the exchange continues after the handler: it is counted, and watched for an abort. */
  #kept: Kept | undefined = undefined;
  #body: Collected | undefined = undefined;
  #abort: AbortController | undefined = undefined;
  #wake: (() => void) | undefined = undefined;
  #stall: NodeJS.Timeout | undefined = undefined;
  /** How many bytes of the body are out, as the library reported when the socket took more. */
  #offset = 0;
  #isPaused = false;
  #aborted = false;
  #ended = false;

  constructor(
    method: Incoming['method'],
    response: UwsResponse,
    request: UwsRequest,
    path: string,
    params: Params,
    setting: Setting,
  ) {
    this.method = method;
    this.path = path;
    this.params = params;
    this.#response = response;
    this.#request = request;
    this.#setting = setting;
  }

  get query(): string {
    return this.#request === undefined
      ? (this.#kept?.query ?? '')
      : (this.#request.getQuery() ?? '');
  }

  get client(): string {
    return this.#request === undefined
      ? (this.#kept?.client ?? '')
      : readClient(this.#response, this.#request, this.#setting);
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#resume();
      this.#abort = new AbortController();
      if (this.#aborted) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  header(name: ReadableHeader): string | undefined {
    if (this.#request === undefined) return this.#kept?.headers.get(name);
    const value = headerOf(this.#request, name);
    return value === '' ? undefined : value;
  }

  body(): Promise<Uint8Array> {
    this.#body ??= collectBody(this.#response, this.#request, this.#setting);
    return this.#body.bytes;
  }

  /** Writes within the handler, which is corked already. */
  writeNow(answer: Answer): void {
    if (this.method === 'HEAD' && answer.reply.status === TOO_MANY) {
      void this.#refuseHead(answer);
      return;
    }
    this.#write(answer);
    if (this.#ended) this.#request = undefined;
    else this.#detach();
  }

  async writeLater(promised: Promise<Answer>): Promise<void> {
    this.#detach();
    this.#pause();
    const answer = await promised;
    if (this.#aborted) return;
    this.#resume();
    this.#response.cork(() => {
      this.#write(answer);
    });
  }

  /**
   * A head without a body is buffered for its reader whether or not he takes it, and the library does not
   * report that it waits. A quota limits those that are admitted; a refused one ends the connection.
   */
  async #refuseHead(answer: Answer): Promise<void> {
    this.#detach();
    await setImmediate(); // the parser cuts off whoever pipelines behind it
    if (this.#aborted) return;
    this.#response.cork(() => {
      this.#write(answer);
    });
    this.#response.close();
  }

  /** Copies what may still be read, collects the body, and watches for the client to leave. */
  #detach(): void {
    const request = this.#request;
    if (request === undefined) return;
    this.body().catch(ignore); // a handler need not read it
    const headers = new Map<ReadableHeader, string>();
    for (const name of READABLE_HEADERS) {
      const value = headerOf(request, name);
      if (value !== '') headers.set(name, value);
    }
    this.#kept = { headers, query: this.query, client: this.client };
    this.#request = undefined;
    this.#setting.flights.begin();
    this.#response.onAborted(() => {
      this.#aborted = true;
      this.#body?.refuse(new BodyRefused('gone'));
      this.#abort?.abort();
      this.#wake?.();
      this.#finish();
    });
  }

  /**
   * Leaves what comes after a pending answer to the socket, because the library would cut the connection. It
   * does so anyway if that came in one piece with the request, which nobody can prevent; its sender has to ask
   * again (RFC 9112, 9.3.2).
   */
  #pause(): void {
    if (this.#isPaused || this.#aborted || this.#ended) return;
    if (this.#body?.isWhole !== true || this.#abort !== undefined) return;
    this.#isPaused = true;
    this.#response.pause();
  }

  #resume(): void {
    if (!this.#isPaused || this.#aborted || this.#ended) return;
    this.#isPaused = false;
    this.#response.resume();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#body?.stop();
    clearTimeout(this.#stall);
    if (this.#kept !== undefined) this.#setting.flights.end();
  }

  #mustClose(answer: Answer): boolean {
    if (this.#setting.closing) return true;
    if (!answer.close) return false;
    // The parser skips a refused body of a known length that is not too great, and its sender can read the
    // refusal. Closing the connection while it sends could lose that.
    const length = this.header('content-length');
    const isSkipped = answer.reply.status === 413 && length !== undefined;
    return !isSkipped || Number(length) > this.#setting.maxDiscard;
  }

  #write(answer: Answer): void {
    const { reply, passage } = answer;
    const response = this.#response;
    const { status } = reply;
    const close = this.#mustClose(answer);
    if (status !== 200) response.writeStatus(STATUS_LINES.get(status) ?? String(status));
    // One call for all headers, because a call costs more than the bytes. Every value was checked for line
    // breaks when its block was made or its reply accepted.
    head.clear();
    passage.addIdTo(head);
    passage.common.addTo(head);
    passage.admitted?.addTo(head);
    for (const block of reply.blocks) block.addTo(head);
    for (const [name, value] of reply.headers) head.addText(`\r\n${name}: ${value}`);
    response.writeHeader(REQUEST_ID, head.view);

    if (this.method === 'HEAD' || status === 204 || status === 304) {
      this.#endBodiless(answer, close);
    } else if (reply.kind === 'stream') {
      void this.#stream(reply, answer, reply.size);
    } else if (close) {
      response.end(reply.body, true); // only `end` can close
      this.#finish();
    } else {
      this.#offer(reply.body);
    }
  }

  #endBodiless(answer: Answer, close: boolean): void {
    const { reply } = answer;
    if (this.method === 'HEAD' && reply.kind === 'whole' && reply.status === TOO_MANY) {
      this.#response.writeHeader('connection', 'close');
      this.#response.tryEnd('', Buffer.byteLength(reply.body)); // the head: its caller closes
      return;
    }
    if (close && answer.close) {
      this.#response.end('', true); // only `end` can close; its length of 0 does not match the refused body
    } else {
      const length = reply.kind === 'whole' ? Buffer.byteLength(reply.body) : reply.size;
      if (this.method === 'HEAD' && length !== undefined && ![204, 304].includes(reply.status)) {
        this.#response.writeHeader('content-length', String(length));
      }
      this.#response.endWithoutBody();
    }
    this.#finish();
  }

  /** Disconnects a reader that takes nothing for too long, because the library would wait for ever. */
  #awaitReader(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      this.#response.close();
    }, this.#setting.stallMs);
  }

  /**
   * Hands over as much of `body` as the reader takes, and the rest as it takes more. Until then the answer is
   * pending, and the library disconnects whoever pipelines after it, so that nobody can accumulate answers by
   * not reading them.
   */
  #offer(body: Uint8Array | string): void {
    const response = this.#response;
    const total = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const [, done] = response.tryEnd(body, total);
    if (done) {
      this.#finish();
      return;
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.#awaitReader();
    response.onWritable((offset) => {
      const [ok, isDone] = response.tryEnd(bytes.subarray(offset), total);
      if (isDone) this.#finish();
      else this.#awaitReader();
      return ok;
    });
  }

  /** Resolves when the reader takes more, and when it has left. */
  async #writable(): Promise<void> {
    this.#awaitReader();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    clearTimeout(this.#stall);
  }

  /** The same for a stream without an end, which is cut where the server closes meanwhile. */
  async #writableUnlessClosing(): Promise<void> {
    const { stuck, closing } = this.#setting;
    const cut = (): void => {
      this.#response.close();
    };
    if (closing) {
      cut();
      return;
    }
    stuck.add(cut);
    await this.#writable();
    stuck.delete(cut);
  }

  /** A stream of known length. The library buffers nothing that the reader does not take. */
  async #streamSized({ chunks }: StreamReply, size: number): Promise<void> {
    const response = this.#response;
    let sent = 0;
    let isDone = false;
    const offer = (bytes: Uint8Array): boolean => {
      let flows = true;
      this.#resume();
      response.cork(() => {
        [flows, isDone] = response.tryEnd(bytes, size);
      });
      if (isDone) this.#finish();
      else if (flows) this.#pause();
      return flows || isDone;
    };
    this.#pause();
    for await (const chunk of chunks) {
      if (this.#aborted) return;
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (bytes.length === 0) continue;
      if (sent + bytes.length > size)
        throw new TypeError('a stream is longer than its stated size');
      let rest = bytes;
      while (rest.length > 0 && !offer(rest)) {
        await this.#writable();
        if (this.#aborted) return;
        rest = bytes.subarray(this.#offset - sent);
      }
      sent += bytes.length;
    }
    if (this.#aborted || isDone) return;
    if (sent !== size) throw new TypeError('a stream is shorter than its stated size');
    offer(new Uint8Array());
  }

  /** Whether the reader takes more. */
  #writeChunk(chunk: Uint8Array | string): boolean {
    let flows = true;
    this.#response.cork(() => {
      flows = this.#response.write(chunk);
    });
    return flows;
  }

  async #stream(reply: StreamReply, answer: Answer, size: number | undefined): Promise<void> {
    const response = this.#response;
    response.onWritable((offset) => {
      this.#offset = offset;
      this.#wake?.();
      return true;
    });
    try {
      if (size !== undefined) {
        await this.#streamSized(reply, size);
        return;
      }
      let inTurn = 0;
      for await (const chunk of reply.chunks) {
        inTurn += chunk.length;
        if (inTurn > STREAM_TURN) {
          inTurn = 0;
          await setImmediate();
        }
        if (this.#aborted) return;
        let next: Uint8Array | string | undefined = chunk;
        while (next !== undefined && !this.#writeChunk(next)) {
          await (reply.filler === undefined ? this.#writable() : this.#writableUnlessClosing());
          if (this.#aborted) return;
          next = reply.filler; // the library sends what is buffered with the next write, and not before
        }
      }
      if (this.#aborted) return;
      response.cork(() => {
        response.end('', this.#setting.closing);
      });
      this.#finish();
    } catch (error) {
      if (this.#aborted) return;
      answer.passage.broke(error);
      response.close(); // cut, so that nobody mistakes the part for the whole
    }
  }
}

interface Collected {
  readonly bytes: Promise<Uint8Array>;
  /** There is no body, so that nothing of this request is still to be read. */
  readonly isWhole: boolean;
  refuse(error: BodyRefused): void;
  stop(): void;
}

function ignore(): void {}

const NO_BODY: Omit<Collected, 'bytes'> = { isWhole: true, refuse: ignore, stop: ignore };

/** The body of a request whose handler has not returned. */
function collectBody(
  response: UwsResponse,
  request: UwsRequest | undefined,
  { maxBody, bodyMs }: Setting,
): Collected {
  const length = request?.getHeader(CONTENT_LENGTH) ?? '';
  const isChunked = request !== undefined && request.getHeader(TRANSFER_ENCODING) !== '';
  if (length === '' && !isChunked) return { ...NO_BODY, bytes: Promise.resolve(new Uint8Array()) };
  if (Number(length) > maxBody) {
    return {
      ...NO_BODY,
      isWhole: false,
      bytes: Promise.reject(new BodyRefused('content_too_large')),
    };
  }
  const parts: Buffer[] = [];
  let size = 0;
  let resolve: (bytes: Uint8Array) => void = ignore;
  let refuse: (error: BodyRefused) => void = ignore;
  const bytes = new Promise<Uint8Array>((yes, no) => {
    resolve = yes;
    refuse = no;
  });
  const timer = setTimeout(() => {
    refuse(new BodyRefused('request_timeout'));
  }, bodyMs);
  response.onData((chunk, isLast) => {
    size += chunk.byteLength;
    if (size > maxBody) {
      parts.length = 0;
      refuse(new BodyRefused('content_too_large'));
      return;
    }
    parts.push(Buffer.from(new Uint8Array(chunk))); // a copy
    if (!isLast) return;
    clearTimeout(timer);
    resolve(Buffer.concat(parts));
  });
  return {
    bytes,
    isWhole: false,
    refuse,
    stop() {
      clearTimeout(timer);
    },
  };
}

function readClient(response: UwsResponse, request: UwsRequest, setting: Setting): string {
  const buffer = response.getRemoteAddress();
  const { trusted, keys } = setting;
  if (trusted.length === 0) {
    if (buffer.byteLength !== 4) return clientKey(readAddress(new Uint8Array(buffer)), '', trusted);
    const bits = new Int32Array(buffer)[0] as number;
    let key = keys.get(bits);
    if (key === undefined) {
      key = clientKey(readAddress(new Uint8Array(buffer)), '', trusted);
      if (keys.size >= MAX_KEYS) keys.clear();
      keys.set(bits, key);
    }
    return key;
  }
  // A proxy may add its hop as a separate line after the client's, so all lines count, in order.
  const hops: string[] = [];
  request.forEach((name, value) => {
    if (name === 'x-forwarded-for') hops.push(value);
  });
  return clientKey(readAddress(new Uint8Array(buffer)), hops.join(','), trusted);
}

/** What has to be known of a body before anything is done for its request. */
type Framing = 'plain' | 'large' | 'chunked' | 'doubtful';

/**
 * Doubtful is what the parser accepts and another parser may read differently (RFC 9112, 6.3): it takes the
 * first of several lengths, and any transfer coding for chunked.
 */
function framingOf(request: UwsRequest, { maxBody }: Setting): Framing {
  const coding = request.getHeader(TRANSFER_ENCODING);
  if (coding !== '') {
    const isChunked = coding.toLowerCase() === 'chunked';
    return isChunked && countOf(request, 'transfer-encoding') === 1 ? 'chunked' : 'doubtful';
  }
  const length = request.getHeader(CONTENT_LENGTH);
  if (length === '') return 'plain';
  if (countOf(request, 'content-length') > 1) return 'doubtful';
  return Number(length) > maxBody ? 'large' : 'plain';
}

/** Headers whose lines form one list (RFC 9110, 5.3). For other headers the first line counts. */
const LISTS: ReadonlySet<ReadableHeader> = new Set(['accept', 'if-none-match']);

function headerOf(request: UwsRequest, name: ReadableHeader): string {
  const first = request.getHeader(nameOf(name));
  if (first === '' || !LISTS.has(name)) return first;
  const lines: string[] = [];
  request.forEach((each, value) => {
    if (each === name) lines.push(value);
  });
  return lines.join(', ');
}

function countOf(request: UwsRequest, header: string): number {
  let count = 0;
  request.forEach((name) => {
    if (name === header) count += 1;
  });
  return count;
}

/** Serves the routes of `served` with uWebSockets.js. */
export function uwsServer(uws: Uws, served: Pipeline, options: ServerOptions = {}): HttpServer {
  // After an answer that is given within the handler, the parser continues and serves what follows, even if
  // that answer closes. After one that waits, it cuts the connection.
  async function refuseFraming(match: Match, request: Incoming): Promise<Answer> {
    await setImmediate();
    const detail = 'The length of the body can be read in two ways.';
    return served.refuse(match, request, 'bad_request', detail);
  }

  async function refuseLarge(match: Match, request: Incoming): Promise<Answer> {
    await setImmediate();
    return served.refuse(match, request, 'content_too_large');
  }

  async function listen({ host, port, isShared = false }: ListenAddress): Promise<Listening> {
    const setting: Setting = {
      ...SERVER_LIMITS,
      ...options,
      trusted: options.trustedProxies ?? [],
      flights: new InFlight(),
      keys: new Map(),
      stuck: new Set(),
      closing: false,
    };
    function serve(method: Incoming['method'], response: UwsResponse, request: UwsRequest): void {
      const path = request.getUrl();
      const match = served.match(path);
      const exchange = new Exchange(method, response, request, path, match.params, setting);
      let answer: Answer | Promise<Answer>;
      switch (framingOf(request, setting)) {
        case 'plain':
          answer = served.answer(match, exchange);
          break;
        case 'large':
          answer = refuseLarge(match, exchange);
          break;
        case 'chunked': // nobody has said yet how much it is, and not every route reads it
          answer = served.answerWithBody(match, exchange);
          break;
        case 'doubtful':
          answer = refuseFraming(match, exchange);
      }
      if (answer instanceof Promise) void exchange.writeLater(answer);
      else exchange.writeNow(answer);
    }
    // One pattern for everything, because the other transport uses the same table of routes. GET alone needs not
    // be told its method; its handler gets neither HEAD nor OPTIONS.
    const app = uws
      .App()
      .get('/*', (response, request) => {
        serve('GET', response, request);
      })
      .any('/*', (response, request) => {
        serve(methodOf(request.getMethod()), response, request);
      });
    const token = await new Promise<UwsListenToken | false>((resolve) => {
      app.listen(host, port, isShared ? SHARED_PORT : uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
    });
    if (token === false) {
      throw new Fault('bad_config', 'listen address', {
        expected: 'a free port of this machine',
        found: `${host} ${port}`,
      });
    }
    let closed: Promise<void> | undefined;
    async function shut(open: UwsListenToken): Promise<void> {
      setting.closing = true;
      uws.us_listen_socket_close(open); // exactly once, and before `close`: anything else crashes
      for (const cut of setting.stuck) cut();
      await setting.flights.settled(setting.drainMs);
      app.close();
    }
    return {
      transport: 'uWebSockets.js',
      port: uws.us_socket_local_port(token),
      inFlight: () => setting.flights.count,
      close: () => {
        closed ??= shut(token);
        return closed;
      },
    };
  }
  return { transport: 'uWebSockets.js', listen };
}
