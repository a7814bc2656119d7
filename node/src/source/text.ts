import { MAX_PAGE_BYTES, MAX_READ_BYTES } from '@assay/core/limits';
import type { PageBytes } from '@assay/core/read/reading';
import type { SourceRequest } from '@assay/core/source/request';
import type { Provider, Rule } from '@assay/core/rule/rule';
import type { SolanaTransaction } from '@assay/core/read/solana-text';
import { type Sleep, systemSleep } from './http-source.ts';
import { runReading } from './reading-thread.ts';
import { SOLANA_EXTRACTOR, type SolanaLimits, solanaInstructions } from './solana-instructions.ts';
import type { Source, SourceFailure } from './source.ts';

/**
 * What the rule reads instead of the pages; `none` if it reads the pages, or if nothing could be extracted from
 * them.
 */
export type MadeText =
  | {
      readonly kind: 'text';
      readonly name: string;
      readonly version: string;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly reason: SourceFailure; readonly detail: string };

export interface TextParts {
  readonly source: Source;
  readonly signal?: AbortSignal | undefined;
  readonly sleep?: Sleep | undefined;
  readonly solana?: Partial<SolanaLimits> | undefined;
}

const NONE: MadeText = { kind: 'none' };

/**
 * Extracts the text that a provider's rule asks for from an answer of any source. Pages that are no whole
 * answer give none, and the reading says why.
 */
export async function makeText(
  rule: Rule,
  provider: Provider,
  request: SourceRequest,
  pages: readonly PageBytes[],
  period: number,
  parts: TextParts,
): Promise<MadeText> {
  if (provider.text === 'none' || pages.some(({ status }) => status !== 200)) return NONE;
  const bytes = pages.map((page) => page.bytes);
  const { signal } = parts;
  const listed = await runReading('listed', [rule, provider, bytes, period], { passes: 2, signal });
  if (listed === undefined) return NONE;
  const room = bytes.reduce((left, each) => left - each.length, MAX_READ_BYTES);
  const maxBytes = Math.min(room, MAX_PAGE_BYTES);
  const made =
    provider.text === 'pdf'
      ? await pdf(bytes[0] as Uint8Array, maxBytes)
      : await solanaText(request, listed, parts);
  if (made.kind !== 'text') return made;
  const repeated = parts.source.repeated?.(request, made.bytes);
  if (repeated !== undefined) {
    const detail = `the text repeats secret ${repeated}`;
    return { kind: 'failed', reason: 'unreachable', detail };
  }
  return made.bytes.length > maxBytes
    ? { kind: 'failed', reason: 'too_large', detail: `a text of ${made.bytes.length} bytes` }
    : made;
}

async function pdf(bytes: Uint8Array, maxBytes: number): Promise<MadeText> {
  const { PDF_EXTRACTOR, pdfText } = await import('./pdf-text.ts');
  const text = await pdfText(bytes, { maxBytes });
  return text === undefined ? NONE : { kind: 'text', ...PDF_EXTRACTOR, bytes: text };
}

async function solanaText(
  request: SourceRequest,
  listed: readonly SolanaTransaction[],
  { source, signal, sleep = systemSleep, solana = {} }: TextParts,
): Promise<MadeText> {
  const controller = new AbortController();
  const leave = (): void => {
    controller.abort(signal?.reason);
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', leave, { once: true });
  const ms = source.readMs ?? DEFAULT_MS;
  const timer = setTimeout(leave, ms);
  try {
    const text = await solanaInstructions(request, listed, {
      ask: (each) => source.read(each, { signal: controller.signal }),
      sleep,
      signal: controller.signal,
      limits: solana,
    });
    if (!(text instanceof Uint8Array)) return { kind: 'failed', ...text };
    return { kind: 'text', ...SOLANA_EXTRACTOR, bytes: text };
  } catch (error) {
    signal?.throwIfAborted();
    if (!controller.signal.aborted) throw error;
    return { kind: 'failed', reason: 'timeout', detail: `no whole text within ${ms} ms` };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    // If one transaction failed, the others under way are not needed.
    controller.abort();
  }
}

/** The milliseconds for the transactions of a source that names no time of its own. */
const DEFAULT_MS = 900_000;
