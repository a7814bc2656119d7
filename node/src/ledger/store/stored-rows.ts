import { Fault } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { isSameSum, RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import { openRow } from './sealed-row.ts';
import type { LedgerStore, SealedRow } from './store.ts';

/**
 * Reads all view rows and holds none of them. `expected` is what the head says of them. `beside` is a table of the caller's
 * own, which belongs to no view, and whose rows are returned. Throws `ledger_corrupt` if a row does not have its digest, or
 * if they are not all that were stored.
 */
export async function checkRows(
  sha256: Sha256,
  store: Pick<LedgerStore, 'views'>,
  expected: RowsSum,
  beside?: string,
): Promise<readonly SealedRow[]> {
  const root = new RowsRoot();
  const own: SealedRow[] = [];
  for await (const row of store.views()) {
    openRow(sha256, row);
    root.add(row.digest as Hash);
    if (row.table === beside) own.push(row);
  }
  const found = root.sum();
  if (!isSameSum(found, expected)) {
    throw new Fault('ledger_corrupt', 'view rows', {
      expected: `${expected.rows} with the root ${expected.rows_root}, as the head has it`,
      found: `${found.rows} with the root ${found.rows_root}`,
    });
  }
  return own;
}
