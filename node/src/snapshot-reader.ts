import { contentHash, hashHex, type Sha256 } from '@assay/core/hash';
import { type PageBytes, readPages } from '@assay/core/reading';
import type { Read } from '@assay/core/report';
import { fillRequest } from '@assay/core/rule/fill';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { formatSnapshot, type Snapshot } from '@assay/core/snapshot';
import { formatTime } from '@assay/core/time';
import type { Clock } from './clock.ts';
import type { Source } from './source/source.ts';

/** One provider's read with the bytes that it rests on. */
export interface SourceRead {
  readonly provider: Provider;
  readonly read: Read;
  /** Empty when nothing came back. */
  readonly pages: readonly PageBytes[];
  /** What must be in the blob store before an entry names this read: the manifest, and pages by its terms. */
  readonly blobs: readonly Uint8Array[];
}

export interface ReaderParts {
  readonly source: Source;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Aborts reads under way; what has been read is still recorded. */
  readonly signal?: AbortSignal;
}

/** Asks one provider for a period and runs the rule on what comes back. Nothing is stored here. */
export async function readProvider(
  rule: Rule,
  provider: Provider,
  period: number,
  { source, sha256, now, signal }: ReaderParts,
): Promise<SourceRead> {
  const request = fillRequest(provider.request, period, rule);
  const answer = await source.read(request, signal === undefined ? {} : { signal });
  const about = {
    provider: provider.id,
    role: provider.role,
    retain: provider.retain,
    read_at: formatTime(now()),
  };
  if (answer.kind === 'failed') {
    const read: Read = { ...about, outcome: answer.reason, value: null, snapshot: null };
    return { provider, read, pages: [], blobs: [] };
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
  const manifest = formatSnapshot(snapshot);
  const reading = readPages(rule, provider, answer.pages, period);
  const value = reading.outcome === 'ok' ? reading.value.toString() : null;
  return {
    provider,
    read: {
      ...about,
      outcome: reading.outcome,
      value,
      snapshot: hashHex(contentHash(sha256, manifest)),
    },
    pages: answer.pages,
    blobs: [
      manifest,
      ...(provider.retain === 'bytes' ? answer.pages.map(({ bytes }) => bytes) : []),
    ],
  };
}
