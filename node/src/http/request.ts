import type { HeaderBlock, HeaderList } from './header.ts';

/** The methods that a route may have. Any other is answered 405 and reported as `OTHER`. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export type Method = (typeof METHODS)[number];

const KNOWN: ReadonlyMap<string, Method> = new Map(
  METHODS.flatMap((method) => [
    [method, method],
    [method.toLowerCase(), method],
  ]),
);

/** A method as `node:http` (upper case) or uWebSockets.js (lower case) names it. */
export function methodOf(text: string): Method | 'OTHER' {
  return KNOWN.get(text) ?? 'OTHER';
}

/**
 * Every header that a route may read. uWebSockets.js forgets a request when its handler returns, so exactly
 * these are copied for a handler that continues later.
 */
export const READABLE_HEADERS = [
  'accept',
  'accept-encoding',
  'assay-reader',
  'authorization',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'origin',
  'payment-signature',
  'sec-fetch-site',
  'user-agent',
] as const;

export type ReadableHeader = (typeof READABLE_HEADERS)[number];

export interface ApiRequest<Name extends string = string> {
  readonly method: Method;
  /** As sent: not decoded, and with its version segment. */
  readonly path: string;
  /** The part after `?`, not decoded; empty if there is none. */
  readonly query: string;
  /** The decoded parts of the path that the route's pattern names; `*` is the rest of it. */
  readonly params: Readonly<Record<Name, string>>;
  /** The key that a limit counts by: an IPv4 address, or the /64 of an IPv6 address. */
  readonly client: string;
  /** Aborted when the client leaves before its answer is complete. */
  readonly signal: AbortSignal;
  /** `undefined` if the header is absent or empty. */
  header(name: ReadableHeader): string | undefined;
  /** The whole body. Rejects with `BodyRefused`, which the pipeline turns into the right problem. */
  body(): Promise<Uint8Array>;
}

/** A request before it is known whether any route accepts its method. */
export interface Incoming extends Omit<ApiRequest, 'method'> {
  readonly method: Method | 'OTHER';
}

/** Why a body did not arrive. With `gone` there is nobody left to answer. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly code: 'content_too_large' | 'request_timeout' | 'gone';

  constructor(code: BodyRefused['code']) {
    super(`the request body was refused: ${code}`);
    this.code = code;
  }
}

interface ReplyHead {
  readonly status: number;
  /** Headers that were made once for many replies. */
  readonly blocks: readonly HeaderBlock[];
  /** Headers of this reply alone. Neither list contains content-length or connection. */
  readonly headers: HeaderList;
  /**
   * Whether a shared cache may serve it again without asking, which requires that it is the same for everyone.
   */
  readonly shared: boolean;
}

export interface WholeReply extends ReplyHead {
  readonly kind: 'whole';
  readonly body: Uint8Array | string;
}

/** Sent as it is produced, at the reader's pace. `chunks` opens nothing before it is iterated. */
export interface StreamReply extends ReplyHead {
  readonly kind: 'stream';
  /** The bytes of all chunks if that is known, so that the reader can distinguish a part from the whole. */
  readonly size?: number;
  /**
   * Bytes that mean nothing to the reader, for a stream that has no end of its own and may be silent for long: written
   * to push out what waits in the buffer of a connection that is writable again. A server that closes does not wait for
   * a reader of such a stream that takes nothing.
   */
  readonly filler?: string;
  readonly chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
}

export type ApiReply = WholeReply | StreamReply;
