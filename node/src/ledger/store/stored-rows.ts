import { Fault } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { isSameSum, RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import { MemoryViews } from '@assay/core/view/state';
import { openRow } from './sealed-row.ts';
import type { LedgerStore, SealedRow } from './store.ts';

/** The view rows of a store, each with its digest, which together have the sum in the head. */
export interface StoredRows {
  readonly views: MemoryViews;
  /** The undamaged rows of the table that is no view's. */
  readonly beside: readonly SealedRow[];
}

/**
 * Reads all view rows. `expected` is what the head says of them. `beside` is a table of the caller's own, which
 * belongs to no view. Throws `ledger_corrupt` if a row does not have its digest, or if they are not all that
 * were stored.
 */
export async function loadRows(
  sha256: Sha256,
  store: Pick<LedgerStore, 'views'>,
  expected: RowsSum,
  beside?: string,
): Promise<StoredRows> {
  const root = new RowsRoot();
  const views = new MemoryViews();
  const others: SealedRow[] = [];
  for await (const row of store.views()) {
    const write = openRow(sha256, row);
    root.add(row.digest as Hash);
    if (row.table === beside) others.push(row);
    else views.write([write]);
  }
  const found = root.sum();
  if (!isSameSum(found, expected)) {
    throw new Fault('ledger_corrupt', 'view rows', {
      expected: `${expected.rows} with the root ${expected.rows_root}, as the head has it`,
      found: `${found.rows} with the root ${found.rows_root}`,
    });
  }
  return { views, beside: others };
}
