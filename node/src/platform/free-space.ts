import { statfs } from 'node:fs/promises';

/** What a file system has free for a process that is not root. */
export interface FreeSpace {
  readonly bytes: number;
  /** How many files can still be created; undefined if the file system does not count them. */
  readonly files: number | undefined;
}

/**
 * The least that any of these folders' file systems has free, because a folder may be a separate mount. Throws
 * what statfs(2) throws.
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
  // A file system that creates inodes as needed reports none at all.
  return { bytes: bavail * bsize, files: files === 0 ? undefined : ffree };
}
