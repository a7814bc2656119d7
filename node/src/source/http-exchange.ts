import { Fault } from '@assay/core/fault';
import type { Clock } from '../platform/clock.ts';
import { errorCode } from '../platform/durable-file.ts';
import type { AddressGuard } from './address-guard.ts';
import { nextLink } from './link-header.ts';
import { type Hop, isRedirect, nextHop } from './redirect.ts';
import type { SourceHosts } from './source-hosts.ts';
import { isKnownCoding, sourceSender, type SourceResponse } from './source-request.ts';
import type { SourceAnswer, SourceFailure, SourcePage } from './source.ts';

const MAX_REDIRECTS = 5;
/** What a snapshot has room for. */
const MAX_CONTENT_TYPE = 256;
/** How the system says that a peer was too late. */
const LATE_CODE = 'ETIMEDOUT';

/** What one try came to. */
export interface Attempt {
  readonly answer: PageAnswer;
  /** Why another try may do better; `undefined` where none would. */
  readonly again?: string;
  /** Seconds that the source asks to wait. */
  readonly retryAfter?: number;
  /** Where the Link header says that the list goes on. */
  readonly next?: Hop | string;
}

export type PageAnswer =
  | { readonly kind: 'page'; readonly page: SourcePage }
  | Extract<SourceAnswer, { readonly kind: 'failed' }>;

export interface HttpExchangeOptions {
  readonly userAgent: string;
  readonly now: Clock;
  readonly limits: {
    /** Milliseconds from the first connection to the last byte, redirects included. */
    readonly totalMs: number;
    /** Milliseconds in which nothing comes. */
    readonly idleMs: number;
    /** Bytes of a decoded body. */
    readonly maxBytes: number;
  };
  /** Which hosts a request may go to; any without. */
  readonly hosts?: Pick<SourceHosts, 'refusedHost'> | undefined;
  /** Which addresses a host may lead to; any without. */
  readonly addresses?: Pick<AddressGuard, 'lookupFor'> | undefined;
}

/**
 * One try at a page: a request, the redirects that the rule allows, and the decoded body. An answer whose end neither a
 * length nor chunks mark is none, since a cut connection looks the same.
 */
export class HttpExchange {
  readonly #options: HttpExchangeOptions;
  readonly #sender = sourceSender();

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
  }

  /** One try along all its redirects. The page comes beside the answer, so that it can be looked at. */
  async ask(first: Hop, follow: readonly string[], signal: AbortSignal): Promise<Attempt> {
    const { totalMs, idleMs } = this.#options.limits;
    const controller = new AbortController();
    const late = (ms: number, what: string) =>
      setTimeout(() => {
        controller.abort(new Fault('timeout', `${what} within ${ms} ms`));
      }, ms);
    const total = late(totalMs, 'no whole answer');
    const idle = late(idleMs, 'nothing came');
    const leave = (): void => {
      controller.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await this.#along(first, follow, controller.signal, idle);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return failureOf(controller.signal.aborted ? controller.signal.reason : error);
    } finally {
      clearTimeout(total);
      clearTimeout(idle);
      signal.removeEventListener('abort', leave);
      // Bodies of redirects, and what is left of an answer that is not wanted, need not come.
      controller.abort();
    }
  }

  async #along(
    first: Hop,
    follow: readonly string[],
    signal: AbortSignal,
    idle: NodeJS.Timeout,
  ): Promise<Attempt> {
    let hop = first;
    for (let count = 0; ; count += 1) {
      const refused = this.#options.hosts?.refusedHost(hop.url);
      if (refused !== undefined) return failed('redirect_refused', refused);
      const response = await this.#send(hop, signal);
      idle.refresh();
      const location = isRedirect(response.status) ? response.headers.get('location') : null;
      if (location === null) {
        const page = await pageOf(response, this.#options.limits.maxBytes, idle);
        const retryAfter = this.#secondsOf(response.headers.get('retry-after'));
        const link = nextLink(response.headers.get('link'));
        return {
          answer: { kind: 'page', page },
          ...(retryAfter === undefined ? {} : { retryAfter }),
          ...(link === undefined ? {} : { next: linkedHop(hop, link, follow) }),
        };
      }
      const next = nextHop(hop, response.status, location, follow);
      if (typeof next === 'string') return failed('redirect_refused', next);
      if (count === MAX_REDIRECTS) {
        return failed('redirect_refused', `more than ${MAX_REDIRECTS} redirects`);
      }
      hop = next;
    }
  }

  #send(hop: Hop, signal: AbortSignal): Promise<SourceResponse> {
    const { userAgent, addresses } = this.#options;
    const headers = new Headers();
    for (const { name, value } of hop.headers) headers.append(name, value);
    if (!headers.has('user-agent')) headers.set('user-agent', userAgent);
    if (!headers.has('accept')) headers.set('accept', '*/*');
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    return this.#sender({
      method: hop.method,
      url: hop.url,
      headers,
      body: hop.body === null ? null : Buffer.from(hop.body),
      signal,
      ...(addresses === undefined ? {} : { lookup: addresses.lookupFor(hop.url) }),
    });
  }

  /** Seconds of a Retry-After header: a number, or a date (RFC 9110, section 10.2.3). */
  #secondsOf(header: string | null): number | undefined {
    if (header === null) return undefined;
    const seconds = /^[0-9]+$/.test(header)
      ? Number(header)
      : Date.parse(header) / 1000 - this.#options.now();
    return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
  }
}

