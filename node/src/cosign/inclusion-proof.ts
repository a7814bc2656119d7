import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { inclusionRanges } from '@assay/core/log/tree';
import { publishedTiles } from './log-root.ts';
import type { LogRecord } from '../ledger/record.ts';
import { rangeHash } from '../ledger/tree-reader.ts';

/**
 * The proof that entry `index` stands in the tree of a log's first `size` entries, which are published
 * (RFC 6962, 2.1.1), leaf side first. Throws `out_of_range` for an entry that the tree does not have.
 */
export async function inclusionProof(
  sha256: Sha256,
  record: Pick<LogRecord, 'tile'>,
  index: number,
  size: number,
): Promise<readonly Hash[]> {
  const tiles = publishedTiles(record, size);
  const proof: Hash[] = [];
  for (const range of inclusionRanges(index, size)) {
    proof.push(await rangeHash(sha256, tiles, range));
  }
  return proof;
}
