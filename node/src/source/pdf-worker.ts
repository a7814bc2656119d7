import { parentPort, workerData } from 'node:worker_threads';
import { pdfLines } from './pdf-lines.ts';

// A thread of its own: what a hostile PDF costs in time and memory ends with it.
const text = await pdfLines(workerData as Uint8Array);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(text);
