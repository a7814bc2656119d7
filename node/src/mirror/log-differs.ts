import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import { rangeHash } from '../ledger/tree-reader.ts';
import type { HeadTiles } from './head-tiles.ts';
import type { MirrorStore } from './mirror-store.ts';

/** The fault of a log that is another than the one that is copied. */
export function logDiffers(at: string, expected: string, found: string): Fault {
  return new Fault('ledger_differs', 'log of another', { at, expected, found });
}

/** Requires that what is stored is the beginning of the head that these tiles make. Throws `ledger_differs`. */
export async function requireStored(
  sha256: Sha256,
  local: MirrorStore,
  tiles: HeadTiles,
): Promise<void> {
  const { size } = local;
  if (size === 0) return;
  const found = await rangeHash(sha256, tiles.hashes, { start: 0, end: size });
  const own = local.root();
  if (!equalBytes(found, own)) throw logDiffers(`size ${size}`, hashHex(own), hashHex(found));
}
