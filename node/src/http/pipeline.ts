import { type HeaderBlock, headerBlock, requireHeaders } from './header.ts';
import type { HeadBuffer } from './head-buffer.ts';
import { type ProblemCode, type ProblemOptions, problem } from './problem.ts';
import { NO_STORE } from './reply.ts';
import type { RequestIds } from './request-id.ts';
import { type ApiReply, type ApiRequest, BodyRefused, type Incoming } from './request.ts';
import { type Endpoint, type Match, type Route, routeTable } from './route.ts';

/** The result of a limiter, before anything is done for a request. */
export interface Admission {
  /** The limit itself, which is the same for everyone. */
  readonly policy: HeaderBlock;
  /** The limit and what this client has left. A shared cache would show it to others. */
  readonly status: HeaderBlock;
  /** The refusal, which replaces the route's answer. */
  readonly reply?: ApiReply;
}

/** One answered request, for logs and metrics. It names the pattern, not the path. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: Incoming['method'];
  /** `undefined` if no route has the path. */
  readonly pattern: string | undefined;
  /** 499 if the client left before there was an answer. */
  readonly status: number;
  /** The time until the answer was ready. A stream continues after that. */
  readonly seconds: number;
}

export interface PipelineOptions extends Partial<RequestIds> {
  readonly requestId: () => string;
  /** A monotonic clock in seconds. */
  readonly now: () => number;
  /** Receives what a handler threw. The client sees `internal` and the request id, and nothing of the error. */
  readonly onError: (error: unknown, line: Omit<RequestLine, 'seconds'>) => void;
  readonly onRequest?: (line: RequestLine) => void;
  /** Answers to GET and HEAD of paths that no route has, by the path as it is sent. */
  readonly asides?: ReadonlyMap<string, ApiReply> | undefined;
  /** The answer to GET and HEAD of a path that nothing has; without one it is the problem `not_found`. */
  readonly lost?: (request: Incoming) => Promise<ApiReply> | undefined;
  readonly admit?: (
    request: Incoming,
    endpoint: Endpoint | undefined,
    now: number,
  ) => Admission | undefined;
}

/** What a transport sends with a reply, and whom it informs of one that failed. */
export interface Passage {
  readonly requestId: string;
  readonly common: HeaderBlock;
  readonly admitted: HeaderBlock | undefined;
  /** Adds the id of the request. */
  addIdTo(head: HeadBuffer): void;
  /** A stream failed after its head was sent. */
  broke(error: unknown): void;
}

export interface Answer {
  readonly reply: ApiReply;
  readonly passage: Passage;
  /** The rest of what the client sends cannot be distinguished from a next request, or is too much. */
  readonly close: boolean;
}

export interface Pipeline {
  readonly endpoints: readonly Endpoint[];
  match(path: string): Match;
  answer(match: Match, request: Incoming): Answer | Promise<Answer>;
  /** The answer when the body has arrived: 413 or 408 if it does not, whoever would have read it. */
  answerWithBody(match: Match, request: Incoming): Promise<Answer>;
  /** For a transport that cannot continue with this connection. */
  refuse(match: Match, request: Incoming, code: ProblemCode, detail?: string): Answer;
}

const CLIENT_LEFT = 499;

const NOSNIFF = ['x-content-type-options', 'nosniff'] as const;

/** Any page may read. The POST routes for browsers send no CORS headers. */
const READ_BLOCK = headerBlock([
  NOSNIFF,
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', '*'],
]);
const PLAIN_BLOCK = headerBlock([NOSNIFF]);
const PREFLIGHT_BLOCK = headerBlock([
  ['access-control-allow-methods', 'GET, HEAD, OPTIONS'],
  ['access-control-allow-headers', '*'],
  ['access-control-max-age', '86400'],
]);

function preflight(endpoint: Endpoint): ApiReply {
  return {
    kind: 'whole',
    status: 204,
    blocks: endpoint.readable ? [PREFLIGHT_BLOCK] : [],
    headers: [
      ['allow', endpoint.allow],
      ['cache-control', NO_STORE],
    ],
    shared: false,
    body: '',
  };
}

function blockFor(request: Incoming, endpoint: Endpoint | undefined): HeaderBlock {
  if (endpoint === undefined) return READ_BLOCK;
  const isRead =
    request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  const block = endpoint.readable && isRead ? READ_BLOCK : PLAIN_BLOCK;
  if (endpoint.deprecation === undefined) return block;
  return headerBlock([...block.list, ...endpoint.deprecation.list]);
}

