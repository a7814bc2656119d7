import { leafHash, type Sha256 } from '@assay/core/hash/hash';
import { formatHashTile } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import type { LedgerStore, TileRow } from '../store/store.ts';

/**
 * The full tiles of the first `size` entries of a store, in the order in which the entries fill them. None is
 * held, so that a log of any length takes the same memory. The caller must have checked that the entries are
 * those of the log.
 */
export async function* entryTiles(
  sha256: Sha256,
  store: Pick<LedgerStore, 'entries'>,
  size: number,
): AsyncGenerator<TileRow> {
  const tree = new TileTree(sha256);
  for await (const entry of store.entries(0, size)) {
    for (const { level, index, hashes } of tree.append(leafHash(sha256, entry))) {
      yield { level, index, bytes: formatHashTile(hashes) };
    }
  }
}
