import { Fault, messageOf } from '@assay/core/fault';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { pauseUnless } from './deadline.ts';

const TIMEOUT_MS = 30_000;
const TRIES = 3;
const BACK_OFF_MS = 500;
/** A server that asks for a longer pause has given up on us. */
const MAX_PAUSE_S = 60;

/**
 * Reads a log from its server; nothing of it is believed. Throws `unreachable`, `timeout` or
 * `too_large`. A server that is busy or broken, in its own words (429, 5xx), has not answered: that is
 * no finding about the log.
 */
export function httpReader(base: string, stop?: AbortSignal): LogReader {
  const root = base.replace(/\/+$/, '');
  return { live: true, get: (path) => getWithRetries(`${root}${path}`, stop) };
}

async function getWithRetries(url: string, stop: AbortSignal | undefined): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === TRIES;
    let pauseMs = BACK_OFF_MS * attempt;
    const reply = await get(url, stop).catch((error: unknown) => {
      const final = error instanceof Fault && error.code === 'too_large';
      if (last || final || stop?.aborted === true) throw error;
      return undefined;
    });
    if (reply !== undefined) {
      const { answer, retryAfterS } = reply;
      if (answer.status !== 429 && answer.status < 500) return answer;
      if (last || retryAfterS > MAX_PAUSE_S) throw unreachable(url, `status ${answer.status}`);
      pauseMs = Math.max(pauseMs, retryAfterS * 1000);
    }
    await pauseUnless(stop, pauseMs);
  }
}

interface Reply {
  readonly answer: Answer;
  /** 0 where the server names none. */
  readonly retryAfterS: number;
}

async function get(url: string, stop: AbortSignal | undefined): Promise<Reply> {
  // A timer and a controller of our own: Node may forget a signal of AbortSignal.timeout, or of
  // AbortSignal.any, that nothing else holds.
  const controller = new AbortController();
  const { signal } = controller;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, TIMEOUT_MS);
  const onStop = (): void => controller.abort();
  stop?.addEventListener('abort', onStop);
  if (stop?.aborted === true) onStop();
  try {
    const response = await fetch(url, { redirect: 'error', signal });
    const body = await readBody(response, url);
    const retryAfter = response.headers.get('retry-after') ?? '';
    return {
      answer: { status: response.status, body, logSize: readSize(response) },
      retryAfterS: /^[0-9]{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0,
    };
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    if (!signal.aborted) throw unreachable(url, reasonOf(cause), cause);
    const found = late ? `none in ${TIMEOUT_MS / 1000} s` : 'none in the time given';
    throw new Fault('timeout', 'log server', { at: url, expected: 'an answer', found, cause });
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', onStop);
  }
}

function unreachable(url: string, found: string, cause?: unknown): Fault {
  return new Fault('unreachable', 'log server', { at: url, expected: 'an answer', found, cause });
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
