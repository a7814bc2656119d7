import { Fault } from '@assay/core/fault';

/** The longest wait that a timer of Node holds. */
const MAX_MS = 2 ** 31 - 1;

/**
 * `work` with a signal that aborts after `ms`. Rejects with `timeout` then, also where the work does
 * not heed the signal; what it comes to later is dropped. The timer is our own and cleared: Node may
 * forget a signal of AbortSignal.timeout that nothing else holds.
 */
export async function withDeadline<T>(
  ms: number,
  title: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!(ms > 0 && ms <= MAX_MS)) throw new TypeError('withDeadline: milliseconds above 0');
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const fault = new Fault('timeout', title, { expected: `an answer within ${ms} ms` });
      reject(fault);
      controller.abort(fault);
    }, ms);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    // What is left of an answer that is not wanted need not come.
    controller.abort();
  }
}
