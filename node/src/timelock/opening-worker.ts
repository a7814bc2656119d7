import { parentPort, workerData } from 'node:worker_threads';
import { openSealed } from '@assay/core/timelock/sealed';
import type { OpeningBatch } from './opening-thread.ts';

// A separate thread, so that the one that serves goes on meanwhile.
const signature = workerData as Uint8Array;
parentPort?.on('message', (batch: OpeningBatch) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(batch.map((sealed) => openSealed(signature, sealed)));
});
