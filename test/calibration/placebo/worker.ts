// Runs one trial after the other for `pool.ts`.
import { parentPort } from 'node:worker_threads';
import { countsOf, type Trial } from './trial.ts';

parentPort?.on('message', (trial: Trial) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(countsOf(trial));
});
