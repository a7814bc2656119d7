import { createHash } from 'node:crypto';
import { otsHashes, type OtsHashName } from '@assay/core/ots/hashes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { requireAtMost, withPlainFile } from './plain-file.ts';

/** The largest file for a hash that Node cannot compute piece by piece. */
const MAX_WHOLE_BYTES = 1_073_741_824;

/** How many bytes are read at a time. */
const PIECE = 1_048_576;

/**
 * The digest of a plain file of any size, read in pieces; undefined if there is no such file, which includes a
 * folder, a pipe or a device. Throws `too_large` for a file over 1 GiB with one of the two hashes that need the
 * whole of it.
 */
export function fileDigest(
  path: string,
  hash: OtsHashName,
  progress?: (done: number, total: number) => void,
): Promise<Uint8Array | undefined> {
  return withPlainFile(path, async (file, size) => {
    if (hash === 'sha256' || hash === 'sha1') {
      const digest = createHash(hash);
      const piece = Buffer.alloc(PIECE);
      for (let done = 0; ;) {
        const { bytesRead } = await file.read(piece, 0, PIECE, null);
        if (bytesRead === 0) break;
        digest.update(piece.subarray(0, bytesRead));
        done += bytesRead;
        progress?.(Math.min(done, size), size);
      }
      return new Uint8Array(digest.digest());
    }
    requireAtMost(path, size, MAX_WHOLE_BYTES, ` for ${hash}`);
    return otsHashes(nodeSha256)[hash](new Uint8Array(await file.readFile()));
  });
}
