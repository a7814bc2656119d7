import { cp } from 'node:fs/promises';
import { faultCode } from '@assay/core/fault';
import { hashHex } from '@assay/core/hash/hash';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import type { OlderHead } from '@assay/core/view/head';
import { FileHeadGuard } from '../ledger/guard/file-head-guard.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import type { BareHead, PendingBatch, TakenEpoch } from '../ledger/guard/head-guard.ts';
import { fillGaps, gapsIn, pendingStart } from '../ledger/pending-entries.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import type { DataFolder } from '../platform/data-folder.ts';
import { errorCode } from '../platform/durable-file.ts';
import { readBounded } from './bounded-file.ts';

const MAX_WRITER_BYTES = 65_536;

/** A guard that can be read: nothing was signed beyond its head. */
export interface WholeGuard {
  readonly state: 'whole';
  readonly head: BareHead;
  /** Batches that the database may lack. */
  readonly pending: readonly PendingBatch[];
}

/**
 * What is left of the head guard of a data folder. `missing` and `damaged`: its journal alone may have had the last second of
 * entries that were acknowledged, because the database is synced behind the commits. `elsewhere`: it is in a database, which
 * was not lost with the folder, and which the next start compares.
 */
export type LeftGuard =
  | WholeGuard
  | { readonly state: 'missing' }
  | { readonly state: 'damaged' }
  | { readonly state: 'elsewhere' };

/** Reads the guard of a folder. `scratch` is a place for a copy of its journal, because opening one writes to it. */
export async function readLeftGuard(
  { guard, head, writer }: DataFolder,
  scratch: string,
): Promise<LeftGuard> {
  const row = await rowOf(guard, scratch);
  if (row === 'damaged') return { state: 'damaged' };
  // A node that was refused without its guard leaves a journal that has no head.
  if (row?.head !== undefined) return { state: 'whole', head: row.head, pending: row.pending };
  const earlier = await earlierGuard(head);
  if (earlier !== undefined) return { state: 'whole', head: earlier, pending: [] };
  const isElsewhere = (await readBounded(writer, MAX_WRITER_BYTES)) !== undefined;
  return { state: isElsewhere ? 'elsewhere' : 'missing' };
}

async function rowOf(
  journal: string,
  scratch: string,
): Promise<TakenEpoch | 'damaged' | undefined> {
  try {
    await cp(journal, scratch, { recursive: true });
    const guard = await FileHeadGuard.open(scratch, { sync: false });
    try {
      return await guard.peek();
    } finally {
      await guard.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'EIO' || faultCode(error) === 'guard_corrupt') return 'damaged';
    throw error;
  }
}

/** The head in the guard of release 0.1, which is the signed note itself; undefined if there is none. */
async function earlierGuard(path: string): Promise<BareHead | undefined> {
  try {
    const held = await FileNoteSlot.peek(path);
    return held?.kind === 'accepted' ? parseCheckpoint(parseNote(held.note).text) : undefined;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Gives a copy of a database, whose head is `stored`, the entries that its guard has and that a power failure took from it, with
 * the head that they lead to. Nothing is done where they do not continue what is stored; whoever reads the copy compares the
 * entries with its head.
 */
export async function addGuardEntries(
  store: LedgerStore,
  stored: OlderHead,
  { head: { size, root }, pending }: WholeGuard,
): Promise<void> {
  if ((pendingStart(pending) ?? size) > stored.size) return;
  const next = size > stored.size ? { size, root: hashHex(root) } : stored;
  await fillGaps(store, await gapsIn(store, pending, next.size), next);
}
