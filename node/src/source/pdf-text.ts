import { Worker } from 'node:worker_threads';
import { MAX_PAGE_BYTES } from '@assay/core/limits';

/** The library and the way in which its runs are joined: another of either may give other text. */
export const PDF_EXTRACTOR = { name: 'unpdf', version: '1.8.1+lines.1' } as const;

export interface PdfLimits {
  /** Milliseconds from the first byte to the last letter. */
  readonly ms: number;
  /** Megabytes of JavaScript heap. */
  readonly heapMb: number;
  /** Bytes of the text. */
  readonly maxBytes: number;
}

const PDF_LIMITS: PdfLimits = { ms: 60_000, heapMb: 512, maxBytes: MAX_PAGE_BYTES };

/**
 * The text layer of a PDF, UTF-8; undefined for what is none, has no letter, or costs more than the
 * limits. The library is loaded in a thread of its own, and only where there is a PDF to read.
 */
export function pdfText(
  bytes: Uint8Array,
  given: Partial<PdfLimits> = {},
): Promise<Uint8Array | undefined> {
  const limits = { ...PDF_LIMITS, ...given };
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
