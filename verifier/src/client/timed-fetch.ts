import { Fault } from '@assay/core/fault';
import type { Fetch, HttpResponse } from '../reader/http-reader.ts';
import { MAX_TIMER_MS, pause, web } from './web.ts';

const TRIES = 3;
/** Seconds of the longest pause that is accepted. A server that asks for a longer one counts as unreachable. */
const MAX_PAUSE_S = 60;

/**
 * The platform's `fetch` with a time limit for each answer, its body included, and up to two more tries where the
 * server is busy (429 and 503, after `Retry-After`). A server that sends nothing, or never ends, is a `timeout`.
 */
export function timedFetch(timeoutMs: number, fetch: typeof web.fetch = web.fetch): Fetch {
  const once = async (url: string): Promise<HttpResponse> => {
    const controller = new web.AbortController();
    let late: (fault: Fault) => void = () => undefined;
    const passed = new Promise<never>((_, reject) => {
      late = reject;
    });
    // Nobody waits for it where the answer came first.
    passed.catch(() => undefined);
    const timer = web.setTimeout(
      () => {
        late(
          new Fault('timeout', 'log server', { at: url, expected: `an answer in ${timeoutMs} ms` }),
        );
        controller.abort();
      },
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    const stop = (): void => web.clearTimeout(timer);
    try {
      const init = { redirect: 'error', signal: controller.signal };
      const response = await Promise.race([fetch(url, init), passed]);
      return withBody(response, passed, stop);
    } catch (error) {
      stop();
      throw error;
    }
  };
  return async (url) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await once(url);
      const isBusy = response.status === 429 || response.status === 503;
      const wait = Number(/^[0-9]{1,9}$/.exec(response.headers.get('retry-after') ?? '')?.[0] ?? 1);
      if (!isBusy || attempt === TRIES || wait > MAX_PAUSE_S) return response;
      // A connection that fails while it is closed is closed.
      await response.body
        ?.getReader()
        .cancel()
        .catch(() => undefined);
      await pause(wait * 1000);
    }
  };
}

/** The same response, the end of whose body is awaited no longer than `passed`. */
function withBody(response: HttpResponse, passed: Promise<never>, stop: () => void): HttpResponse {
  const { status, headers, body } = response;
  if (body === null) {
    stop();
    return response;
  }
  return {
    status,
    headers: { get: (name) => headers.get(name) },
    body: {
      getReader() {
        const reader = body.getReader();
        return {
          async read() {
            try {
              const part = await Promise.race([reader.read(), passed]);
              if (part.done) stop();
              return part;
            } catch (error) {
              stop();
              throw error;
            }
          },
          cancel() {
            stop();
            return reader.cancel();
          },
        };
      },
    },
  };
}
