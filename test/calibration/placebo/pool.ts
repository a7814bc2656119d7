import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Count, Counts } from './counts.ts';
import type { Trial } from './trial.ts';

const PROGRAM = new URL('worker.js', import.meta.url);

/**
 * The counts of all trials, on so many threads. Which thread takes a trial depends on the machine, and what comes out
 * does not. `progress` is told how many are done.
 */
export async function runTrials(
  trials: readonly Trial[],
  threads: number,
  progress: (done: number) => void = () => {},
): Promise<Counts> {
  const counts = new Counts();
  let [next, done] = [0, 0];
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(PROGRAM);
      try {
        while (next < trials.length) {
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
          worker.postMessage(trials[next]);
          next += 1;
          const [answer] = (await once(worker, 'message')) as [readonly Count[]];
          counts.add(answer);
          done += 1;
          progress(done);
        }
      } finally {
        await worker.terminate();
      }
    }),
  );
  return counts;
}