function dispatch(
  match: Match,
  request: Incoming,
  { asides, lost }: Pick<PipelineOptions, 'asides' | 'lost'>,
): ApiReply | Promise<ApiReply> {
  if (match.kind === 'none') {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const found = isRead ? (asides?.get(request.path) ?? lost?.(request)) : undefined;
    return found ?? problem(request, 'not_found');
  }
  const { endpoint } = match;
  if (request.method === 'OPTIONS') return preflight(endpoint);
  const route = endpoint.routes.get(request.method);
  if (route === undefined) {
    return problem(request, 'method_not_allowed', { headers: [['allow', endpoint.allow]] });
  }
  if (match.kind === 'malformed') {
    return problem(request, 'bad_request', { detail: 'The path is not valid percent-encoding.' });
  }
  return route.handle(request as ApiRequest); // its method is one of a route's
}

/** One request on its way to its answer. */
class OnePassage implements Passage {
  /** The id without what all have. */
  readonly #id: string;
  readonly common: HeaderBlock;
  admitted: HeaderBlock | undefined = undefined;
  #admission: Admission | undefined = undefined;
  readonly #options: PipelineOptions;
  readonly #match: Match;
  readonly #request: Incoming;
  readonly #started: number;

  constructor(options: PipelineOptions, match: Match, request: Incoming) {
    this.#id = options.requestId();
    this.common = blockFor(request, match.endpoint);
    this.#options = options;
    this.#match = match;
    this.#request = request;
    this.#started =
      options.onRequest === undefined && options.admit === undefined ? 0 : options.now();
  }

  get requestId(): string {
    return (this.#options.idPrefix ?? '') + this.#id;
  }

  addIdTo(head: HeadBuffer): void {
    const { idPrefix } = this.#options;
    if (idPrefix !== undefined) head.addText(idPrefix);
    head.addText(this.#id);
  }

  run(): Answer | Promise<Answer> {
    try {
      const reply = this.#admit() ?? dispatch(this.#match, this.#request, this.#options);
      if (!(reply instanceof Promise)) return this.#finish(reply);
      return reply.then(
        (value) => this.#finishOrFail(value),
        (error: unknown) => this.#fail(error),
      );
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Counts the request, and returns the refusal if it is one too many. */
  #admit(): ApiReply | undefined {
    const { admit } = this.#options;
    this.#admission = admit?.(this.#request, this.#match.endpoint, this.#started);
    return this.#admission?.reply;
  }

  #finishOrFail(reply: ApiReply): Answer {
    try {
      return this.#finish(reply);
    } catch (error) {
      return this.#fail(error);
    }
  }

  #finish(reply: ApiReply): Answer {
    if (!(reply.status >= 200 && reply.status <= 599)) throw new TypeError('no final status');
    requireHeaders(reply.headers);
    return this.#wrap(reply, reply.status, false);
  }

  #fail(error: unknown): Answer {
    if (error instanceof BodyRefused) {
      if (error.code !== 'gone') return this.refuse(error.code, {});
      return this.#wrap(problem(this.#request, 'bad_request'), CLIENT_LEFT, true);
    }
    this.#report(error, 500);
    const reply = problem(this.#request, 'internal', {
      detail: `The failure is on record as ${this.requestId}.`,
    });
    return this.#wrap(reply, 500, false);
  }

  /** For a transport that cannot continue. The request is counted like any other, and not refused twice. */
  refuseUnread(code: ProblemCode, detail: string | undefined): Answer {
    this.#admit();
    return this.refuse(code, detail === undefined ? {} : { detail });
  }

  async runWithBody(): Promise<Answer> {
    try {
      await this.#request.body();
    } catch (error) {
      this.#admit();
      return this.#fail(error);
    }
    return this.run();
  }

  refuse(code: ProblemCode, detail: ProblemOptions): Answer {
    const reply = problem(this.#request, code, detail);
    return this.#wrap(reply, reply.status, true);
  }

  #wrap(reply: ApiReply, status: number, close: boolean): Answer {
    const admission = this.#admission;
    this.admitted = reply.shared ? admission?.policy : admission?.status;
    this.#options.onRequest?.({
      requestId: this.requestId,
      method: this.#request.method,
      pattern: this.#match.endpoint?.path,
      status,
      seconds: this.#options.now() - this.#started,
    });
    return { reply, passage: this, close };
  }

  broke(error: unknown): void {
    this.#report(error, 200);
  }

  #report(error: unknown, status: number): void {
    this.#options.onError(error, {
      requestId: this.requestId,
      method: this.#request.method,
      pattern: this.#match.endpoint?.path,
      status,
    });
  }
}

/** What every request goes through, whatever the transport is. */
export function pipeline(routes: readonly Route[], options: PipelineOptions): Pipeline {
  const table = routeTable(routes);
  return {
    endpoints: table.endpoints,
    match: (path) => table.match(path),
    answer: (match, request) => new OnePassage(options, match, request).run(),
    answerWithBody: (match, request) => new OnePassage(options, match, request).runWithBody(),
    refuse: (match, request, code, detail) =>
      new OnePassage(options, match, request).refuseUnread(code, detail),
  };
}
