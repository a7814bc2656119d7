import { Worker } from 'node:worker_threads';
import { Fault } from '@assay/core/fault';
import { Semaphore } from '../platform/semaphore.ts';
import { doReading, type Readings, type Task } from './readings.ts';

/**
 * The most passes times bytes of a reading that is done at once, which takes at most some tens of milliseconds.
 */
const MOST_AT_ONCE = 1_048_576;
/**
 * The megabytes of the thread's JavaScript heap. A page with as many values as are allowed takes about one
 * gigabyte.
 */
const HEAP_MB = 4096;
/** One thread at a time, because each may take that much memory. */
const semaphore = new Semaphore(1);

export interface ReadingOptions {
  /** How often the reading goes over the bytes. */
  readonly passes: number;
  /** Aborts the reading. */
  readonly signal?: AbortSignal | undefined;
  /** The most passes times bytes of what is done at once, for tests. */
  readonly atOnce?: number;
  /** Megabytes of the thread's JavaScript heap; for tests. */
  readonly heapMb?: number;
}

/**
 * Reads a source's bytes: at once if there are few, and otherwise in a thread, so that a page at the limits,
 * which may take seconds, does not delay what the process serves. The result is the same. Rejects with
 * `too_large` if the thread does not have enough memory, and with the signal's reason.
 */
export async function runReading<N extends keyof Readings>(
  name: N,
  given: Parameters<Readings[N]>,
  options: ReadingOptions,
): Promise<ReturnType<Readings[N]>> {
  const task = { name, given } as unknown as Task;
  const { passes, atOnce = MOST_AT_ONCE } = options;
  const found =
    passes * bytesOf(given) <= atOnce
      ? doReading(task)
      : await semaphore.run(() => inThread(task, options));
  return found as ReturnType<Readings[N]>;
}

/** The bytes of all pages and texts among the arguments of a reading. */
function bytesOf(given: readonly unknown[]): number {
  return given.reduce((sum: number, each) => {
    if (each instanceof Uint8Array) return sum + each.length;
    if (Array.isArray(each)) return sum + bytesOf(each);
    const { bytes } = (each ?? {}) as { readonly bytes?: unknown };
    return bytes instanceof Uint8Array ? sum + bytes.length : sum;
  }, 0);
}

async function inThread(
  task: Task,
  { signal, heapMb = HEAP_MB }: ReadingOptions,
): Promise<ReturnType<typeof doReading>> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./reading-worker.js', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    env: {},
  });
  let leave = (): void => undefined;
  try {
    return await new Promise((resolve, reject) => {
      leave = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', leave, { once: true });
      worker.once('message', resolve);
      worker.once('error', (error: NodeJS.ErrnoException) => {
        const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        const expected = `what ${heapMb} MB of memory are enough for`;
        reject(isMemory ? new Fault('too_large', 'answer', { expected }) : error);
      });
      worker.once('exit', (code) => {
        reject(new Error(`a thread that read an answer ended with ${code}`));
      });
    });
  } finally {
    signal?.removeEventListener('abort', leave);
    await worker.terminate();
  }
}
