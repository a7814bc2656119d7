import { setMaxListeners } from 'node:events';
import { Fault } from '@assay/core/fault';
import type { Limits } from '@assay/verifier/verdict/limits';

/** How many requests may wait for the same signal. More than Node's limit of 10 are no leak here. */
const MAX_REQUESTS = 100;

/** The end of the time that a command has, in each of the forms in which it is needed. */
export interface Deadline {
  /** For requests: aborted by a timer. */
  readonly signal: AbortSignal;
  /** For work that blocks timers: reads the clock whenever it is asked. */
  readonly clock: Limits['signal'];
  /** For anything that is awaited: rejects with `timeout`. */
  readonly passed: Promise<never>;
}

/**
 * Runs `work` with a deadline `seconds` after `from`. `now` returns milliseconds that only rise; by default
 * they count from the start of the process.
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
  // If nobody waits any more, the rejection must not be unhandled.
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

/** Resolves `ms` from now. Throws `timeout` as soon as `stop` is aborted, also during a pause. */
export function pauseUnless(stop: AbortSignal | undefined, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onStop = (): void => {
      clearTimeout(timer);
      reject(new Fault('timeout', 'pause', { expected: 'an end before the deadline' }));
    };
    const timer = setTimeout(() => {
      stop?.removeEventListener('abort', onStop);
      resolve();
    }, ms);
    if (stop?.aborted === true) onStop();
    else stop?.addEventListener('abort', onStop, { once: true });
  });
}
