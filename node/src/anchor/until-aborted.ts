import { Fault } from '@assay/core/fault';

/** Returns the result of `work`. Throws `timeout` once `signal` aborts; a later result is dropped. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Fault('timeout', 'anchoring', { found: 'it is stopped' }));
  });
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
