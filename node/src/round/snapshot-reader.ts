import { concatBytes } from '@assay/core/bytes/bytes';
import { copyDiffers } from '@assay/core/read/custody';
import { faultCode } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { MAX_READ_BYTES } from '@assay/core/limits';
import type { PageBytes } from '@assay/core/read/reading';
import type { Read } from '@assay/core/report/report';
import { fillRequest } from '@assay/core/rule/fill';
import { readSteps, type ScaledSeries } from '@assay/core/rule/interpret';
import type { Provider, Retain, Rule } from '@assay/core/rule/rule';
import { formatSnapshot, type Page, type Snapshot } from '@assay/core/read/snapshot';
import { formatTime } from '@assay/core/time/time';
import type { Clock } from '../platform/clock.ts';
import type { Sleep } from '../source/http-source.ts';
import { runReading } from '../source/reading-thread.ts';
import type { Source, SourceFailure, SourcePage } from '../source/source.ts';
import { makeText } from '../source/text.ts';

/** One provider's read with the bytes that it is made from. */
export interface SourceRead {
  readonly provider: Provider;
  readonly read: Read;
  /** Empty if nothing came back. */
  readonly pages: readonly PageBytes[];
  /** What the rule reads instead of the pages, if its provider demands a text and there is one. */
  readonly text: Uint8Array | null;
  /** What the revision provider shows for every period; undefined for others, and if it is no series. */
  readonly series: ScaledSeries | undefined;
  readonly snapshot: Snapshot | undefined;
  /**
   * What must be in the blob store before an entry names this read: the manifest, and the pages and the text if
   * its terms allow that.
   */
  readonly blobs: readonly Uint8Array[];
}

export interface ReaderParts {
  readonly source: Source;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** 32 bytes that nobody can guess, which hide what is not stored. The commitment of a round has the same. */
  readonly salt: Uint8Array;
  /** Aborts reads under way. What has been read is still recorded. */
  readonly signal?: AbortSignal;
  /** Waits while text is extracted from pages. The default is the system's timer. */
  readonly sleep?: Sleep;
}

/**
 * Asks all providers of a rule for a period at once. A custody copy has no value if its content differs from
 * the record of its group.
 */
export async function readProviders(
  rule: Rule,
  period: number,
  parts: ReaderParts,
): Promise<readonly SourceRead[]> {
  const reads = await Promise.all(
    rule.providers.map((provider) => readProvider(rule, provider, period, parts)),
  );
  return reads.map((each) => {
    const { provider, snapshot } = each;
    if (provider.role !== 'custody' || snapshot === undefined) return each;
    const record = reads.find(
      (other) => other.provider.role === 'record' && other.provider.group === provider.group,
    );
    if (!copyDiffers(record?.snapshot, snapshot)) return each;
    return { ...each, read: { ...each.read, outcome: 'copy_differs', value: null } };
  });
}

/**
 * Asks one provider for a period, extracts the text that its rule wants, and runs the rule on the result.
 * Nothing is stored here.
 */
export async function readProvider(
  rule: Rule,
  provider: Provider,
  period: number,
  { source, sha256, now, signal, sleep, salt }: ReaderParts,
): Promise<SourceRead> {
  const request = fillRequest(provider.request, period, rule);
  const answer = await source.read(request, signal === undefined ? {} : { signal });
  const about = (): Omit<Read, 'outcome' | 'value' | 'snapshot'> => ({
    provider: provider.id,
    role: provider.role,
    retain: provider.retain,
    read_at: formatTime(now()),
  });
  const failed = (outcome: SourceFailure): SourceRead => {
    const read: Read = { ...about(), outcome, value: null, snapshot: null };
    const nothing = { pages: [], text: null, series: undefined, snapshot: undefined, blobs: [] };
    return { provider, read, ...nothing };
  };
  if (answer.kind === 'failed') return failed(answer.reason);
  const length = answer.pages.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (length > MAX_READ_BYTES) return failed('too_large');
  const parts = { source, signal, sleep };
  const made = await orTooLarge(() =>
    makeText(rule, provider, request, answer.pages, period, parts),
  );
  if (made.kind === 'failed') return failed(made.reason);
  // The bytes are there now. The time that it takes to read them, and to wait for other readings, is not part
  // of when they were read.
  const had = about();
  const hash = (bytes: Uint8Array): HashHex => hashHex(contentHash(sha256, bytes));
  const text = made.kind === 'text' ? made.bytes : null;
  const snapshot: Snapshot = {
    type: 'assay-snapshot/1',
    provider: provider.id,
    request,
    pages: manifestPages(answer.pages, provider.retain, salt, hash),
    extractor:
      made.kind === 'text'
        ? { name: made.name, version: made.version, text_sha256: hash(made.bytes) }
        : null,
    retain: provider.retain,
  };
  const manifest = formatSnapshot(snapshot);
  const passes = readSteps(provider);
  const found = await orTooLarge(() =>
    runReading('answer', [rule, provider, answer.pages, period, text], { passes, signal }),
  );
  if ('kind' in found) return failed(found.reason);
  const { reading, series } = found;
  const value = reading.outcome === 'ok' ? reading.value.toString() : null;
  const kept = [...answer.pages.map(({ bytes }) => bytes), ...(text === null ? [] : [text])];
  return {
    provider,
    read: { ...had, outcome: reading.outcome, value, snapshot: hash(manifest) },
    pages: answer.pages,
    text,
    series,
    snapshot,
    blobs: [manifest, ...(provider.retain === 'bytes' ? kept : [])],
  };
}

/**
 * If a reading needs more memory than a thread has, the source has failed, as with an answer that is too long.
 */
async function orTooLarge<T>(
  work: () => Promise<T>,
): Promise<T | { readonly kind: 'failed'; readonly reason: 'too_large' }> {
  try {
    return await work();
  } catch (error) {
    if (faultCode(error) === 'too_large') return { kind: 'failed', reason: 'too_large' };
    throw error;
  }
}

/**
 * An answer as its manifest lists it. If the terms do not allow anything to be stored, it is one page without a
 * length: the hash of a salt and of all the pages' hashes. The number of pages and their lengths could reveal a
 * level, and so could the hash of a page that can be guessed.
 */
function manifestPages(
  pages: readonly SourcePage[],
  retain: Retain,
  salt: Uint8Array,
  hash: (bytes: Uint8Array) => HashHex,
): readonly Page[] {
  if (retain !== 'none') {
    return pages.map(({ status, contentType, bytes }) => ({
      status,
      sha256: hash(bytes),
      length: bytes.length,
      content_type: contentType,
    }));
  }
  const status = pages.find((each) => each.status !== 200)?.status ?? 200;
  const hashes = concatBytes(salt, ...pages.map(({ bytes }) => parseHex(hash(bytes), 32)));
  return [{ status, sha256: hash(hashes), length: 0, content_type: null }];
}
