import { Fault } from '@assay/core/fault';
import { type ApiCaller, MAX_ANSWER } from '@assay/node/mcp/api-caller';
import { boundedFetch } from '@assay/node/platform/bounded-fetch';

const TIMEOUT_MS = 30_000;

const encoder = new TextEncoder();

/**
 * Calls the API of the server at `base`. Throws a Fault where it gives no answer: `unreachable`, `timeout`, `too_large`,
 * `redirect_refused`, or `refused` for a target that would lead to another path.
 */
export function httpCaller(base: string): ApiCaller {
  return {
    base,
    call: async ({ method, target, body, idempotencyKey }) => {
      const url = base + target;
      // What a URL is resolved to must be what was meant.
      if (new URL(url).href !== url) throw new Fault('refused', 'path', { found: target });
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
      try {
        return await boundedFetch({
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
          signal: timeout.signal,
        });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
