import { setImmediate } from 'node:timers/promises';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import type { TextKind } from '@assay/core/rule/rule';
import type { VerifyThreads } from './verify-threads.ts';
import type { Environment, ExtractedText } from '@assay/verifier/verdict/environment';

/**
 * Verification with OpenSSL, with signatures on every core. With `extract`, text is extracted from PDFs again;
 * the library for it is loaded at the first one. With `threads`, the rules run on every core too.
 */
export function nodeEnvironment(
  progress?: Environment['progress'],
  extract: boolean = false,
  threads?: VerifyThreads,
): Environment {
  return {
    sha256: nodeSha256,
    ...(threads?.tools ?? { verifySignature: nodeVerifySignatureAsync }),
    pause: () => setImmediate(),
    ...(progress === undefined ? {} : { progress }),
    ...(extract ? { extractText } : {}),
  };
}

async function extractText(
  kind: TextKind,
  pages: readonly Uint8Array[],
): Promise<ExtractedText | undefined> {
  const [page] = pages;
  if (kind !== 'pdf' || page === undefined) return undefined;
  const { PDF_EXTRACTOR, pdfText } = await import('@assay/node/source/pdf-text');
  return { ...PDF_EXTRACTOR, bytes: (await pdfText(page)) ?? null };
}
