/** One call of the API, as a route takes it. */
export interface ApiCall {
  readonly method: 'GET' | 'POST';
  /** The path and the query, percent-encoded. */
  readonly target: string;
  /** What is sent as JSON. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Seconds, as the header has them; absent where the answer names none. */
  readonly retryAfter?: string | undefined;
}

/** Whoever answers calls of the API: the routes of this process, or a server at an address. */
export interface ApiCaller {
  /** The address of the service, without a slash at its end. */
  readonly base: string;
  /** Throws where nothing answers. */
  readonly call: (call: ApiCall) => Promise<ApiAnswer>;
}

/** The most bytes of an answer that are taken. */
export const MAX_ANSWER: number = 16 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** An answer as JSON; undefined where it is none. */
export function jsonOf({ body }: Pick<ApiAnswer, 'body'>): unknown {
  try {
    return JSON.parse(decoder.decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The target of a call: `pattern` with its names filled in. Undefined where a name would not stay in its segment,
 * because clients and proxies resolve segments of dots (RFC 3986, 6.2.2.3).
 */
export function targetOf(
  pattern: string,
  names: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): string | undefined {
  const segments: string[] = [];
  for (const segment of pattern.split('/')) {
    const value = segment.startsWith(':') ? names[segment.slice(1)] : undefined;
    if (segment.startsWith(':') && (value === undefined || /^\.{0,2}$/.test(value))) {
      return undefined;
    }
    if (value !== undefined && /\p{Cs}/u.test(value)) return undefined; // half a character
    segments.push(value === undefined ? segment : encodeURIComponent(value));
  }
  const after = new URLSearchParams(query).toString();
  return segments.join('/') + (after === '' ? '' : `?${after}`);
}
