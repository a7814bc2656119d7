import { Fault, faultCode } from '@assay/core/fault';
import { formatHead } from '@assay/core/view/head';
import { hashHex, type Hash, type Sha256 } from '@assay/core/hash/hash';
import { isSameSum, RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import { MemoryViews } from '@assay/core/view/state';
import { errorCode } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { type ReplayedRows, replayInto } from './replay.ts';
import { type CommittedRows, memoryRows } from './store/layered-views.ts';
import { ScratchRows } from './store/scratch-rows.ts';
import { openRow, rowsWithTable, sealedRows, sumOf } from './store/sealed-row.ts';
import type { LedgerStore, SealedRow } from './store/store.ts';
import { StoredViews } from './store/stored-views.ts';
import type { TileHashes } from './tree-reader.ts';

/** The entries of a log whose rows are derived in memory. */
const MOST_IN_MEMORY = 20_000;

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
  /** The rows that the entries give, if they differ and are in memory. */
  readonly views: MemoryViews | undefined;
  /** The sum of the rows that are stored now. */
  readonly sum: RowsSum;
}

/**
 * Derives the view rows of a log from its entries, each checked against its leaf in the tree of the head, and
 * compares them with those that are stored, which are replaced if they differ and the store can be written.
 * After that, what is signed may depend on them. Throws `ledger_corrupt` with the entry that is damaged.
 *
 * The rows of a long log are derived in a store beside its own, so that this takes no more memory there.
 */
export async function proveRows(parts: ProofParts): Promise<Proven> {
  const { sha256, store, head, most = MOST_IN_MEMORY } = parts;
  if (head.size <= most || store.readOnly !== undefined) return proveInMemory(parts);
  const rows = await ScratchRows.make(sha256, store).catch(whereRoom);
  return (rows && (await proveOnDisk(parts, rows))) ?? proveInMemory(parts);
}

/** Undefined where there is no room for the rows. */
async function proveOnDisk(parts: ProofParts, rows: ScratchRows): Promise<Proven | undefined> {
  const { beside = [] } = parts;
  try {
    const sum = await replayed(parts, rows)
      .then(() => rows.sum())
      .catch(whereRoom);
    if (sum === undefined) return undefined;
    const found = sumOf(beside, sum);
    if (await areStored(parts, found)) return { differs: false, views: undefined, sum: found };
    await replaceRows(parts, found, rowsWithTable(rows.rows(), beside));
    return { differs: true, views: undefined, sum: found };
  } finally {
    await rows.drop();
  }
}

/** Undefined for a disk that is full, on which rows are derived in memory, as much of that as it takes. Throws other errors. */
function whereRoom(error: unknown): undefined {
  const fault = storageFault(error, 'view rows');
  if (faultCode(fault) === 'no_room') return undefined;
  throw error;
}

/** The rows after a proof that found others: those on the disk, or what was derived if that could not be written. */
export async function rowsAfter(
  sha256: Sha256,
  store: LedgerStore,
  { views }: Proven,
): Promise<CommittedRows> {
  return views === undefined || store.readOnly === undefined
    ? StoredViews.open(sha256, store, { kept: true })
    : memoryRows(views);
}

async function proveInMemory(parts: ProofParts): Promise<Proven> {
  const { sha256, store, beside = [] } = parts;
  const views = new MemoryViews();
  await replayed(parts, views);
  const found = sumOf(beside, sumOf(sealedRows(sha256, views)));
  if (await areStored(parts, found)) return { differs: false, views: undefined, sum: found };
  if (store.readOnly === undefined)
    await replaceRows(parts, found, rowsWithTable(sealedRows(sha256, views), beside));
  return { differs: true, views, sum: found };
}

async function replayed(parts: ProofParts, rows: ReplayedRows): Promise<void> {
  const { sha256, store, tiles, head, onProgress } = parts;
  const { size } = head;
  const { root } = await replayInto(sha256, store, size, rows, {
    leaves: tiles,
    pause: (done) => onProgress?.({ done, size }),
  });
  if (hashHex(root) !== hashHex(head.root)) {
    throw new Fault('ledger_corrupt', 'ledger', {
      at: `size ${size}`,
      expected: `root ${hashHex(head.root)}`,
      found: hashHex(root),
    });
  }
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
