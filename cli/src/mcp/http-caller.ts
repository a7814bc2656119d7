import { Fault } from '@assay/core/fault';
import { type ApiAnswer, type ApiCaller, MAX_ANSWER } from '@assay/node/call/api-caller';
import { boundedFetch } from '@assay/node/platform/bounded-fetch';
import { withDeadline } from '@assay/node/platform/deadline';

const TIMEOUT_MS = 30_000;

const encoder = new TextEncoder();

/**
 * Calls the API of the server at `base`. Throws a Fault where it gives no answer: `unreachable`, `timeout`, `too_large`,
 * `redirect_refused`, or `refused` for a target that would lead to another path.
 */
export function httpCaller(base: string): ApiCaller {
  return {
    base,
    call: async ({ method, target, body, idempotencyKey, signal }) => {
      const url = base + target;
      // What a URL is resolved to must be what was meant.
      if (new URL(url).href !== url) throw new Fault('refused', 'path', { found: target });
      const ask = (ended: AbortSignal): Promise<ApiAnswer> =>
        boundedFetch({
          title: 'server',
          method,
          url,
          headers: {
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          ...(body === undefined ? {} : { body: encoder.encode(JSON.stringify(body)) }),
          maxBytes: MAX_ANSWER,
          signal: ended,
        });
      return withDeadline(TIMEOUT_MS, 'server', ask, signal);
    },
  };
}
