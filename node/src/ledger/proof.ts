import { Fault } from '@assay/core/fault';
import { formatHead } from '@assay/core/view/head';
import { hashHex, type Hash, type Sha256 } from '@assay/core/hash/hash';
import { isSameSum, type RowsSum } from '@assay/core/view/rows-root';
import type { MemoryViews } from '@assay/core/view/state';
import { replay } from './replay.ts';
import { sealedRows, sumOf } from './store/sealed-row.ts';
import type { LedgerStore, SealedRow } from './store/store.ts';
import type { TileHashes } from './tree-reader.ts';

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
  readonly beside?: Iterable<SealedRow>;
  /** Called for each entry that is done. What it returns is awaited. */
  readonly onProgress?: (progress: ProofProgress) => Promise<void> | undefined;
}

/** What follows from the entries of a log. */
export interface Proven {
  /** The rows that the entries give if they differ from the stored ones; undefined if they are the same. */
  readonly views: MemoryViews | undefined;
  /** The sum of the rows that are stored now. */
  readonly sum: RowsSum;
}

/**
 * Derives the view rows of a log from its entries, each checked against its leaf in the tree of the head, and
 * compares them with those that are stored, which are replaced if they differ and the store can be written.
 * After that, what is signed may depend on them. Throws `ledger_corrupt` with the entry that is damaged.
 */
export async function proveRows(parts: ProofParts): Promise<Proven> {
  const { sha256, store, tiles, sum, beside = [], onProgress } = parts;
  const { size } = parts.head;
  const { root, views } = await replay(sha256, store, size, {
    leaves: tiles,
    pause: (done) => onProgress?.({ done, size }),
  });
  if (hashHex(root) !== hashHex(parts.head.root)) {
    throw new Fault('ledger_corrupt', 'ledger', {
      at: `size ${size}`,
      expected: `root ${hashHex(parts.head.root)}`,
      found: hashHex(root),
    });
  }
  const all = function* (): Generator<SealedRow> {
    yield* sealedRows(sha256, views);
    yield* beside;
  };
  const found = sumOf(all());
  if (sum !== undefined && isSameSum(found, sum)) return { views: undefined, sum };
  if (store.readOnly === undefined) {
    const head = formatHead(sha256, { size, root: hashHex(root), ...found });
    await store.rewrite(size, { views: all(), head });
  }
  return { views, sum: found };
}
