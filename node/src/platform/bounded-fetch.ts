import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import { errorCode } from './durable-file.ts';

/** One request to a host that is not trusted. */
export interface BoundedRequest {
  /** What the answer is, for error messages, such as `calendar`. */
  readonly title: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Seconds after which to ask again, as the answer has them; absent where it names none. */
  readonly retryAfter?: string;
}

/** Sends a request, or throws a Fault. */
export type BoundedFetch = (request: BoundedRequest) => Promise<BoundedAnswer>;

/** Bytes of the body of an error, which is as long as whoever answers likes: a proxy answers for its server, in HTML. */
const MAX_ERROR_BYTES = 65_536;

/**
 * The answer to a request, of any status, with its whole body; of an error with what fits, in `maxBytes` or 64 KiB if that is
 * more. Throws `redirect_refused` for a redirect, `too_large` for another body over `maxBytes`, `timeout` once the signal aborts, and otherwise `unreachable`. No
 * error contains the address or a header, because both may contain a password.
 */
export const boundedFetch: BoundedFetch = async (request) => {
  const { title, method, url, headers, body, maxBytes, signal } = request;
  try {
    const response = await fetch(url, {
      method,
      headers: { 'user-agent': 'assay', 'accept-encoding': 'identity', ...headers },
      body: body === undefined ? null : Buffer.from(body),
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new Fault('redirect_refused', title, { found: `status ${status}` });
    }
    const read =
      status >= 400
        ? await readUpTo(response.body, Math.max(maxBytes, MAX_ERROR_BYTES))
        : await readBody(response.body, title, maxBytes);
    const whole = { status, body: read };
    const retryAfter = response.headers.get('retry-after') ?? '';
    // The other form of it is a date, which depends on two clocks.
    return /^\d{1,6}$/.test(retryAfter) ? { ...whole, retryAfter } : whole;
  } catch (error) {
    if (signal.aborted) throw lateFault(signal.reason, title);
    if (faultCode(error) !== undefined) throw error;
    throw new Fault('unreachable', title, { found: codeOf(error) });
  }
};

function lateFault(reason: unknown, title: string): unknown {
  return reason instanceof Fault ? reason : new Fault('timeout', title);
}

/** Returns only the code of an error of fetch, because its message quotes addresses. */
function codeOf(error: unknown): string {
  const code = errorCode(error instanceof Error ? error.cause : undefined) ?? '';
  return /^[A-Z0-9_]{1,48}$/.test(code) ? code : 'no answer';
}

/** The first bytes of a body, and nothing of the rest. */
async function readUpTo(
  body: AsyncIterable<Uint8Array> | null,
  mostBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    length += part.length;
    if (length >= mostBytes) break;
  }
  return concatBytes(...parts).subarray(0, mostBytes);
}

async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  title: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > maxBytes) {
      throw new Fault('too_large', title, { expected: `a body of at most ${maxBytes} bytes` });
    }
    parts.push(part);
  }
  return concatBytes(...parts);
}
