import { entryBody, scanEntry } from '@assay/core/log/entry';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { BodyParser } from '@assay/core/kind/kinds';
import {
  formatPackHeader,
  formatRecordHeader,
  MAX_PACKED_BYTES,
  partLength,
  splitPack,
} from '@assay/core/log/pack';
import type { BlobReader, BlobStore } from './blob-store.ts';
import { blobsOf, type NamedBlob, pagesOf } from './named-blobs.ts';

/** Blobs that are looked up at the same time. */
const AT_ONCE = 16;
/** Bytes of the pieces in which a part is sent. */
const PIECE = 65_536;

/** A blob of a pack and its bytes. */
interface PlannedBlob {
  readonly hash: HashHex;
  readonly size: number;
}

/** Which blobs the parts of a pack hold (docs/spec/pack.md). */
export interface PackPlan {
  readonly parts: readonly (readonly PlannedBlob[])[];
  /** Whether every blob that the bundle leads to was there. */
  readonly whole: boolean;
}

/** The pack of a bundle of `entries`, as far as its blobs are in `blobs` and have their hash. */
export async function planPack(
  entries: readonly Uint8Array[],
  blobs: Pick<BlobStore, 'checked'>,
  parseBody: BodyParser,
): Promise<PackPlan> {
  const named = unique(entries.flatMap((entry) => namedIn(entry, parseBody)));
  let whole = true;
  const sizes = new Map<HashHex, number>();
  const lookUp = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const found = await soundOf(blobs, hash);
    if (found === undefined) whole = false;
    else sizes.set(hash, found.size);
    return found;
  };
  const found = await inOrder(named, async ({ hash, role }) => {
    const reader = await lookUp(hash);
    if (role !== 'manifest' || reader === undefined || reader.size > MAX_PACKED_BYTES) return [];
    return pagesOf(await bytesOf(reader));
  });
  const pages = unique(found.flat()).filter(({ hash }) => !sizes.has(hash));
  await inOrder(pages, ({ hash }) => lookUp(hash));
  const order = unique(named.flatMap((each, i) => [each, ...(found[i] as readonly NamedBlob[])]));
  const there = order.flatMap(({ hash }) => {
    const size = sizes.get(hash);
    return size === undefined ? [] : [{ hash, size }];
  });
  const split = splitPack(there.map(({ size }) => size));
  return { parts: split.map((part) => part.map((i) => there[i] as PlannedBlob)), whole };
}

/** Bytes of one part of a pack. */
export function plannedLength({ parts }: PackPlan, part: number): number {
  return partLength((parts[part] ?? []).map(({ size }) => size));
}

/**
 * The bytes of one part of a pack, in pieces. Throws `blob_missing` or `blob_differs` for a blob that is no longer as it
 * was when the pack was planned.
 */
export async function* packPieces(
  { parts }: PackPlan,
  part: number,
  blobs: Pick<BlobStore, 'checked'>,
): AsyncGenerator<Uint8Array> {
  const records = parts[part] ?? [];
  let pieces: Uint8Array[] = [formatPackHeader(part, parts.length, records.length)];
  let waiting = 0;
  for (const { hash, size } of records) {
    const reader = await blobs.checked(hash);
    if (reader?.size !== size) {
      const found = reader === undefined ? 'none' : `${reader.size} bytes`;
      throw new Fault('blob_missing', 'blob', { at: hash, expected: `${size} bytes`, found });
    }
    pieces.push(formatRecordHeader(hash, size));
    for await (const chunk of reader.chunks()) {
      pieces.push(chunk);
      waiting += chunk.length;
      if (waiting < PIECE) continue;
      yield concatBytes(...pieces);
      pieces = [];
      waiting = 0;
    }
  }
  yield concatBytes(...pieces);
}

/** What an entry names; nothing for one that has not the form of its kind. */
function namedIn(entry: Uint8Array, parseBody: BodyParser): readonly NamedBlob[] {
  try {
    const layout = scanEntry(entry);
    const known = parseBody(layout.kind, entryBody(entry, layout));
    return known === undefined ? [] : blobsOf(known);
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return [];
  }
}

/** A blob that has its hash; undefined where there is none, or a damaged one. */
async function soundOf(
  blobs: Pick<BlobStore, 'checked'>,
  hash: HashHex,
): Promise<BlobReader | undefined> {
  try {
    return await blobs.checked(hash);
  } catch (error) {
    if (faultCode(error) !== 'blob_differs') throw error;
    return undefined;
  }
}

async function bytesOf(reader: BlobReader): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reader.chunks()) chunks.push(chunk);
  return concatBytes(...chunks);
}

/** The first of those with the same hash. */
function unique(named: readonly NamedBlob[]): readonly NamedBlob[] {
  const kept = new Map<HashHex, NamedBlob>();
  for (const each of named) if (!kept.has(each.hash)) kept.set(each.hash, each);
  return [...kept.values()];
}

/** The results of `work` in the order of `items`, with at most `AT_ONCE` under way. */
async function inOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return results;
}
