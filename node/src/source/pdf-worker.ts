import { parentPort, workerData } from 'node:worker_threads';
import { pdfLines } from './pdf-lines.ts';

// A separate thread, so that the time and memory that a hostile PDF takes end with it.
const text = await pdfLines(workerData as Uint8Array);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(text);
