import { Worker } from 'node:worker_threads';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { nodeSha256 } from '../platform/node-sha256.ts';

/** The library and the version of how its runs are joined. Another of either may give another text. */
export const PDF_EXTRACTOR = { name: 'unpdf', version: '1.7.0+lines.1' } as const;

export interface PdfLimits {
  /** Milliseconds from the first byte to the whole text. */
  readonly ms: number;
  /** Megabytes of JavaScript heap. */
  readonly heapMb: number;
  /** Bytes of the text. */
  readonly maxBytes: number;
}

const PDF_LIMITS: PdfLimits = { ms: 60_000, heapMb: 512, maxBytes: MAX_PAGE_BYTES };

/** How many texts are cached: a custody copy, and the next read of the same release, have the same bytes. */
const HELD = 8;
const HELD_BYTES = 1_048_576;
const held = new Map<string, Promise<Uint8Array | undefined>>();

/**
 * The text layer of a PDF in UTF-8; undefined for what is no PDF, contains no letter, or exceeds the limits.
 * The library is loaded in a separate thread, and only if there is a PDF to read.
 */
export async function pdfText(
  bytes: Uint8Array,
  given: Partial<PdfLimits> = {},
): Promise<Uint8Array | undefined> {
  const limits = { ...PDF_LIMITS, ...given };
  const key = `${hashHex(contentHash(nodeSha256, bytes))}${JSON.stringify(limits)}`;
  const before = held.get(key);
  if (before !== undefined) return before;
  const taken = takeText(bytes, limits);
  held.set(key, taken);
  const [oldest] = held.keys();
  if (held.size > HELD && oldest !== undefined) held.delete(oldest);
  const text = await taken;
  // A PDF without a text may have one when the machine is less busy.
  if (text === undefined || text.length > HELD_BYTES) held.delete(key);
  return text;
}

function takeText(bytes: Uint8Array, limits: PdfLimits): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./pdf-worker.js', import.meta.url), {
      workerData: bytes.slice(),
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
      env: {},
      stdout: true,
      stderr: true,
    });
    const done = (text: string): void => {
      clearTimeout(timer);
      void worker.terminate();
      const out = Buffer.from(text);
      resolve(out.length === 0 || out.length > limits.maxBytes ? undefined : new Uint8Array(out));
    };
    const timer = setTimeout(() => {
      done('');
    }, limits.ms);
    worker.once('message', done);
    worker.once('error', () => {
      done('');
    });
    worker.once('exit', () => {
      done('');
    });
  });
}
