import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { entryBody, entryPrev, scanEntry } from '@assay/core/log/entry';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { foldEntry } from '@assay/core/view/fold';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { isStorageFault } from '../../platform/storage-fault.ts';
import type { LedgerStore, TileRow } from '../store/store.ts';
import type { TileHashes } from '../tree-reader.ts';

/** Rows that a replay derives. */
export interface ReplayedRows extends ViewState {
  readonly write: (writes: Iterable<ViewWrite>) => void;
  /** Called after each entry: makes room, if that is needed. */
  readonly flush?: () => Promise<void> | undefined;
}

/** Everything that follows from the entries alone, except the tiles, which are passed on as they fill. */
export interface Replay<Rows extends ReplayedRows = ReplayedRows> {
  readonly size: number;
  readonly root: Hash;
  readonly tree: TileTree;
  readonly views: Rows;
}

export interface ReplayOptions {
  /** Given each full tile. */
  readonly onTile?: (tile: TileRow) => void;
  /** Each entry is checked against its leaf there, so that a fault names the damaged entry. */
  readonly leaves?: TileHashes;
  /** Waits where others should run; called with the number of entries that are done. */
  readonly pause?: (done: number) => Promise<void> | undefined;
}

/**
 * Reads the first `size` entries of a store again and derives tree, tiles and rows from them. The rows go into `views`,
 * which has none yet. Throws `ledger_corrupt` if the chain is broken or an entry cannot be read.
 */
export async function replay<Rows extends ReplayedRows>(
  sha256: Sha256,
  store: Pick<LedgerStore, 'entries'>,
  size: number,
  views: Rows,
  { onTile, leaves, pause }: ReplayOptions = {},
): Promise<Replay<Rows>> {
  const tree = new TileTree(sha256);
  const parseBody = bodyParser(sha256);
  let prev: HashHex = ZERO_HASH_HEX;
  let log: HashHex | undefined;
  let expected: readonly Hash[] = [];
  for await (const bytes of store.entries(0, size)) {
    const seq = tree.size;
    if (leaves !== undefined && seq % TILE_WIDTH === 0)
      expected = await leaves(0, seq / TILE_WIDTH);
    const waiting = pause?.(seq);
    if (waiting !== undefined) await waiting;
    try {
      const leaf = leafHash(sha256, bytes);
      const known = expected[seq % TILE_WIDTH];
      if (leaves !== undefined && (known === undefined || !equalBytes(known, leaf))) {
        throw new Fault('ledger_corrupt', 'entry', {
          expected: 'the leaf that the tree has there',
        });
      }
      const layout = scanEntry(bytes);
      if (layout.seq !== seq || entryPrev(bytes, layout) !== prev) {
        throw new Fault('ledger_corrupt', 'hash chain', {
          expected: `${seq} after ${prev}: this entry is damaged, or the one before it`,
        });
      }
      prev = hashHex(leaf);
      log ??= prev;
      const body = parseBody(layout.kind, entryBody(bytes, layout));
      if (body !== undefined) {
        views.write(foldEntry({ ...body, seq, at: layout.at, log }, views, sha256));
      }
      for (const { level, index, hashes } of tree.append(leaf)) {
        onTile?.({ level, index, bytes: formatHashTile(hashes) });
      }
    } catch (cause) {
      // Rows on the disk that cannot be read say nothing of the entry.
      if (isStorageFault(cause) || faultCode(cause) === 'stopped') throw cause;
      throw damagedEntry(seq, messageOf(cause), cause);
    }
    const flushing = views.flush?.();
    if (flushing !== undefined) await flushing;
  }
  if (tree.size !== size) throw damagedEntry(tree.size, 'none');
  return { size, root: tree.root(), tree, views };
}

/** The fault for an entry that cannot be derived from anything: only a copy of the log has it. */
export function damagedEntry(seq: number, found: string, cause?: unknown): Fault {
  return new Fault('ledger_corrupt', 'ledger', {
    at: `entry ${seq}`,
    expected: 'the entry that the tree has there (assay restore brings it back from a copy)',
    found,
    cause,
  });
}
