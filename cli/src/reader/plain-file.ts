import { constants, type FileHandle, open } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';

/**
 * The bytes of a plain file; undefined if there is none, which includes a folder, a pipe or a device, because
 * reading those may never end. Throws `too_large` for a file over `limit` bytes.
 */
export function readPlainFile(path: string, limit: number): Promise<Uint8Array | undefined> {
  return withPlainFile(path, async (file, size) => {
    requireAtMost(path, size, limit);
    return new Uint8Array(await file.readFile());
  });
}

/** Throws `too_large` for a file over `limit` bytes; `why` says for what that is the limit. */
export function requireAtMost(path: string, size: number, limit: number, why = ''): void {
  if (size <= limit) return;
  const expected = `at most ${limit} bytes${why}`;
  throw new Fault('too_large', 'file', { at: path, expected, found: `${size}` });
}

/**
 * What `read` makes of an open plain file and its size; undefined if there is none, which includes a folder, a pipe or a
 * device.
 */
export async function withPlainFile<T>(
  path: string,
  read: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | undefined> {
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
    return info.isFile() ? await read(file, info.size) : undefined;
  } finally {
    await file.close();
  }
}
