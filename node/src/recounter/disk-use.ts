import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../platform/durable-file.ts';
import { freeSpace } from '../platform/free-space.ts';
import type { RecounterFolder } from './recounter-folder.ts';

/** Bytes on a recounter's disk. The process never deletes anything in `own` and `publisher`. */
export interface DiskUse {
  /** What it read itself. */
  readonly own: number;
  /** What it fetched from the publisher: the copy of its log, and bytes that the publisher stores. */
  readonly publisher: number;
  /** Copies of other recounters' logs. */
  readonly peers: number;
  /** What the file system has free for a process that is not root. */
  readonly free: number;
}

/**
 * Measures the folders, file by file. Throws what the file system throws, except for files that were removed
 * meanwhile.
 */
export async function diskUse(
  folder: Pick<RecounterFolder, 'root' | 'blobs' | 'reads' | 'mirror' | 'kept' | 'peers'>,
): Promise<DiskUse> {
  const { bytes: free } = await freeSpace(folder.root);
  return {
    own: (await bytesIn(folder.blobs)) + (await bytesIn(folder.reads)),
    publisher: (await bytesIn(folder.mirror)) + (await bytesIn(folder.kept)),
    peers: await bytesIn(folder.peers),
    free,
  };
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await orNone(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else if (entry.isFile()) bytes += (await orNone(stat(path), { size: 0 })).size;
  }
  return bytes;
}

async function orNone<T, N>(found: Promise<T>, none: N): Promise<T | N> {
  try {
    return await found;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return none;
    throw error;
  }
}
