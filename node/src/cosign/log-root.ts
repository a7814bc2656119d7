import { hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { Fault } from '@assay/core/fault';
import { levelLength, parseHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import type { LogRecord } from '../ledger/record.ts';
import { rangeHash, type TileHashes } from '../ledger/tree-reader.ts';

/** The root of a log's first `size` entries, from its tiles; undefined where fewer are published. */
export async function logRoot(
  sha256: Sha256,
  record: Pick<LogRecord, 'published' | 'tile'>,
  size: number,
): Promise<HashHex | undefined> {
  const { published } = record;
  if (published === undefined || size > published.size) return undefined;
  if (size === published.size) return hashHex(published.root);
  const tiles = publishedTiles(record, published.size);
  return hashHex(await rangeHash(sha256, tiles, { start: 0, end: size }));
}

/** The tiles of a log's first `size` entries, which are published. */
export function publishedTiles(record: Pick<LogRecord, 'tile'>, size: number): TileHashes {
  return async (level, index) => {
    const width = Math.min(TILE_WIDTH, levelLength(level, size) - index * TILE_WIDTH);
    const bytes = await record.tile({ level, index, width });
    if (bytes !== undefined) return parseHashTile(bytes, width);
    throw new Fault('ledger_corrupt', 'hash tile', { at: `level ${level}, index ${index}` });
  };
}
