import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash';
import type { PageBytes } from '@assay/core/reading';
import { readPages } from '@assay/core/reading';
import type { Read } from '@assay/core/report';
import { fillRequest } from '@assay/core/rule/fill';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { formatSnapshot, type Snapshot } from '@assay/core/snapshot';
import { formatTime } from '@assay/core/time';
import type { BlobStore } from './blob-store.ts';
import type { Clock } from './clock.ts';
import type { Source } from './source/source.ts';

/** One provider's read with the bytes that it rests on. */
export interface SourceRead {
  readonly provider: Provider;
  readonly read: Read;
  /** Empty when nothing came back. */
  readonly pages: readonly PageBytes[];
}

export interface ReaderParts {
  readonly source: Source;
  readonly blobs: BlobStore;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Aborts reads under way; what has been read is still recorded. */
  readonly signal?: AbortSignal;
}

/**
 * Asks one provider for a period, keeps what its terms let us keep, and runs the rule on it. The
 * kept bytes are durable when this resolves, so that an entry may name them.
 */
export async function readProvider(
  rule: Rule,
  provider: Provider,
  period: number,
  { source, blobs, sha256, now, signal }: ReaderParts,
): Promise<SourceRead> {
  const request = fillRequest(provider.request, period);
  const answer = await source.read(request, signal === undefined ? {} : { signal });
  const about = {
    provider: provider.id,
    role: provider.role,
    retain: provider.retain,
    read_at: formatTime(now()),
  };
  if (answer.kind === 'failed') {
    const read: Read = { ...about, outcome: answer.reason, value: null, snapshot: null };
    return { provider, read, pages: [] };
  }
  const snapshot: Snapshot = {
    type: 'assay-snapshot/1',
    provider: provider.id,
    request,
    pages: answer.pages.map(({ status, contentType, bytes }) => ({
      status,
      sha256: hashHex(contentHash(sha256, bytes)),
      length: bytes.length,
      content_type: contentType,
    })),
    extractor: null,
    retain: provider.retain,
  };
  const manifest: HashHex = await blobs.put(formatSnapshot(snapshot));
  if (provider.retain === 'bytes') {
    for (const { bytes } of answer.pages) await blobs.put(bytes);
  }
  const reading = readPages(rule, provider, answer.pages, period);
  const value = reading.outcome === 'ok' ? reading.value.toString() : null;
  return {
    provider,
    read: { ...about, outcome: reading.outcome, value, snapshot: manifest },
    pages: answer.pages,
  };
}
