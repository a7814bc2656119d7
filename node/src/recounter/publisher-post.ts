import { withDeadline } from '../platform/deadline.ts';
import { boundedFetch } from '../platform/bounded-fetch.ts';
import type { PostStatement } from './recounter-parts.ts';

const TITLE = 'publisher';
/**
 * The time from the request to the last byte of the answer, which waits until a checkpoint holds the statement.
 */
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 65_536;

/**
 * Sends statements to `<base>/statements`. Throws `unreachable`, `timeout`, `too_large` or `redirect_refused`.
 */
export function postTo(base: string, timeoutMs: number = TIMEOUT_MS): PostStatement {
  const url = `${base.replace(/\/+$/, '')}/statements`;
  return (body, stop) =>
    withDeadline(
      timeoutMs,
      TITLE,
      (signal) =>
        boundedFetch({
          title: TITLE,
          method: 'POST',
          url,
          headers: { 'content-type': 'application/json' },
          body,
          maxBytes: MAX_ANSWER_BYTES,
          signal,
        }),
      stop,
    );
}
