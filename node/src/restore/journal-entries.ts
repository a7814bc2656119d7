import { cp } from 'node:fs/promises';
import { faultCode } from '@assay/core/fault';
import { hashHex } from '@assay/core/hash/hash';
import type { OlderHead } from '@assay/core/view/head';
import { FileHeadGuard } from '../ledger/guard/file-head-guard.ts';
import type { TakenEpoch } from '../ledger/guard/head-guard.ts';
import { fillGaps, gapsIn, pendingStart } from '../ledger/pending-entries.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { errorCode } from '../platform/durable-file.ts';

/**
 * Gives a copy of a database, whose head is `stored`, the entries that the journal of its guard has and that a power failure
 * took from it, with the head that they lead to. Nothing is done where the journal is missing or damaged, or does not
 * continue what is stored; whoever reads the copy compares the entries with its head. `scratch` is a place for a copy of the
 * journal, because opening one writes to it.
 */
export async function addJournalEntries(
  store: LedgerStore,
  stored: OlderHead,
  journal: string,
  scratch: string,
): Promise<void> {
  const row = await rowOf(journal, scratch);
  if (row?.head === undefined) return;
  const { size, root } = row.head;
  if ((pendingStart(row.pending) ?? size) > stored.size) return;
  const next = size > stored.size ? { size, root: hashHex(root) } : stored;
  await fillGaps(store, await gapsIn(store, row.pending, next.size), next);
}

async function rowOf(journal: string, scratch: string): Promise<TakenEpoch | undefined> {
  try {
    await cp(journal, scratch, { recursive: true });
    const guard = await FileHeadGuard.open(scratch, { sync: false });
    try {
      return await guard.peek();
    } finally {
      await guard.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || faultCode(error) === 'guard_corrupt') return undefined;
    throw error;
  }
}
