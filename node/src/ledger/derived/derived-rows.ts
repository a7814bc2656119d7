import { faultCode } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { RowsSum } from '@assay/core/view/rows-root';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { storageFault } from '../../platform/storage-fault.ts';
import { type Replay, type ReplayedRows, replay, type ReplayOptions } from './replay.ts';
import { type CommittedRows, memoryRows } from '../store/layered-views.ts';
import { ScratchRows } from '../scratch/scratch-rows.ts';
import { sealedRows, sumOf } from '../store/sealed-row.ts';
import type { LedgerStore, SealedRow } from '../store/store.ts';

/** The entries of a log whose rows are derived in memory. */
const MOST_IN_MEMORY = 20_000;

/** The view rows of a log that were derived from its entries, wherever they are. */
export interface DerivedRows {
  readonly views: ViewState;
  readonly sum: RowsSum;
  /** All of them as they are stored, by the UTF-8 of their table and then of their key. */
  readonly sealed: () => AsyncIterable<SealedRow> | Iterable<SealedRow>;
  /** The same rows, to be read from as long as they are needed; its `drop` is this one. */
  readonly committed: () => CommittedRows;
  /** Removes what they take on the disk, after which nothing is read. The store does that too when it is closed. */
  readonly drop: () => Promise<void>;
}

/** What follows from the entries of a log, with the rows. */
export interface Derived extends Omit<Replay, 'views'> {
  readonly rows: DerivedRows;
}

export interface DerivationOptions extends ReplayOptions {
  /** The entries, if they are others than those of the store. */
  readonly entries?: Pick<LedgerStore, 'entries'>;
  /** If there are more entries than these, the rows are not derived in memory. */
  readonly most?: number;
}

/**
 * Derives tree and view rows from the first `size` entries of a log. The rows of a long log are in a store beside its own,
 * so that this takes no more memory there; if its disk is full, they are in memory, as much of that as it takes. Throws what
 * `replay` throws.
 */
export async function deriveRows(
  sha256: Sha256,
  store: Pick<LedgerStore, 'entries' | 'scratch'>,
  size: number,
  { entries = store, most = MOST_IN_MEMORY, ...options }: DerivationOptions = {},
): Promise<Derived> {
  const replayed = <Rows extends ReplayedRows>(rows: Rows): Promise<Replay<Rows>> =>
    replay(sha256, entries, size, rows, options);
  if (size > most) {
    const found = await onDisk(sha256, store, replayed);
    if (found !== undefined) return found;
  }
  const { views, ...rest } = await replayed(new MemoryViews());
  const rows: DerivedRows = {
    views,
    sum: sumOf(sealedRows(sha256, views)),
    sealed: () => sealedRows(sha256, views),
    committed: () => memoryRows(views),
    drop: () => Promise.resolve(),
  };
  return { ...rest, rows };
}

/** Undefined where there is no room. */
async function onDisk(
  sha256: Sha256,
  store: Pick<LedgerStore, 'scratch'>,
  replayed: (rows: ScratchRows) => Promise<Replay<ScratchRows>>,
): Promise<Derived | undefined> {
  const views = await ScratchRows.make(sha256, store).catch(whereRoom);
  if (views === undefined) return undefined;
  try {
    const { views: _, ...rest } = await replayed(views);
    const rows: DerivedRows = {
      views,
      sum: await views.sum(),
      sealed: () => views.rows(),
      committed: () => views.committed(),
      drop: () => views.drop(),
    };
    return { ...rest, rows };
  } catch (error) {
    await views.drop();
    return whereRoom(error);
  }
}

/** Undefined for a disk that is full. Throws other errors. */
function whereRoom(error: unknown): undefined {
  const fault = storageFault(error, 'view rows');
  if (faultCode(fault) === 'no_room') return undefined;
  throw error;
}
