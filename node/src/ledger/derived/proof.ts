import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import { formatHead } from '@assay/core/view/head';
import { hashHex, type Hash, type Sha256 } from '@assay/core/hash/hash';
import { isSameSum, RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import { errorCode } from '../../platform/durable-file.ts';
import { deriveRows } from './derived-rows.ts';
import type { CommittedRows } from '../store/layered-views.ts';
import { openRow, rowsWithTable, sumOf } from '../store/sealed-row.ts';
import type { LedgerStore, SealedRow } from '../store/store.ts';
import { StoredViews } from '../store/stored-views.ts';
import type { TileHashes } from '../tree-reader.ts';

/** How far the entries of a log have been read again. */
export interface ProofProgress {
  /** How many entries are done, of `size`. */
  readonly done: number;
  readonly size: number;
}

export interface ProofParts {
  readonly sha256: Sha256;
  readonly store: LedgerStore;
  /** The tiles of the tree, each checked against it when it is read. */
  readonly tiles: TileHashes;
  readonly head: { readonly size: number; readonly root: Hash };
  /** The sum of the stored rows; undefined if they are known to differ from what the entries give. */
  readonly sum: RowsSum | undefined;
  /** The rows of a table that is no view's, which are a part of the sum. */
  readonly beside?: readonly SealedRow[];
  /** If there are more entries than these, the rows are not derived in memory. */
  readonly most?: number;
  /** Whether the rows have not been read since the start, and are read here. */
  readonly checksStored?: boolean;
  /** Called for each entry that is done, and each row that is read. What it returns is awaited. */
  readonly onProgress?: (progress: ProofProgress) => Promise<void> | undefined;
}

/** What follows from the entries of a log. */
export interface Proven {
  /** Whether the stored rows are others than those that the entries give. They were replaced, if they can be. */
  readonly differs: boolean;
  /** The rows that the entries give, if they differ and could not be written. */
  readonly rows: CommittedRows | undefined;
  /** The sum of the rows that are stored now. */
  readonly sum: RowsSum;
}

/**
 * Derives the view rows of a log from its entries, each checked against its leaf in the tree of the head, and
 * compares them with those that are stored, which are replaced if they differ and the store can be written.
 * After that, what is signed may depend on them. Throws `ledger_corrupt` with the entry that is damaged.
 */
export async function proveRows(parts: ProofParts): Promise<Proven> {
  const { sha256, store, tiles, head, beside = [], most, onProgress } = parts;
  const { size } = head;
  const { root, rows } = await deriveRows(sha256, store, size, {
    leaves: tiles,
    pause: (done) => onProgress?.({ done, size }),
    ...(most === undefined ? {} : { most }),
  });
  let isKept = false;
  try {
    requireRoot(head, root);
    const sum = sumOf(beside, rows.sum);
    if (await areStored(parts, sum)) return { differs: false, rows: undefined, sum };
    if (store.readOnly !== undefined) {
      isKept = true;
      return { differs: true, rows: rows.committed(), sum };
    }
    await replaceRows(parts, sum, rowsWithTable(rows.sealed(), beside));
    return { differs: true, rows: undefined, sum };
  } finally {
    if (!isKept) await rows.drop();
  }
}

/** The rows after a proof that found others: those on the disk, or what was derived if that could not be written. */
export async function rowsAfter(
  sha256: Sha256,
  store: LedgerStore,
  { rows }: Proven,
): Promise<CommittedRows> {
  return rows ?? StoredViews.open(sha256, store, { kept: true });
}

function requireRoot({ size, root }: ProofParts['head'], found: Hash): void {
  if (equalBytes(root, found)) return;
  throw new Fault('ledger_corrupt', 'ledger', {
    at: `size ${size}`,
    expected: `root ${hashHex(root)}`,
    found: hashHex(found),
  });
}

/** Whether the stored rows are those with this sum, as the head says and, with `checksStored`, as they are on the disk. */
async function areStored(parts: ProofParts, found: RowsSum): Promise<boolean> {
  const { sha256, store, sum, head, checksStored = false, onProgress } = parts;
  if (sum === undefined || !isSameSum(found, sum)) return false;
  if (!checksStored) return true;
  const root = new RowsRoot();
  const { size } = head;
  try {
    for await (const row of store.views()) {
      openRow(sha256, row);
      // Keys that were kept beside the database are compared as well: a row without one would be in no list.
      if (!store.hasKey(row.table, row.key)) return false;
      root.add(row.digest as Hash);
      const waiting = onProgress?.({ done: size, size });
      if (waiting !== undefined) await waiting;
    }
  } catch (error) {
    if (faultCode(error) !== 'ledger_corrupt' && errorCode(error) !== 'LEVEL_CORRUPTION')
      throw error;
    return false;
  }
  return isSameSum(root.sum(), sum);
}

async function replaceRows(
  { sha256, store, head: { size, root } }: ProofParts,
  sum: RowsSum,
  views: AsyncIterable<SealedRow> | Iterable<SealedRow>,
): Promise<void> {
  const head = formatHead(sha256, { size, root: hashHex(root), ...sum });
  await store.rewrite(size, { views, head });
}
