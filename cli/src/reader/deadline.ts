import { setMaxListeners } from 'node:events';
import { Fault } from '@assay/core/fault';
import type { Limits } from '@assay/verifier/verdict/limits';

/** Requests that may wait for the same signal: more of them than Node's 10 are no leak. */
const MAX_REQUESTS = 100;

/** The end of the time that a command was given, for each of the ways in which it can pass. */
export interface Deadline {
  /** For requests: aborted by a timer. */
  readonly signal: AbortSignal;
  /** For work that lets no timer have its turn: it looks at the clock whenever it is asked. */
  readonly clock: Limits['signal'];
  /** For anything that is waited for: rejects with `timeout`. */
  readonly passed: Promise<never>;
}

/**
 * Does `work` with a deadline `seconds` after `from`. `now`: milliseconds that only ever rise, from the start of the process
 * on where it is not given.
 */
export async function withDeadline<T>(
  seconds: number,
  work: (deadline: Deadline) => Promise<T>,
  now: () => number = () => performance.now(),
  from: number = now(),
): Promise<T> {
  const end = from + seconds * 1000;
  const stop = new AbortController();
  setMaxListeners(MAX_REQUESTS, stop.signal);
  const clock = {
    get aborted(): boolean {
      return stop.signal.aborted || now() >= end;
    },
  };
  let late: (fault: Fault) => void = () => undefined;
  const passed = new Promise<never>((_, reject) => {
    late = reject;
  });
  // Where nobody waits any more it is nobody's failure.
  passed.catch(() => undefined);
  const timer = setTimeout(
    () => {
      stop.abort();
      late(new Fault('timeout', 'command', { expected: `an end within ${seconds} s` }));
    },
    Math.max(end - now(), 0),
  );
  try {
    return await work({ signal: stop.signal, clock, passed });
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves `ms` from now. Throws `timeout` as soon as `stop` is aborted: a pause is no reason to go on. */
export function pauseUnless(stop: AbortSignal | undefined, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onStop = (): void => {
      clearTimeout(timer);
      reject(new Fault('timeout', 'pause', { expected: 'an end before it was told to stop' }));
    };
    const timer = setTimeout(() => {
      stop?.removeEventListener('abort', onStop);
      resolve();
    }, ms);
    if (stop?.aborted === true) onStop();
    else stop?.addEventListener('abort', onStop, { once: true });
  });
}