/** The request of the page that a link points at: to the same origin, or to a host that the rule lists. */
function linkedHop(hop: Hop, link: string, follow: readonly string[]): Hop | string {
  const next = nextHop(hop, 307, link, [hop.url.host, ...follow]);
  return typeof next === 'string' ? `a link: ${next}` : next;
}

/** A try that came to nothing. */
export function failed(reason: SourceFailure, detail: string): Attempt {
  const answer: PageAnswer = { kind: 'failed', reason, detail };
  return reason === 'timeout' ? { answer, again: detail } : { answer };
}

/** A failed try by its code alone: the words of a socket's errors quote addresses. */
function failureOf(error: unknown): Attempt {
  if (error instanceof Fault) {
    if (error.code === 'too_large') return failed('too_large', error.message);
    if (error.code === 'timeout') return failed('timeout', error.message);
    // Asked again, it would lead where it led.
    if (error.code === 'address_refused') {
      return failed('unreachable', `${error.code}: ${error.message}`);
    }
    return mayRecover(error.message);
  }
  const code = errorCode(error) ?? '';
  if (code === LATE_CODE) return failed('timeout', code);
  return mayRecover(/^[A-Z0-9_]{1,48}$/.test(code) ? code : 'no answer');
}

function mayRecover(detail: string): Attempt {
  return { ...failed('unreachable', detail), again: detail };
}

/** The answer with its body read. Throws `too_large`, or `unreachable` for one that cannot be trusted. */
async function pageOf(
  response: SourceResponse,
  maxBytes: number,
  idle: NodeJS.Timeout,
): Promise<SourcePage> {
  const { status, headers } = response;
  if (status < 100 || status > 599) throw new Fault('unreachable', `status ${status}`);
  const contentType = headers.get('content-type')?.slice(0, MAX_CONTENT_TYPE) ?? null;
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) return { status, contentType, bytes: new Uint8Array(0) };
  if (!isKnownCoding(headers.get('content-encoding') ?? 'identity')) {
    throw new Fault('unreachable', 'a content encoding that is not known here');
  }
  const length = headers.get('content-length');
  if (length === null && !/\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')) {
    throw new Fault('unreachable', 'an answer whose end is not marked');
  }
  const bytes = await readBody(response.body, Number(length ?? 0), maxBytes, idle);
  return { status, contentType, bytes };
}

async function readBody(
  body: AsyncIterable<Uint8Array>,
  announced: number,
  maxBytes: number,
  idle: NodeJS.Timeout,
): Promise<Uint8Array> {
  if (announced > maxBytes) throw tooLarge(maxBytes);
  // One buffer that grows: a list of chunks would cost a hundred times a body sent byte by byte.
  let bytes = new Uint8Array(Math.min(Math.max(announced, 16_384), maxBytes));
  let length = 0;
  for await (const chunk of body) {
    idle.refresh();
    const end = length + chunk.length;
    if (end > maxBytes) throw tooLarge(maxBytes);
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.min(Math.max(end, 2 * bytes.length), maxBytes));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(chunk, length);
    length = end;
  }
  return length === bytes.length ? bytes : bytes.slice(0, length);
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('too_large', `a body of more than ${maxBytes} bytes`);
}
