import {
  type Catalogue,
  formatCatalogue,
  formatListing,
  type Listing,
  placeOf,
} from '@assay/core/answer/copy/catalogue';
import {
  exportedAnswers,
  exportedProofs,
  type ExportedType,
} from '@assay/core/answer/copy/exported';
import { setImmediate as turn } from 'node:timers/promises';
import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import type { BlobStore } from '../blob/blob-store.ts';
import { readNamedBlob } from '../blob/named-blob.ts';
import type { Published } from '../ledger/publishing.ts';
import type { LogRecord } from '../ledger/record.ts';
import { JSON_TYPE } from '../http/reply.ts';

/** A file of a catalogue. */
export interface AnswerFile {
  readonly name: string;
  readonly hash: HashHex;
  readonly contentType: string;
  /** Undefined where the caller has said that it knows the file. */
  readonly body: Uint8Array | undefined;
}

/** All answers for one size of the log, and the bytes that name them. */
export interface AnswersAt {
  /** What was published when they were made. */
  readonly published: Published;
  readonly files: readonly AnswerFile[];
  readonly listings: ReadonlyMap<HashHex, Uint8Array>;
  readonly catalogue: Uint8Array;
}

const TYPES: Readonly<Record<ExportedType, string>> = {
  'application/json': JSON_TYPE,
  'text/csv': 'text/csv; charset=utf-8',
  'application/problem+json': 'application/problem+json',
  'application/vnd.opentimestamps.ots': 'application/vnd.opentimestamps.ots',
};

/** Milliseconds of work after which other work has its turn. */
const SLICE_MS = 10;
/** How often answers are begun anew because the log has grown meanwhile, before they are made without a pause. */
const TRIES = 3;

export interface AnswerParts {
  readonly record: Pick<LogRecord, 'published' | 'shown'>;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly sha256: Sha256;
  readonly reports: number;
}

/**
 * Makes the answers for the published size, in slices between which other work has its turn. The rows change when the
 * log grows, so that what was made of the former ones is dropped then; at the last try nothing comes between. `known`
 * says of which files the bytes are not needed any more. Undefined while nothing is published.
 */
export async function answersNow(
  parts: AnswerParts,
  known: (hash: HashHex) => boolean,
): Promise<AnswersAt | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const made = await tryAnswers(parts, known, attempt < TRIES);
    if (made !== 'grown') return made;
  }
}

async function tryAnswers(
  { record, blobs, sha256, reports }: AnswerParts,
  known: (hash: HashHex) => boolean,
  pauses: boolean,
): Promise<AnswersAt | undefined | 'grown'> {
  const { published, shown } = record;
  if (published === undefined) return undefined;
  const { size } = published;
  let begun = performance.now();
  const files: AnswerFile[] = [];
  const take = (name: string, type: ExportedType, body: Uint8Array): void => {
    const hash = hashHex(contentHash(sha256, body));
    files.push({ name, hash, contentType: TYPES[type], body: known(hash) ? undefined : body });
  };
  for (const { name, contentType, body } of exportedAnswers(shown, sha256, reports)) {
    take(name, contentType, body);
    if (!pauses || performance.now() - begun < SLICE_MS) continue;
    await turn();
    if (record.published?.size !== size) return 'grown';
    begun = performance.now();
  }
  const proofs = [...exportedProofs(shown, sha256, reports)].map(({ name, tip, body }) => ({
    name,
    tip,
    // What leads to the timestamp is made of the rows now, and the timestamp is read afterwards.
    path: body(new Uint8Array(0)),
  }));
  for (const { name, tip, path } of proofs) {
    const bytes = await readNamedBlob(blobs, sha256, tip);
    if (bytes === undefined || path === undefined) continue;
    take(name, 'application/vnd.opentimestamps.ots', Buffer.concat([path, bytes]));
  }
  return { published, files, ...named(sha256, { size, reports }, files) };
}

/** The catalogue of files, and the listings that it names. */
function named(
  sha256: Sha256,
  of: Pick<Catalogue, 'size' | 'reports'>,
  files: readonly AnswerFile[],
): Pick<AnswersAt, 'listings' | 'catalogue'> {
  const byFolder = new Map<string, Map<string, HashHex>>();
  for (const { name: file, hash } of files) {
    const { folder, name } = placeOf(file);
    const listing = byFolder.get(folder) ?? new Map<string, HashHex>();
    listing.set(name, hash);
    byFolder.set(folder, listing);
  }
  const listings = new Map<HashHex, Uint8Array>();
  const folders = new Map<string, HashHex>();
  for (const [folder, listing] of byFolder) {
    const bytes = formatListing(listing satisfies Listing);
    const hash = hashHex(contentHash(sha256, bytes));
    listings.set(hash, bytes);
    folders.set(folder, hash);
  }
  return { listings, catalogue: formatCatalogue({ ...of, folders }) };
}
