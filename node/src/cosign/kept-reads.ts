import { equalBytes } from '@assay/core/bytes/bytes';
import { copyDiffers } from '@assay/core/read/custody';
import { faultCode } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { MAX_READ_BYTES } from '@assay/core/limits';
import type { PageBytes } from '@assay/core/read/reading';
import type { Read, Report } from '@assay/core/report/report';
import { fillRequest } from '@assay/core/rule/fill';
import { readSteps } from '@assay/core/rule/interpret';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { parseSnapshot, type Snapshot } from '@assay/core/read/snapshot';
import { parseDate } from '@assay/core/time/time';
import { formatWire } from '@assay/core/wire/wire';
import { runReading } from '../source/reading-thread.ts';

/** Returns the bytes that the log stores under a hash; undefined if there are none. They are not trusted. */
export type KeptBytes = (hash: HashHex) => Promise<Uint8Array | undefined>;

export interface KeptParts {
  readonly sha256: Sha256;
  readonly kept: KeptBytes;
  /** Reads of the caller's own. The rule gives the same result for the same snapshot. */
  readonly own: readonly Read[];
  /** Aborts what is under way. */
  readonly signal?: AbortSignal;
}

/**
 * The reads of a report as its rule makes them from the bytes that the log stores. For a source that gave
 * nothing there is only the publisher's claim. Undefined if bytes are missing, differ from what was stated, may
 * not be stored, or need more memory than there is: then the rule cannot be run on them.
 */
export async function keptReads(
  rule: Rule,
  report: Report,
  parts: KeptParts,
): Promise<readonly Read[] | undefined> {
  const known = sameBytes(report, parts.own);
  if (known !== undefined) return known;
  const reads: Read[] = [];
  const manifests = new Map<string, Snapshot>();
  for (const [i, provider] of rule.providers.entries()) {
    const read = report.reads[i];
    if (read?.provider !== provider.id) return undefined;
    if (read.snapshot === null) {
      // A read that gave nothing cannot have given a value.
      reads.push({
        ...read,
        outcome: read.outcome === 'ok' ? 'malformed' : read.outcome,
        value: null,
      });
      continue;
    }
    const period = parseDate(report.period);
    const snapshot = await manifestOf(read.snapshot, rule, provider, period, parts);
    if (snapshot === undefined) return undefined;
    manifests.set(provider.id, snapshot);
    const again = await readAgain(read, snapshot, rule, provider, period, parts);
    if (again === undefined) return undefined;
    const record = rule.providers.find(
      ({ role, group }) => role === 'record' && group === provider.group,
    );
    const original = record && manifests.get(record.id);
    const differs = provider.role === 'custody' && copyDiffers(original, snapshot);
    reads.push(differs ? { ...again, outcome: 'copy_differs', value: null } : again);
  }
  return reads;
}

/** If the caller has read every snapshot itself, by hash, the rule has been run on it already. */
function sameBytes(report: Report, own: readonly Read[]): readonly Read[] | undefined {
  const same = report.reads.map((read, i) => {
    const mine = own[i];
    const isSame = mine?.provider === read.provider && mine.snapshot === read.snapshot;
    return isSame && mine.snapshot !== null
      ? { ...read, outcome: mine.outcome, value: mine.value }
      : undefined;
  });
  return same.every((read) => read !== undefined) ? same : undefined;
}

async function readAgain(
  read: Read,
  snapshot: Snapshot,
  rule: Rule,
  provider: Provider,
  period: number,
  parts: KeptParts,
): Promise<Read | undefined> {
  const same = parts.own.find((own) => own.snapshot === read.snapshot);
  if (same !== undefined && same.outcome !== 'copy_differs') {
    return { ...read, outcome: same.outcome, value: same.value };
  }
  if (snapshot.retain !== 'bytes') return undefined;
  const pages: PageBytes[] = [];
  let length = 0;
  for (const page of snapshot.pages) {
    length += page.length;
    const bytes = length > MAX_READ_BYTES ? undefined : await bytesOf(page.sha256, parts);
    if (bytes?.length !== page.length) return undefined;
    pages.push({ status: page.status, bytes });
  }
  const { extractor } = snapshot;
  const text = extractor === null ? null : await bytesOf(extractor.text_sha256, parts);
  if (text === undefined) return undefined;
  const { signal } = parts;
  const passes = readSteps(provider);
  const found = await runReading('answer', [rule, provider, pages, period, text], {
    passes,
    signal,
  }).catch((error: unknown) => {
    if (faultCode(error) === 'too_large') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const { reading } = found;
  const value = reading.outcome === 'ok' ? reading.value.toString() : null;
  return { ...read, outcome: reading.outcome, value };
}

/** Returns the manifest if it answers the request of the rule to the provider for the period. */
async function manifestOf(
  hash: HashHex,
  rule: Rule,
  provider: Provider,
  period: number,
  parts: KeptParts,
): Promise<Snapshot | undefined> {
  const bytes = await bytesOf(hash, parts);
  if (bytes === undefined) return undefined;
  const snapshot = parsed(bytes);
  if (snapshot === undefined) return undefined;
  const request = fillRequest(provider.request, period, rule);
  const isAsked =
    snapshot.provider === provider.id &&
    snapshot.retain === provider.retain &&
    (provider.text !== 'none' || snapshot.extractor === null) &&
    equalBytes(wireBytes(snapshot.request), wireBytes(request));
  return isAsked ? snapshot : undefined;
}

function parsed(bytes: Uint8Array): Snapshot | undefined {
  try {
    return parseSnapshot(bytes);
  } catch {
    return undefined;
  }
}

const wireBytes = (value: object): Uint8Array => formatWire(value);

async function bytesOf(
  hash: HashHex,
  { sha256, kept }: KeptParts,
): Promise<Uint8Array | undefined> {
  const bytes = await kept(hash);
  return bytes !== undefined && hashHex(contentHash(sha256, bytes)) === hash ? bytes : undefined;
}
