import type { Fault } from '@assay/core/fault';
import type { SortedKeys } from './sorted-keys.ts';

/** A ledger entry on its way to disk. */
export interface EntryRow {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** A full hash tile: 256 hashes of 32 bytes. */
export interface TileRow {
  readonly level: number;
  readonly index: number;
  readonly bytes: Uint8Array;
}

/** One row of a view, as canonical JSON. */
export interface ViewRow {
  readonly table: string;
  readonly key: string;
  readonly value: Uint8Array;
}

/**
 * A view row as it is stored: with the digest over table, key and value, which is 32 bytes unless it is
 * damaged.
 */
export interface SealedRow extends ViewRow {
  readonly digest: Uint8Array;
}

/** What one commit writes: all of it or nothing. */
export interface StoreBatch {
  readonly entries: readonly EntryRow[];
  readonly tiles: readonly TileRow[];
  readonly views: readonly SealedRow[];
  /** Null if there is no entry yet, or if the head stays. */
  readonly head: Uint8Array | null;
}

export interface CommitOptions {
  /**
   * False for a commit that survives the end of the process, but that a power failure may undo before the next `sync`, and
   * later ones without it. True by default.
   */
  readonly sync?: boolean;
}

/** A row as an auditor reads it, with the part that its key names. */
export type StoredRow =
  | ({ readonly part: 'entry' } & EntryRow)
  | ({ readonly part: 'tile' } & TileRow)
  | ({ readonly part: 'view' } & SealedRow)
  | { readonly part: 'head'; readonly bytes: Uint8Array }
  | { readonly part: 'unknown'; readonly key: Uint8Array };

/** A store that is gone afterwards. */
export interface Scratch {
  readonly store: LedgerStore;
  /** Closes and removes it. */
  readonly drop: () => Promise<void>;
}

/**
 * Where a ledger is stored. A commit is atomic, and durable when it resolves unless it asks for no sync. One that rejects
 * may have happened anyway, and the caller must then stop and compare again. There is one writer at a time.
 */
export interface LedgerStore {
  /**
   * Why this store cannot be written although it can be read; undefined if it can be written. `reopen` may
   * change it.
   */
  readonly readOnly: Fault | undefined;
  readonly commit: (batch: StoreBatch, options?: CommitOptions) => Promise<void>;
  /**
   * Makes everything durable that was written before it was called. If it rejects, nobody knows what is durable, as with a
   * commit; it then rejects until `reopen`. It rejects with `stopped` until what an opening found is settled, and where no
   * file could be opened (`isPassing`) it may be called again.
   */
  readonly sync: () => Promise<void>;
  readonly head: () => Promise<Uint8Array | undefined>;
  readonly entry: (seq: number) => Promise<Uint8Array | undefined>;
  /** Entries `start` to `end - 1` in order; fewer if the store ends before. */
  readonly entries: (start: number, end: number) => AsyncIterable<Uint8Array>;
  readonly tile: (level: number, index: number) => Promise<Uint8Array | undefined>;
  /** Those of one table, or all, as they are stored: whoever reads a row checks it against its digest. */
  readonly views: (table?: string) => AsyncIterable<SealedRow>;
  /**
   * One view row as it is stored, at once: folds and drafts cannot wait. It is there at every moment until `close`, also
   * while the store is reopened. Throws `stopped` afterwards.
   */
  readonly view: (table: string, key: string) => SealedRow | undefined;
  /**
   * The keys of the view rows of the tables that views list, each as its table, 0x00 and its key. They are read from the
   * database or, where they may be the `kept` ones, are those that this object has already or that lie in a file beside
   * the database. Each commit adds its keys to them, before it is written: there is a key for every row, and there may be
   * keys without one. Keys that are read anew take the place of those from before, so that a store has one ledger at a time.
   */
  readonly viewKeys: (kept: boolean) => Promise<SortedKeys>;
  /** Whether `viewKeys` has the key of a row; true for the tables that no view lists. */
  readonly hasKey: (table: string, key: string) => boolean;
  /** An empty store beside this one for rows that are needed for a while. Nothing in it is synced. */
  readonly scratch: () => Promise<Scratch>;
  /** Every row, including those of no known part. */
  readonly rows: () => AsyncIterable<StoredRow>;
  /**
   * Keeps the entries below `size`, and replaces everything else with these tiles, views and head; without
   * `tiles`, the existing ones stay. The views come by the UTF-8 of their table and then of their key; each takes the
   * place of the one that is stored in one write, so that a row which is among both is there at any moment. Durable when
   * it resolves. The head and the removal of entries are one step. If the rest is interrupted, rows and tiles do not
   * match that head, which whoever opens the log detects.
   */
  readonly rewrite: (
    size: number,
    rest: {
      tiles?: AsyncIterable<TileRow> | Iterable<TileRow>;
      views: AsyncIterable<SealedRow> | Iterable<SealedRow>;
      head: Uint8Array;
    },
  ) => Promise<void>;
  /** Confirms that what was found at opening is as it should be. A write does the same. */
  readonly settle: () => Promise<void>;
  /**
   * Opens again what is on the disk, if a write has failed or none could be made: what that write left counts as it would
   * at a start. Otherwise nothing is done. Rows are read as before meanwhile; a range that is being read ends with an
   * error. Throws what opening throws; then reads continue, and nothing is written until a later call has succeeded.
   */
  readonly reopen: () => Promise<void>;
  /** If nothing was settled, the files are left as they were before the opening. */
  readonly close: () => Promise<void>;
}
