import { Fault } from '@assay/core/fault';

/** What `work` comes to; throws `timeout` once `signal` aborts, and what the work comes to then is dropped. */
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
