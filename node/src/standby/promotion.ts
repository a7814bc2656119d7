import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import type { BlobStore } from '../blob/blob-store.ts';
import { pagesOf } from '../blob/named-blobs.ts';
import { readNamedBlob } from '../blob/named-blob.ts';
import type { KnownHead, Stored } from '../ledger/start.ts';
import { rangeHash } from '../ledger/tree-reader.ts';
import type {
  BareHead,
  GuardRow,
  HeadGuard,
  PendingBatch,
  TakenEpoch,
} from '../ledger/guard/head-guard.ts';
import { namedBlobs } from './blob-follower.ts';
import type { Grounds, Shown } from './grounds.ts';

export interface PromotionParts {
  readonly sha256: Sha256;
  readonly guard: Pick<HeadGuard, 'take'> & {
    /** The row with its batches, without taking it. */
    readonly peek: () => Promise<TakenEpoch | undefined>;
  };
  /** The name under which this folder holds the row. */
  readonly writer: string;
  /** What is stored in this folder; undefined for nothing. */
  readonly stored: Stored | undefined;
  readonly blobs: Pick<BlobStore, 'read'>;
  /** Heads of the log that this folder knows to be signed. */
  readonly signed: readonly KnownHead[];
  /** Why the promotion may go on, asked before an epoch is taken and again after. */
  readonly grounds: () => Promise<Shown>;
}

/** What a promotion has done. */
export interface Promoted {
  readonly grounds: Grounds;
  readonly epoch: number;
  /** The writer that held the row before. */
  readonly before: string;
  /** The entries of the row's head. */
  readonly size: number;
  /** How many of them come from the guard's batches when the node starts. */
  readonly replayed: number;
  /** Blobs that those entries name, and that this folder does not have. */
  readonly lacking: readonly HashHex[];
}

/**
 * Takes the next epoch for a data folder, whoever holds the row, in the order of docs/commit.md. All that can be compared
 * before the epoch is taken is compared before, so that a promotion that cannot succeed shuts nobody out. Nothing is signed
 * here: the node does that when it starts, after it has taken an epoch as the writer that it now is.
 *
 * Throws `not_fenced`, `ledger_behind` where a head that was signed or cosigned is not part of the row, or where the row's
 * entries are not to be had, `ledger_differs`, `not_found` for a row that was never begun, and what the guard throws.
 */
export async function promote(parts: PromotionParts): Promise<Promoted> {
  const { guard, writer, signed } = parts;
  const row = await guard.peek();
  if (row === undefined) {
    throw new Fault('not_found', 'head guard', {
      expected: 'the row of a log that has a writer',
      found: 'none',
    });
  }
  const shown = await parts.grounds();
  const before = [...signed, ...shown.heads];
  await requireWithin(parts, row, before);
  await requireReached(parts, row.head, row.pending, before);
  const taken = await guard.take(writer, 'anybody');
  // The old writer may have gone on until now: whoever is asked again knows all of it.
  const { heads, grounds } = await parts.grounds();
  const known = [...signed, ...heads];
  await requireWithin(parts, taken, known);
  const replayed = await requireReached(parts, taken.head, taken.pending, known);
  return {
    grounds,
    epoch: taken.epoch,
    before: row.writer,
    size: taken.head?.size ?? 0,
    replayed: replayed.length,
    lacking: await lackingBlobs(parts, replayed),
  };
}

/** Throws unless each of these heads may be part of the row's, as far as that is known without the batches. */
async function requireWithin(
  { sha256, stored }: PromotionParts,
  { head }: GuardRow,
  known: readonly KnownHead[],
): Promise<void> {
  for (const { holder, checkpoint } of known) {
    if (checkpoint.size > (head?.size ?? 0)) {
      throw new Fault('ledger_behind', 'head guard', {
        expected: `at least ${checkpoint.size} entries, as ${holder} has seen signed`,
        found: `${head?.size ?? 0}: the row is an old one`,
      });
    }
    if (checkpoint.size === head?.size) requireSame(checkpoint, head.root, holder);
    if (stored === undefined || checkpoint.size > stored.head.size) continue;
    requireSame(checkpoint, await rootAt(sha256, stored, checkpoint.size), holder);
  }
  // What is stored beyond the row was never signed; what is stored within it has to be the row's.
  if (stored !== undefined && head !== undefined && head.size <= stored.head.size) {
    requireSame(head, await rootAt(sha256, stored, head.size), 'the head guard');
  }
}

/** Requires that the entries here and in the batches lead to the row's head, and returns those that are not here. */
async function requireReached(
  { sha256, stored }: PromotionParts,
  head: BareHead | undefined,
  pending: readonly PendingBatch[],
  known: readonly KnownHead[],
): Promise<readonly Uint8Array[]> {
  if (head === undefined) return [];
  const own = stored?.head.size ?? 0;
  if (own >= head.size) return [];
  const tree = stored?.tree.copy();
  const entries: Uint8Array[] = [];
  let size = own;
  for (const { from, to, entries: batch } of pending) {
    if (to.size <= size) continue;
    if ((from?.size ?? 0) > size) break;
    for (const entry of batch.slice(size - (from?.size ?? 0))) {
      entries.push(entry);
      tree?.append(leafHash(sha256, entry));
      size += 1;
      for (const { holder, checkpoint } of known) {
        if (checkpoint.size === size && tree !== undefined)
          requireSame(checkpoint, tree.root(), holder);
      }
    }
  }
  if (tree === undefined || size < head.size) {
    throw new Fault('ledger_behind', 'ledger', {
      expected: `the entries up to ${head.size}, here and in the head guard`,
      found: tree === undefined ? 'an empty folder' : `the first ${size}`,
    });
  }
  requireSame(head, tree.root(), 'the head guard');
  return entries;
}

async function rootAt(sha256: Sha256, { tiles }: Stored, size: number): Promise<Hash> {
  return rangeHash(sha256, tiles, { start: 0, end: size });
}

function requireSame({ size, root }: BareHead, own: Hash, holder: string): void {
  if (equalBytes(root, own)) return;
  throw new Fault('ledger_differs', 'ledger', {
    at: `size ${size}`,
    expected: `root ${hashHex(root)}, as ${holder} has it`,
    found: hashHex(own),
  });
}

async function lackingBlobs(
  { sha256, blobs }: PromotionParts,
  entries: readonly Uint8Array[],
): Promise<readonly HashHex[]> {
  const parseBody = bodyParser(sha256);
  const lacking = new Set<HashHex>();
  for (const { hash, role } of entries.flatMap((each) => namedBlobs(parseBody, each))) {
    const bytes = await readNamedBlob(blobs, sha256, hash);
    if (bytes === undefined) lacking.add(hash);
    else if (role === 'manifest') {
      for (const page of pagesOf(bytes)) {
        if ((await readNamedBlob(blobs, sha256, page.hash)) === undefined) lacking.add(page.hash);
      }
    }
  }
  return [...lacking];
}
