import { Fault, messageOf } from '@assay/core/fault';
import { Semaphore } from '@assay/node/platform/semaphore';
import { answerOf, isBusy, unreachable } from '@assay/verifier/reader/http-reader';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { pauseUnless } from './deadline.ts';

const TIMEOUT_MS = 30_000;
const TRIES = 3;
const BACK_OFF_MS = 500;
/** The longest pause that is accepted. A server that asks for a longer one counts as unreachable. */
const MAX_PAUSE_S = 60;

/** Requests that may be under way at once, whatever asks for them, at a server that makes each answer. */
const AT_ONCE = 12;
/** The same at a host of files, where the time of a visit would otherwise be that of the way there and back. */
export const FILES_AT_ONCE = 64;

/**
 * Reads a log from its server without trusting it. At most `atOnce` requests are under way, and while the server asks for
 * a pause no other is begun. Throws `unreachable`, `timeout` or `too_large`. A server
 * that reports itself busy or broken (429, 5xx) has not answered, which is no finding about the log.
 */
export function httpReader(base: string, stop?: AbortSignal, atOnce: number = AT_ONCE): LogReader {
  const root = base.replace(/\/+$/, '');
  const turns = new Semaphore(atOnce);
  const pause: Pause = { until: 0 };
  return {
    live: true,
    get: (path) => turns.run(() => getWithRetries(`${root}${path}`, pause, stop)),
  };
}

/** Until when a server wants no request, in milliseconds of `performance.now()`. */
interface Pause {
  until: number;
}

async function getWithRetries(
  url: string,
  pause: Pause,
  stop: AbortSignal | undefined,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === TRIES;
    let pauseMs = BACK_OFF_MS * attempt;
    const wanted = pause.until - performance.now();
    if (wanted > 0) await pauseUnless(stop, wanted);
    const reply = await get(url, stop).catch((error: unknown) => {
      const final = error instanceof Fault && error.code === 'too_large';
      if (last || final || stop?.aborted === true) throw error;
      return undefined;
    });
    if (reply !== undefined) {
      const { answer, retryAfterS } = reply;
      if (!isBusy(answer.status)) return answer;
      if (last || retryAfterS > MAX_PAUSE_S) throw unreachable(url, `status ${answer.status}`);
      pauseMs = Math.max(pauseMs, retryAfterS * 1000);
      pause.until = Math.max(pause.until, performance.now() + retryAfterS * 1000);
    }
    await pauseUnless(stop, pauseMs);
  }
}

interface Reply {
  readonly answer: Answer;
  /** 0 if the server names none. */
  readonly retryAfterS: number;
}

async function get(url: string, stop: AbortSignal | undefined): Promise<Reply> {
  // An explicit timer and controller, because Node may collect a signal of AbortSignal.timeout or
  // AbortSignal.any that nothing else holds.
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
    const answer = await answerOf(response, url);
    const retryAfter = response.headers.get('retry-after') ?? '';
    return {
      answer,
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

/** What the codes of the system mean to somebody who does not know them. */
const PLAIN: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no host of that name; is the address spelled right?',
  EAI_AGAIN: 'no answer of the name service; is this machine online?',
  ECONNREFUSED: 'nothing that listens there; is the service running, and the port right?',
  ECONNRESET: 'a connection that was cut off',
  EHOSTUNREACH: 'no way to that host; is this machine online?',
  ENETUNREACH: 'no way to that network; is this machine online?',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'a connection that was cut off',
  EPROTO: 'no TLS; does the address begin with http:// in place of https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS; does the address begin with http:// in place of https://?',
  CERT_HAS_EXPIRED: 'a certificate that has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'a certificate that nobody has vouched for',
  SELF_SIGNED_CERT_IN_CHAIN: 'a certificate that nobody has vouched for',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'a certificate that nobody has vouched for',
  ERR_TLS_CERT_ALTNAME_INVALID: 'a certificate of another host',
};

/** Why a fetch has failed, for an error message: in plain words, and with the code of the system. */
function reasonOf(error: unknown): string {
  const words = systemReason(error);
  const plain = Object.hasOwn(PLAIN, words) ? PLAIN[words] : undefined;
  if (plain !== undefined) return `${plain} (${words})`;
  // fetch refuses some ports, such as 1, by the list of the Fetch standard.
  return words === 'bad port' ? 'none: no web server may have this port' : words;
}

/** The system's error code of a failed fetch, which is hidden in the cause. */
function systemReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) {
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : messageOf(cause);
  }
  return messageOf(error);
}
