import { constants, open } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';

/**
 * The bytes of a plain file; undefined if there is none, which includes a folder, a pipe or a device, because
 * reading those may never end. Throws `too_large` for a file over `limit` bytes.
 */
export async function readPlainFile(path: string, limit: number): Promise<Uint8Array | undefined> {
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
    if (info.size > limit) {
      throw new Fault('too_large', 'file', {
        at: path,
        expected: `at most ${limit} bytes`,
        found: `${info.size}`,
      });
    }
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}
