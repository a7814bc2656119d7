import { Fault } from '@assay/core/fault';
import { boundedFetch } from '../platform/bounded-fetch.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { MirrorReader } from './served-log.ts';

const TITLE = 'log server';

export interface HttpLogReaderOptions {
  /** From the request to the last byte of the answer. */
  readonly timeoutMs?: number;
}

/** Long enough for the largest bundle, 17 MB, at 280 kB per second. */
const TIMEOUT_MS = 60_000;

/**
 * Reads a log from its server at `base`, without trusting it. Every answer is limited in bytes and in time:
 * `too_large`, `timeout`. Otherwise throws `unreachable` (also for 429 and 5xx, because a server that is busy
 * or broken has not answered) or `redirect_refused`. It does not retry, because whoever follows a log polls
 * again anyway.
 */
export function httpLogReader(
  base: string,
  { timeoutMs = TIMEOUT_MS }: HttpLogReaderOptions = {},
): MirrorReader {
  const root = base.replace(/\/+$/, '');
  return {
    get(path, maxBytes, stop) {
      return withDeadline(
        timeoutMs,
        TITLE,
        async (signal) => {
          const answer = await boundedFetch({
            title: TITLE,
            method: 'GET',
            url: `${root}${path}`,
            headers: {},
            maxBytes,
            signal,
          });
          if (answer.status === 429 || answer.status >= 500) {
            throw new Fault('unreachable', TITLE, { at: path, found: `status ${answer.status}` });
          }
          return answer;
        },
        stop,
      );
    },
  };
}
