import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { BlobReader, BlobStore } from '../blob/blob-store.ts';
import type { DamageLog } from '../scrub/damage-log.ts';

/** One of the stores that a recounter serves blobs from. */
export interface ServedBlobs {
  /** As `Damage.copy_of`. */
  readonly of: string | null;
  readonly blobs: Pick<BlobStore, 'checked'>;
}

/**
 * A blob that has its hash, from the first store that has it undamaged. A damaged one is recorded. Throws
 * `blob_differs` if there is only a damaged one.
 */
export async function soundBlob(
  stores: readonly ServedBlobs[],
  hash: HashHex,
  damage: Pick<DamageLog, 'note' | 'whole'>,
): Promise<BlobReader | undefined> {
  let damaged: unknown;
  for (const { of, blobs } of stores) {
    try {
      const found = await blobs.checked(hash);
      if (found === undefined) continue;
      damage.whole('blob', hash, of);
      return found;
    } catch (error) {
      if (faultCode(error) !== 'blob_differs') throw error;
      damage.note('blob', hash, 'damaged', of);
      damaged ??= error;
    }
  }
  if (damaged !== undefined) throw damaged;
  return undefined;
}
