import { statfs } from 'node:fs/promises';

/** What a file system has left for a process that is not root. */
export interface FreeSpace {
  readonly bytes: number;
  /** Files that can still be made; undefined where the file system counts none. */
  readonly files: number | undefined;
}

/**
 * The least that any of these folders' file systems has left: a folder may be a mount of its own. Throws what
 * statfs(2) throws.
 */
export async function freeSpace(first: string, ...others: readonly string[]): Promise<FreeSpace> {
  let least = await spaceAt(first);
  for (const path of others) {
    const { bytes, files } = await spaceAt(path);
    least = {
      bytes: Math.min(least.bytes, bytes),
      files:
        least.files === undefined || files === undefined
          ? (least.files ?? files)
          : Math.min(least.files, files),
    };
  }
  return least;
}

async function spaceAt(path: string): Promise<FreeSpace> {
  const { bavail, bsize, files, ffree } = await statfs(path);
  // A file system that makes them as it needs them says that it has none at all.
  return { bytes: bavail * bsize, files: files === 0 ? undefined : ffree };
}
