import { Fault, messageOf } from '@assay/core/fault';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { concatBytes } from '@assay/core/bytes/bytes';
import type { Answer, LogReader } from './log-reader.ts';

/** What is used of the `Response` of `fetch`. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly body: HttpBody | null;
}

/** What is used of a stream of bytes. */
interface HttpBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}

/** What is used of `fetch`. A redirect is an error, because another address is another log. */
export type Fetch = (url: string, init: { readonly redirect: 'error' }) => Promise<HttpResponse>;

/**
 * Reads a log from its server, at `base` without a path of its own. Nothing that it answers is believed. The caller
 * gives `fetch`, with any time limits and retries. Throws `too_large`, and `unreachable` where there was no answer, or
 * where the server is busy or broken (status 429 or 5xx), which says nothing about the log.
 */
export function httpReader(base: string, fetch: Fetch): LogReader {
  const root = base.replace(/\/+$/, '');
  const get = async (path: string): Promise<Answer> => {
    const url = `${root}${path}`;
    let response;
    try {
      response = await fetch(url, { redirect: 'error' });
      if (!isBusy(response.status)) return await answerOf(response, url);
    } catch (cause) {
      if (cause instanceof Fault) throw cause;
      throw unreachable(url, messageOf(cause), cause);
    }
    throw unreachable(url, `status ${response.status}`);
  };
  return { live: true, get };
}

/** Whether this status means that a server cannot answer now. */
export function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}

/** The fault of a server that gave no answer. */
export function unreachable(url: string, found: string, cause?: unknown): Fault {
  return new Fault('unreachable', 'log server', { at: url, expected: 'an answer', found, cause });
}

/** The answer that a response brings. Throws `too_large` beyond `MAX_PAGE_BYTES`, and as the stream does. */
export async function answerOf(response: HttpResponse, url: string): Promise<Answer> {
  const body = await bodyOf(response, url);
  const size = response.headers.get('assay-log-size');
  const logSize = size !== null && /^(0|[1-9][0-9]{0,15})$/.test(size) ? Number(size) : undefined;
  return { status: response.status, body, logSize };
}

async function bodyOf(response: HttpResponse, url: string): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array(0);
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const bytes = part.value ?? new Uint8Array(0);
    length += bytes.length;
    if (length > MAX_PAGE_BYTES) {
      await reader.cancel();
      const expected = `${MAX_PAGE_BYTES} bytes at most`;
      throw new Fault('too_large', 'answer', { at: url, expected });
    }
    parts.push(bytes);
  }
  return concatBytes(...parts);
}
