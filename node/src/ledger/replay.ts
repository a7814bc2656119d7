import { Fault, faultCode } from '@assay/core/fault';
import { entryBody, entryPrev, scanEntry } from '@assay/core/entry';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatHashTile } from '@assay/core/tile';
import { TileTree } from '@assay/core/tile-tree';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { formatWire } from '@assay/core/wire';
import type { LedgerStore, TileRow, ViewRow } from './store.ts';

/** Everything that follows from the entries alone. */
export interface Replay {
  readonly size: number;
  readonly root: Hash;
  readonly tiles: readonly TileRow[];
  readonly views: MemoryViews;
}

/**
 * Reads the first `size` entries of a store again and derives tree, tiles and views from them.
 * Throws `ledger_corrupt` where the chain is broken or an entry cannot be read.
 */
export async function replay(sha256: Sha256, store: LedgerStore, size: number): Promise<Replay> {
  const tree = new TileTree(sha256);
  const views = new MemoryViews();
  const parseBody = bodyParser(sha256);
  const tiles: TileRow[] = [];
  let prev: HashHex = ZERO_HASH_HEX;
  let log: HashHex | undefined;
  for await (const bytes of store.entries(0, size)) {
    const seq = tree.size;
    try {
      const layout = scanEntry(bytes);
      if (layout.seq !== seq || entryPrev(bytes, layout) !== prev) {
        throw new Fault('ledger_corrupt', 'hash chain', { expected: `${seq} after ${prev}` });
      }
      const leaf = leafHash(sha256, bytes);
      log ??= hashHex(leaf);
      const known = parseBody(layout.kind, entryBody(bytes, layout));
      if (known !== undefined) {
        views.write(foldEntry({ ...known, seq, at: layout.at, log }, views, sha256));
      }
      for (const { level, index, hashes } of tree.append(leaf)) {
        tiles.push({ level, index, bytes: formatHashTile(hashes) });
      }
      prev = hashHex(leaf);
    } catch (cause) {
      throw new Fault('ledger_corrupt', 'ledger', {
        at: `entry ${seq}`,
        expected: 'an entry that continues the chain',
        found: faultCode(cause) ?? 'another error',
        cause,
      });
    }
  }
  if (tree.size !== size) {
    throw new Fault('ledger_corrupt', 'ledger', {
      expected: `${size} entries`,
      found: `${tree.size}`,
    });
  }
  return { size, root: tree.root(), tiles, views };
}

/** View rows as they are stored, by table and key. */
export function* viewRows(views: MemoryViews): Generator<ViewRow> {
  for (const table of views.tables()) {
    for (const [key, value] of views.list(table)) yield { table, key, value: formatWire(value) };
  }
}
