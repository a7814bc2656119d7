import type { Fault } from '@assay/core/fault';

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

/** A view row as it is stored: with the digest that binds value, table and key, 32 bytes where it is sound. */
export interface SealedRow extends ViewRow {
  readonly digest: Uint8Array;
}

/** What one commit writes: all of it or nothing. */
export interface StoreBatch {
  readonly entries: readonly EntryRow[];
  readonly tiles: readonly TileRow[];
  readonly views: readonly SealedRow[];
  /** Null where there is no entry yet, or the head stays. */
  readonly head: Uint8Array | null;
}

/** A row as an auditor meets it, with the part that its key names. */
export type StoredRow =
  | ({ readonly part: 'entry' } & EntryRow)
  | ({ readonly part: 'tile' } & TileRow)
  | ({ readonly part: 'view' } & SealedRow)
  | { readonly part: 'head'; readonly bytes: Uint8Array }
  | { readonly part: 'unknown'; readonly key: Uint8Array };

/**
 * Where a ledger lives. A commit is atomic and durable when it resolves; one that rejects may have
 * happened all the same, and the caller must then stop and compare again. One writer at a time.
 */
export interface LedgerStore {
  /** Why this store takes no writes, though it can be read; undefined where it takes them. `reopen` may change it. */
  readonly readOnly: Fault | undefined;
  readonly commit: (batch: StoreBatch) => Promise<void>;
  readonly head: () => Promise<Uint8Array | undefined>;
  readonly entry: (seq: number) => Promise<Uint8Array | undefined>;
  /** Entries `start` to `end - 1` in order; fewer where the store ends. */
  readonly entries: (start: number, end: number) => AsyncIterable<Uint8Array>;
  readonly tile: (level: number, index: number) => Promise<Uint8Array | undefined>;
  /** As they are stored: whoever reads a row holds it to its digest. */
  readonly views: () => AsyncIterable<SealedRow>;
  /** Every row there is, those of no known part included. */
  readonly rows: () => AsyncIterable<StoredRow>;
  /**
   * Keeps the entries below `size`, and puts these tiles, views and head in the place of everything else; without
   * `tiles`, those that are there stay. Durable when
   * it resolves. The head and what it drops of the entries are one step; where the rest is cut short, rows and tiles
   * do not fit that head, which whoever opens the log finds.
   */
  readonly rewrite: (
    size: number,
    rest: {
      tiles?: AsyncIterable<TileRow> | Iterable<TileRow>;
      views: Iterable<SealedRow>;
      head: Uint8Array;
    },
  ) => Promise<void>;
  /** What was found at opening is as it should be. A write says the same. */
  readonly settle: () => Promise<void>;
  /**
   * Opens anew what lies on the disk, after a write that failed: what that write left counts as a start would count
   * it. Reads wait meanwhile; a range that is being read ends with an error. Throws what opening throws; reads go on
   * where they can, then.
   */
  readonly reopen: () => Promise<void>;
  /** Where nothing was settled, what lies below is left as it was before the opening. */
  readonly close: () => Promise<void>;
}
