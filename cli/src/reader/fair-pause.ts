import { setImmediate, setTimeout } from 'node:timers/promises';

/** Milliseconds of processor time that nobody is kept from by more than an event loop's turn. */
const SHORT_MS = 250;
/** The longest pause, in milliseconds: a stretch of work on a page at the limits takes less. */
const LONGEST_MS = 30_000;

/** Milliseconds of processor time of this process. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * A pause for work on several logs at once that share a thread: after a long stretch it takes as long as the stretch did, so
 * that the others have half of the time at least, whatever one of them brings. `used`: milliseconds of processor time, which only
 * rise.
 */
export function fairPause(
  used: () => number = processorMs,
  sleep: (ms: number) => Promise<unknown> = setTimeout,
): () => Promise<void> {
  let before = used();
  return async () => {
    const now = used();
    const stretch = now - before;
    before = now;
    if (stretch < SHORT_MS) await setImmediate();
    else await sleep(Math.min(stretch, LONGEST_MS));
  };
}
