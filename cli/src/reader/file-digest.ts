import { createHash } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import { otsHashes, type OtsHashName } from '@assay/core/ots/hashes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** The largest file for a hash that Node cannot compute piece by piece. */
const MAX_WHOLE_BYTES = 1_073_741_824;

/** How many bytes are read at a time. */
const PIECE = 1_048_576;

/**
 * The digest of a plain file of any size, read in pieces; undefined if there is no such file, which includes a
 * folder, a pipe or a device. Throws `too_large` for a file over 1 GiB with one of the two hashes that need the
 * whole of it.
 */
export async function fileDigest(
  path: string,
  hash: OtsHashName,
  progress?: (done: number, total: number) => void,
): Promise<Uint8Array | undefined> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENXIO') return undefined;
    throw error;
  }
  try {
    const info = await file.stat();
    if (!info.isFile()) return undefined;
    if (hash === 'sha256' || hash === 'sha1') {
      const digest = createHash(hash);
      const piece = Buffer.alloc(PIECE);
      for (let done = 0; ;) {
        const { bytesRead } = await file.read(piece, 0, PIECE, null);
        if (bytesRead === 0) break;
        digest.update(piece.subarray(0, bytesRead));
        done += bytesRead;
        progress?.(Math.min(done, info.size), info.size);
      }
      return new Uint8Array(digest.digest());
    }
    if (info.size > MAX_WHOLE_BYTES) {
      throw new Fault('too_large', 'file', {
        at: path,
        expected: `at most ${MAX_WHOLE_BYTES} bytes for ${hash}`,
        found: `${info.size}`,
      });
    }
    return otsHashes(nodeSha256)[hash](new Uint8Array(await file.readFile()));
  } finally {
    await file.close();
  }
}
