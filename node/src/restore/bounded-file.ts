import { constants, open } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import { errorCode } from '../platform/durable-file.ts';

/**
 * The bytes of a plain file; undefined if there is none, which includes a folder, a pipe or a device, because
 * reading those may never end. Throws `too_large` for a file over `limit` bytes.
 */
export async function readBounded(path: string, limit: number): Promise<Uint8Array | undefined> {
  let file;
  try {
    // Without O_NONBLOCK, opening a named pipe in its place would wait.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENXIO') return undefined;
    throw error;
  }
  try {
    const info = await file.stat();
    if (!info.isFile()) return undefined;
    if (info.size <= limit) return new Uint8Array(await file.readFile());
    const expected = `at most ${limit} bytes`;
    throw new Fault('too_large', 'file', { at: path, expected, found: `${info.size}` });
  } finally {
    await file.close();
  }
}
