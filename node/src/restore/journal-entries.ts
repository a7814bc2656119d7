import { cp } from 'node:fs/promises';
import { faultCode } from '@assay/core/fault';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatHead, type OlderHead } from '@assay/core/view/head';
import { FileHeadGuard } from '../ledger/guard/file-head-guard.ts';
import type { TakenEpoch } from '../ledger/guard/head-guard.ts';
import { gapsIn } from '../ledger/pending-entries.ts';
import { sumOf } from '../ledger/store/sealed-row.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { errorCode } from '../platform/durable-file.ts';

/**
 * Gives a copy of a database, whose head is `stored`, the entries that the journal of its guard has and that a power failure
 * took from it, with the head that they lead to. Nothing is done where the journal is missing or damaged, or does not
 * continue what is stored; whoever reads the copy compares the entries with its head. `scratch` is a place for a copy of the
 * journal, because opening one writes to it.
 */
export async function addJournalEntries(
  sha256: Sha256,
  store: LedgerStore,
  stored: OlderHead,
  journal: string,
  scratch: string,
): Promise<void> {
  const row = await rowOf(journal, scratch);
  const size = row?.head?.size ?? 0;
  if (row?.head === undefined || (row.pending[0]?.from?.size ?? size) > stored.size) return;
  const entries = await gapsIn(store, row.pending, Math.max(size, stored.size));
  const isLonger = size > stored.size;
  if (entries.length === 0 && !isLonger) return;
  const head = isLonger
    ? formatHead(sha256, { size, root: hashHex(row.head.root), ...sumOf([]) })
    : null;
  await store.commit({ entries, tiles: [], views: [], head });
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
