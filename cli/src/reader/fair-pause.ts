import { setImmediate, setTimeout } from 'node:timers/promises';

/** The milliseconds of processor time after which others should run. */
const SHORT_MS = 250;
/** The longest pause in milliseconds. Work on a page at the limits takes less. */
const LONGEST_MS = 30_000;

/** The milliseconds of processor time of this process. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * A pause for work on several logs that share a thread: after a long piece of work it takes as long as the work
 * did, so that the others have at least half of the time, whatever one of them brings. `used` returns
 * milliseconds of processor time, which only rise.
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
