import { parentPort, workerData } from 'node:worker_threads';
import { doReading, type Task } from './readings.ts';

// A separate thread, so that the one that serves goes on meanwhile.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(doReading(workerData as Task));
