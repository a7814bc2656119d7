import { setTimeout as delay } from 'node:timers/promises';
import { Fault, faultCode } from '@assay/core/fault';
import { MAX_PAGE_BYTES, MAX_READ_BYTES } from '@assay/core/limits';
import { nextRequest, type PageMark } from '@assay/core/rule/paging';
import type { Paging, SourceRequest } from '@assay/core/source/request';
import type { Clock } from '../platform/clock.ts';
import { errorCode } from '../platform/durable-file.ts';
import type { AddressGuard } from './address-guard.ts';
import { nextLink } from './link-header.ts';
import { runReading } from './reading-thread.ts';
import { firstHop, type Hop, isRedirect, nextHop } from './redirect.ts';
import { fillSecrets, repeatedSecret, requireSecrets, type Secrets } from './secrets.ts';
import { isKnownCoding, sourceSender, type SourceResponse } from './source-request.ts';
import type { SourceHosts } from './source-hosts.ts';
import type { Source, SourceAnswer, SourceFailure, SourcePage } from './source.ts';

const MAX_REDIRECTS = 5;
/** What a snapshot has room for. */
const MAX_CONTENT_TYPE = 256;
/** How the system says that a peer was too late. */
const LATE_CODE = 'ETIMEDOUT';

export interface HttpLimits {
  /** Milliseconds of one try, from the first connection to the last byte, redirects included. */
  readonly totalMs: number;
  /** Milliseconds in which nothing comes. */
  readonly idleMs: number;
  /** Milliseconds of a whole read: all pages, tries and waits. */
  readonly readMs: number;
  /** Bytes of a decoded body. */
  readonly maxBytes: number;
  /** Bytes of all pages of a read. */
  readonly maxReadBytes: number;
  readonly tries: number;
  /** Milliseconds before the second try at most; before each further one twice as many. */
  readonly backoffMs: number;
  /** Milliseconds before any try at most, also where Retry-After asks for more. */
  readonly maxWaitMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  totalMs: 60_000,
  idleMs: 15_000,
  readMs: 900_000,
  maxBytes: MAX_PAGE_BYTES,
  maxReadBytes: MAX_READ_BYTES,
  tries: 4,
  backoffMs: 1000,
  maxWaitMs: 30_000,
};

/** A try that is followed by another. It holds no secret. */
export interface HttpRetry {
  /** As the rule writes it. */
  readonly url: string;
  /** The try that did not do, from 1. */
  readonly attempt: number;
  readonly why: string;
  readonly waitMs: number;
}

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const systemSleep: Sleep = (ms, signal) =>
  delay(ms, undefined, signal === undefined ? {} : { signal });

export interface HttpSourceOptions {
  /** An e-mail address or page of whoever runs this node: source operators block what has none. */
  readonly contact: string;
  readonly secrets: Secrets;
  readonly now: Clock;
  readonly sleep: Sleep;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly limits?: Partial<HttpLimits>;
  readonly onRetry?: (retry: HttpRetry) => void;
  /** Where requests and secrets may go, for who reads by the rules of others; anywhere without. */
  readonly hosts?: Pick<SourceHosts, 'refusal' | 'refusedHost'>;
  /** Which addresses a host may lead to; any without. */
  readonly addresses?: Pick<AddressGuard, 'lookupFor'>;
}

/** What one try came to. */
interface Attempt {
  readonly answer: PageAnswer;
  /** Why another try may do better; `undefined` where none would. */
  readonly again?: string;
  /** Seconds that the source asks to wait. */
  readonly retryAfter?: number;
  /** Where the Link header says that the list goes on. */
  readonly next?: Hop | string;
}

type PageAnswer =
  | { readonly kind: 'page'; readonly page: SourcePage }
  | Extract<SourceAnswer, { readonly kind: 'failed' }>;

/** One page to ask for: as the rule and the pages before say it, or where a Link header points. */
interface Turn {
  readonly request: SourceRequest;
  readonly link: Hop | undefined;
}

