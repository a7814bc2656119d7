import { entryBody, scanEntry } from '@assay/core/log/entry';
import { hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { foldEntry } from '@assay/core/view/fold';
import type { ViewState } from '@assay/core/view/view';
import { NO_LIMIT } from '@assay/core/work-budget';
import { WalkRows } from '@assay/verifier/log/walk-rows';
import { openDataFolder, requireDataFolder } from './data-reader.ts';

/**
 * Makes rows that are held in memory while they are few, calls `use` with them, and removes what they left in the folder for
 * temporary files.
 */
export async function withRows<T>(sha256: Sha256, use: (rows: WalkRows) => Promise<T>): Promise<T> {
  const { MOST_IN_MEMORY, TemporaryRows } =
    await import('@assay/node/ledger/scratch/temporary-rows');
  const places = new TemporaryRows(sha256);
  try {
    return await use(new WalkRows(NO_LIMIT, places.make, MOST_IN_MEMORY));
  } finally {
    await places.drop();
  }
}

/**
 * Calls `read` with the view rows of a stopped node's data, which are made of its entries and can be read until `read` has
 * resolved. Throws `UsageError` where there is no such data, and what `openDataFolder` throws.
 */
export async function withFoldedRows<T>(
  root: string,
  read: (views: ViewState) => T | Promise<T>,
): Promise<T> {
  await requireDataFolder(root);
  const { nodeSha256 } = await import('@assay/node/platform/node-sha256');
  return withRows(nodeSha256, async (rows) => {
    const { folder, close } = await openDataFolder(root);
    try {
      const parseBody = bodyParser(nodeSha256);
      let log: HashHex | undefined;
      let folded = 0;
      for await (const row of folder.rows()) {
        if (row.part !== 'entry') break;
        const layout = scanEntry(row.bytes);
        log ??= hashHex(leafHash(nodeSha256, row.bytes));
        const known = parseBody(layout.kind, entryBody(row.bytes, layout));
        if (known === undefined) continue;
        const { seq, at } = layout;
        rows.write(foldEntry({ ...known, seq, at, log }, rows, nodeSha256));
        folded += row.bytes.length;
        await rows.flush(folded);
      }
    } finally {
      await close();
    }
    return read(rows);
  });
}
