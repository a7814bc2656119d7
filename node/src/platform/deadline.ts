import { Fault } from '@assay/core/fault';

/** The longest delay that a timer of Node accepts. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that aborts after `ms`, and rejects with `timeout` then, even if the work ignores
 * the signal; its later result is dropped. The timer is explicit and cleared, because Node may collect a signal
 * of AbortSignal.timeout that nothing else holds. Rejects with `unreachable` once `outer` aborts, before the
 * deadline.
 */
export async function withDeadline<T>(
  ms: number,
  title: string,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  if (!(ms > 0 && ms <= MAX_MS)) throw new TypeError('withDeadline: milliseconds above 0');
  if (outer?.aborted === true) throw givenUp(title);
  const controller = new AbortController();
  let end: (fault: Fault) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = (fault) => {
      reject(fault);
      controller.abort(fault);
    };
  });
  const timer = setTimeout(() => {
    end(new Fault('timeout', title, { expected: `an answer within ${ms} ms` }));
  }, ms);
  const stop = (): void => end(givenUp(title));
  outer?.addEventListener('abort', stop);
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
    // The rest of an answer that is not wanted need not arrive.
    controller.abort();
  }
}

function givenUp(title: string): Fault {
  return new Fault('unreachable', title, { found: 'given up' });
}
