import type { BlobReader } from './blobs.ts';

/** A row of a ledger's database, with the part of the database that its key names. */
export type FolderRow =
  | { readonly part: 'entry'; readonly seq: number; readonly bytes: Uint8Array }
  | {
      readonly part: 'tile';
      readonly level: number;
      readonly index: number;
      readonly bytes: Uint8Array;
    }
  | {
      readonly part: 'view';
      readonly table: string;
      readonly key: string;
      readonly value: Uint8Array;
      /** What the row is compared with when it is read: `rowDigest`. */
      readonly digest: Uint8Array;
    }
  | { readonly part: 'head'; readonly bytes: Uint8Array }
  | { readonly part: 'unknown'; readonly key: Uint8Array };

/** A node's data folder, at rest. Throws only when it cannot be read. */
export interface FolderReader {
  /** Every row: the entries first and by seq, and view rows by the UTF-8 of their table and then of their key. */
  readonly rows: () => AsyncIterable<FolderRow>;
  /** The signed head in the guard. */
  readonly guard: () => Promise<Uint8Array | undefined>;
  readonly blob: BlobReader;
  /**
   * The closing head of the checkpoint key of this number, a signed note; undefined where there is none. Absent where no
   * key can have been replaced.
   */
  readonly closingHead?: (number: number) => Promise<Uint8Array | undefined>;
}
