import { Fault, messageOf } from '@assay/core/fault';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { Answer, LogReader } from '@assay/verifier/log-reader';

const TIMEOUT_MS = 30_000;
const TRIES = 3;
const BACK_OFF_MS = 500;

/** Reads a log from its server. Throws `unreachable`, `timeout` or `too_large`: nothing of it is believed. */
export function httpReader(base: string): LogReader {
  const root = base.replace(/\/+$/, '');
  return { live: true, get: (path) => getWithRetries(`${root}${path}`) };
}

async function getWithRetries(url: string): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await get(url);
      const busy = answer.status === 429 || answer.status >= 500;
      if (!busy || attempt === TRIES) return answer;
    } catch (error) {
      if (attempt === TRIES || (error instanceof Fault && error.code === 'too_large')) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, BACK_OFF_MS * attempt));
  }
}

async function get(url: string): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { redirect: 'error', signal });
    const body = await readBody(response, url);
    return { status: response.status, body, logSize: readSize(response) };
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const timeout = signal.aborted;
    throw new Fault(timeout ? 'timeout' : 'unreachable', 'log server', {
      at: url,
      expected: 'an answer',
      found: timeout ? `none in ${TIMEOUT_MS / 1000} s` : reasonOf(cause),
      cause,
    });
  }
}

async function readBody(response: Response, url: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (response.body === null) return new Uint8Array(0);
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > MAX_PAGE_BYTES) {
      throw new Fault('too_large', 'answer', {
        at: url,
        expected: `${MAX_PAGE_BYTES} bytes at most`,
      });
    }
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function readSize(response: Response): number | undefined {
  const text = response.headers.get('assay-log-size');
  return text !== null && /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
}

/** The system's own word for a failed fetch, which hides it in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) {
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : messageOf(cause);
  }
  return messageOf(error);
}