/**
 * Sources over HTTP. What counts as the answer is the decoded body. It is asked for without encoding,
 * unless the rule's own headers say otherwise; and an answer whose end neither a length nor chunks mark is none, since a cut connection
 * looks the same. An answer that repeats a secret is none either: its bytes would be published.
 *
 * Throws `bad_config`.
 */
export function httpSource(options: HttpSourceOptions): Source {
  const { contact, secrets, now, sleep, random, onRetry, hosts, addresses } = options;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  requireSecrets(secrets);
  if (!/^[!-'*-[\]-~]+$/.test(contact)) {
    throw new Fault('bad_config', 'contact', {
      expected: 'visible ASCII characters, without parentheses and backslash',
      found: JSON.stringify(contact),
    });
  }
  const userAgent = `assay (+${contact})`;
  const sendToSource = sourceSender();

  async function attempt({ request, link }: Turn, signal: AbortSignal): Promise<Attempt> {
    const filled = fillSecrets(request, secrets);
    if ('missing' in filled) return failed('unreachable', `secret ${filled.missing} is not set`);
    const hop = link ?? firstHop(filled);
    if (hop === undefined) return failed('unreachable', 'the url cannot be asked');
    if (hop.method === 'GET' && hop.body !== null) {
      return failed('unreachable', 'a GET has no body');
    }
    const refused = hosts?.refusal(request, firstHop(filled)?.url ?? hop.url, filled.used);
    if (refused !== undefined) return failed('unreachable', refused);
    const result = await ask(hop, request.follow, userAgent, limits, signal);
    if (result.answer.kind === 'failed') return result;
    const { page } = result.answer;
    const text = Buffer.from(page.contentType ?? '');
    const repeated =
      repeatedSecret(page.bytes, filled.used, secrets) ??
      repeatedSecret(text, filled.used, secrets);
    if (repeated !== undefined) {
      return failed('unreachable', `the answer repeats secret ${repeated}`);
    }
    if (page.status !== 429 && page.status < 500) return result;
    return { ...result, again: `status ${page.status}` };
  }

  /** One page, tried again where that may help. */
  async function readPage(turn: Turn, signal: AbortSignal): Promise<Attempt> {
    for (let count = 1; ; count += 1) {
      signal.throwIfAborted();
      const result = await attempt(turn, signal);
      const { again, retryAfter } = result;
      if (again === undefined || count >= limits.tries) return result;
      const asked = Math.min((retryAfter ?? 0) * 1000, limits.maxWaitMs);
      const most = Math.min(limits.backoffMs * 2 ** (count - 1), limits.maxWaitMs);
      const waitMs = Math.max(asked, Math.round(random() * most));
      onRetry?.({ url: turn.request.url, attempt: count, why: again, waitMs });
      try {
        await sleep(waitMs, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    }
  }

  /**
   * Page after page, one at a time, as long as they say that there are more. Whether they are a whole list
   * is for the reading to judge, from their bytes.
   */
  async function readList(request: SourceRequest, signal: AbortSignal): Promise<SourceAnswer> {
    const { paging } = request;
    const most = paging.kind === 'none' ? 1 : paging.max_pages;
    const pages: SourcePage[] = [];
    const seen = new Set<string>();
    let length = 0;
    let turn: Turn = { request, link: undefined };
    for (;;) {
      const { answer, next } = await readPage(turn, signal);
      if (answer.kind === 'failed') return answer;
      const { page } = answer;
      pages.push(page);
      length += page.bytes.length;
      if (length > limits.maxReadBytes) {
        const detail = `pages of more than ${limits.maxReadBytes} bytes`;
        return { kind: 'failed', reason: 'too_large', detail };
      }
      const mark =
        pages.length < most && page.status === 200 ? await markOf(paging, page, signal) : undefined;
      if (mark === undefined || mark.last) return { kind: 'pages', pages };
      if (paging.kind === 'link') {
        if (next === undefined) return { kind: 'pages', pages };
        if (typeof next === 'string') {
          return { kind: 'failed', reason: 'redirect_refused', detail: next };
        }
        turn = { request, link: next };
        continue;
      }
      if (mark.cursor !== null && seen.has(mark.cursor)) return { kind: 'pages', pages };
      if (mark.cursor !== null) seen.add(mark.cursor);
      const following = nextRequest(request, pages.length, mark);
      if (following === undefined) return { kind: 'pages', pages };
      turn = { request: following, link: undefined };
    }
  }

  return {
    readMs: limits.readMs,
    repeated(request, bytes) {
      const filled = fillSecrets(request, secrets);
      return 'missing' in filled ? undefined : repeatedSecret(bytes, filled.used, secrets);
    },
    async read(request, { signal } = {}) {
      signal?.throwIfAborted();
      const controller = new AbortController();
      const leave = (): void => {
        controller.abort(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      const detail = `no end of the pages within ${limits.readMs} ms`;
      const timer = setTimeout(() => {
        controller.abort(new Fault('timeout', detail));
      }, limits.readMs);
      try {
        return await readList(request, controller.signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (controller.signal.aborted) return { kind: 'failed', reason: 'timeout', detail };
        throw error;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      }
    },
  };

  function send(hop: Hop, agent: string, signal: AbortSignal): Promise<SourceResponse> {
    const headers = new Headers();
    for (const { name, value } of hop.headers) headers.append(name, value);
    if (!headers.has('user-agent')) headers.set('user-agent', agent);
    if (!headers.has('accept')) headers.set('accept', '*/*');
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
    return sendToSource({
      method: hop.method,
      url: hop.url,
      headers,
      body: hop.body === null ? null : Buffer.from(hop.body),
      signal,
      ...(addresses === undefined ? {} : { lookup: addresses.lookupFor(hop.url) }),
    });
  }

  /** Seconds of a Retry-After header: a number, or a date (RFC 9110, section 10.2.3). */
  function secondsOf(header: string | null): number | undefined {
    if (header === null) return undefined;
    const seconds = /^[0-9]+$/.test(header) ? Number(header) : Date.parse(header) / 1000 - now();
    return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
  }

  /** One try along all its redirects. The page comes beside the answer, so that it can be looked at. */
  async function ask(
    first: Hop,
    follow: readonly string[],
    agent: string,
    { totalMs, idleMs, maxBytes }: HttpLimits,
    signal: AbortSignal,
  ): Promise<Attempt> {
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
      let hop = first;
      for (let count = 0; ; count += 1) {
        const refused = hosts?.refusedHost(hop.url);
        if (refused !== undefined) return failed('redirect_refused', refused);
        const response = await send(hop, agent, controller.signal);
        idle.refresh();
        const location = isRedirect(response.status) ? response.headers.get('location') : null;
        if (location === null) {
          const page = await pageOf(response, maxBytes, idle);
          const retryAfter = secondsOf(response.headers.get('retry-after'));
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
}

/** The request of the page that a link points at: to the same origin, or to a host that the rule lists. */
function linkedHop(hop: Hop, link: string, follow: readonly string[]): Hop | string {
  const next = nextHop(hop, 307, link, [hop.url.host, ...follow]);
  return typeof next === 'string' ? `a link: ${next}` : next;
}

/** Undefined for a page that does not say where it stands, and for one that takes more memory than there is. */
async function markOf(
  paging: Paging,
  { bytes }: SourcePage,
  signal: AbortSignal,
): Promise<PageMark | undefined> {
  try {
    return await runReading('mark', [paging, bytes], { passes: 1, signal });
  } catch (error) {
    if (faultCode(error) === 'too_large') return undefined;
    throw error;
  }
}

function failed(reason: SourceFailure, detail: string): Attempt {
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
