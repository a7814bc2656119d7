import { Worker } from 'node:worker_threads';
import { SEALED_BYTES } from '@assay/core/timelock/sizes';
import { Semaphore } from '../platform/semaphore.ts';

/** What the thread gets at once. */
export type OpeningBatch = readonly Uint8Array[];

/** Messages that the thread opens before it answers, which takes about half a second. */
const BATCH = 25;
/** The megabytes of the thread's JavaScript heap. It holds one batch and the tables of the curve. */
const HEAP_MB = 128;
/** One thread at a time, because each occupies a core for as long as it runs. */
const semaphore = new Semaphore(1);

export interface OpeningOptions {
  /** Stops the opening; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Is called after each batch with the number of messages that are done. */
  readonly onProgress?: (done: number) => void;
}

/**
 * Opens messages that were sealed to the round of a signature, in a thread: each takes some 20 ms of processor time, and what
 * the process serves is not delayed. The result has one place for each message, in order, with the 32 bytes that were sealed,
 * or undefined where `openSealed` gives that. The signature is not verified here.
 *
 * One opening runs at a time, and the others wait. Beside the messages and the result the memory of one batch is needed.
 */
export async function openAllSealed(
  signature: Uint8Array,
  sealed: readonly Uint8Array[],
  options: OpeningOptions = {},
): Promise<readonly (Uint8Array | undefined)[]> {
  options.signal?.throwIfAborted();
  if (sealed.length === 0) return [];
  return semaphore.run(() => inThread(signature, sealed, options));
}

async function inThread(
  signature: Uint8Array,
  sealed: readonly Uint8Array[],
  { signal, onProgress }: OpeningOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./opening-worker.js', import.meta.url), {
    workerData: new Uint8Array(signature),
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    env: {},
  });
  let leave = (): void => undefined;
  try {
    return await new Promise((resolve, reject) => {
      leave = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', leave, { once: true });
      const opened: (Uint8Array | undefined)[] = [];
      const next = (): void => {
        const batch: OpeningBatch = sealed
          .slice(opened.length, opened.length + BATCH)
          .map(sendable);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(batch);
      };
      worker.on('message', (messages: readonly (Uint8Array | undefined)[]) => {
        opened.push(...messages);
        onProgress?.(opened.length);
        if (opened.length >= sealed.length) resolve(opened);
        else next();
      });
      worker.once('error', reject);
      worker.once('exit', (code) => {
        reject(new Error(`a thread that opened sealed messages ended with ${code}`));
      });
      next();
    });
  } finally {
    signal?.removeEventListener('abort', leave);
    await worker.terminate();
  }
}

/** A copy of its own, because with a part of a buffer the whole buffer is sent; nothing of what cannot be opened. */
function sendable(sealed: Uint8Array): Uint8Array {
  return sealed.length === SEALED_BYTES ? new Uint8Array(sealed) : new Uint8Array(0);
}
