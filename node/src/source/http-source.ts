import { setTimeout as delay } from 'node:timers/promises';
import { Fault, faultCode } from '@assay/core/fault';
import { MAX_PAGE_BYTES, MAX_READ_BYTES } from '@assay/core/limits';
import { nextRequest, type PageMark } from '@assay/core/rule/paging';
import type { Paging, SourceRequest } from '@assay/core/source/request';
import type { Clock } from '../platform/clock.ts';
import type { AddressGuard } from './address-guard.ts';
import { runReading } from './reading-thread.ts';
import { type Attempt, failed, HttpExchange } from './http-exchange.ts';
import { firstHop, type Hop } from './redirect.ts';
import { fillSecrets, repeatedSecret, requireSecrets, type Secrets } from './secrets.ts';
import type { SourceHosts } from './source-hosts.ts';
import type { Source, SourceAnswer, SourcePage } from './source.ts';

export interface HttpLimits {
  /** Milliseconds of one try, from the first connection to the last byte, including redirects. */
  readonly totalMs: number;
  /** Milliseconds without any data after which a try fails. */
  readonly idleMs: number;
  /** Milliseconds of a whole read: all pages, tries and waits. */
  readonly readMs: number;
  /** The most bytes of a decoded body. */
  readonly maxBytes: number;
  /** The most bytes of all pages of a read. */
  readonly maxReadBytes: number;
  readonly tries: number;
  /** The most milliseconds before the second try, doubled before each further one. */
  readonly backoffMs: number;
  /** The most milliseconds before any try, even if Retry-After asks for more. */
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
  /** The number of the failed try, from 1. */
  readonly attempt: number;
  readonly why: string;
  readonly waitMs: number;
}

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const systemSleep: Sleep = (ms, signal) =>
  delay(ms, undefined, signal === undefined ? {} : { signal });

export interface HttpSourceOptions {
  /** An e-mail address or page of the operator. Sources block requests that have none. */
  readonly contact: string;
  readonly secrets: Secrets;
  readonly now: Clock;
  readonly sleep: Sleep;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  readonly limits?: Partial<HttpLimits>;
  readonly onRetry?: (retry: HttpRetry) => void;
  /**
   * Where requests and secrets may be sent, for whoever reads by somebody else's rules. Without it, anywhere.
   */
  readonly hosts?: Pick<SourceHosts, 'refusal' | 'refusedHost'>;
  /** Which addresses a host may have. Without it, any. */
  readonly addresses?: Pick<AddressGuard, 'lookupFor'>;
}

/** One page to request: as the rule and the pages before define it, or where a Link header points. */
interface Turn {
  readonly request: SourceRequest;
  readonly link: Hop | undefined;
}

/** Makes a source. Throws `bad_config`. */
export function httpSource(options: HttpSourceOptions): Source {
  return new HttpSource(options);
}

/**
 * Sources over HTTP. The answer is the decoded body. It is requested without an encoding, unless the rule's own
 * headers ask for one. An answer that repeats a secret does not count, because its bytes would be published.
 */
class HttpSource implements Source {
  readonly readMs: number;
  readonly #options: HttpSourceOptions;
  readonly #limits: HttpLimits;
  readonly #exchange: HttpExchange;

  constructor(options: HttpSourceOptions) {
    const { contact, secrets, now, hosts, addresses } = options;
    requireSecrets(secrets);
    if (!/^[!-'*-[\]-~]+$/.test(contact)) {
      throw new Fault('bad_config', 'contact', {
        expected: 'visible ASCII characters, without parentheses and backslash',
        found: JSON.stringify(contact),
      });
    }
    this.#options = options;
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.readMs = this.#limits.readMs;
    const userAgent = `assay (+${contact})`;
    this.#exchange = new HttpExchange({ userAgent, now, limits: this.#limits, hosts, addresses });
  }

  readonly repeated: Required<Source>['repeated'] = (request, bytes) => {
    const { secrets } = this.#options;
    const filled = fillSecrets(request, secrets);
    return 'missing' in filled ? undefined : repeatedSecret(bytes, filled.used, secrets);
  };

  readonly read: Source['read'] = async (request, { signal } = {}) => {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const leave = (): void => {
      controller.abort(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    const detail = `no end of the pages within ${this.readMs} ms`;
    const timer = setTimeout(() => {
      controller.abort(new Fault('timeout', detail));
    }, this.readMs);
    try {
      return await this.#readList(request, controller.signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (controller.signal.aborted) return { kind: 'failed', reason: 'timeout', detail };
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  };

  /** One try at a page, which fails if the page repeats a secret. */
  async #attempt({ request, link }: Turn, signal: AbortSignal): Promise<Attempt> {
    const { secrets, hosts } = this.#options;
    const filled = fillSecrets(request, secrets);
    if ('missing' in filled) return failed('unreachable', `secret ${filled.missing} is not set`);
    const hop = link ?? firstHop(filled);
    if (hop === undefined) return failed('unreachable', 'the url cannot be asked');
    if (hop.method === 'GET' && hop.body !== null) {
      return failed('unreachable', 'a GET has no body');
    }
    const refused = hosts?.refusal(request, firstHop(filled)?.url ?? hop.url, filled.used);
    if (refused !== undefined) return failed('unreachable', refused);
    const result = await this.#exchange.ask(hop, request.follow, signal);
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

  /** One page, tried again if that may help. */
  async #readPage(turn: Turn, signal: AbortSignal): Promise<Attempt> {
    const { random, sleep, onRetry } = this.#options;
    const { tries, backoffMs, maxWaitMs } = this.#limits;
    for (let count = 1; ; count += 1) {
      signal.throwIfAborted();
      const result = await this.#attempt(turn, signal);
      const { again, retryAfter } = result;
      if (again === undefined || count >= tries) return result;
      const asked = Math.min((retryAfter ?? 0) * 1000, maxWaitMs);
      const most = Math.min(backoffMs * 2 ** (count - 1), maxWaitMs);
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
   * Page after page, one at a time, as long as they show that there are more. The reading decides from their
   * bytes whether they are a whole list.
   */
  async #readList(request: SourceRequest, signal: AbortSignal): Promise<SourceAnswer> {
    const { paging } = request;
    const most = paging.kind === 'none' ? 1 : paging.max_pages;
    const pages: SourcePage[] = [];
    const seen = new Set<string>();
    let length = 0;
    let turn: Turn = { request, link: undefined };
    for (;;) {
      const { answer, next } = await this.#readPage(turn, signal);
      if (answer.kind === 'failed') return answer;
      const { page } = answer;
      pages.push(page);
      length += page.bytes.length;
      if (length > this.#limits.maxReadBytes) {
        const detail = `pages of more than ${this.#limits.maxReadBytes} bytes`;
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
}

/**
 * Undefined for a page that does not show its position, and for one that takes more memory than is available.
 */
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
