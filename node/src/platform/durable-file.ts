import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export interface WriteOptions {
  /** Permission bits, 0o644 by default. The process's umask applies. */
  readonly mode?: number;
  /** Leaves an existing file alone, and throws `EEXIST`. */
  readonly exclusive?: boolean;
  /** If false, the file is complete under its name, but a power failure may undo the write. */
  readonly sync?: boolean;
  /**
   * The folder in which the bytes are staged, on the same file system. The default is the file's own folder.
   */
  readonly stage?: string;
}

/**
 * Writes a whole file so that power may fail at any point: afterwards the path holds what it held before, or
 * all of `bytes`; once this resolves, all of `bytes`. The bytes are synced before the rename, so that the name
 * never refers to fewer of them, and the folder after it, so that the name stays. A staged file
 * `.<name>.<random>.tmp` may remain if the process ends midway.
 *
 * After an error the path may hold either. An error of a sync means that the disk can no longer be trusted, and
 * a caller that has more to write must stop.
 */
export async function writeDurable(
  path: string,
  bytes: Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const folder = dirname(resolve(path));
  const random = randomBytes(8).toString('hex');
  const staged = join(options.stage ?? folder, `.${basename(path)}.${random}.tmp`);
  try {
    const file = await open(staged, 'wx', options.mode ?? 0o644);
    try {
      await file.writeFile(bytes);
      if (options.sync !== false) await file.sync();
    } finally {
      await file.close();
    }
    if (options.exclusive === true) {
      await link(staged, path);
      await rm(staged);
    } else {
      await rename(staged, path);
    }
  } catch (error) {
    // The caller needs the first error.
    await rm(staged, { force: true }).catch(() => undefined);
    throw error;
  }
  if (options.sync !== false) await syncFolder(folder);
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Creates a folder, and those above it, if they are missing, and makes its name durable, even if an earlier
 * process created it and ended before the sync. `mode` applies to folders that this call creates.
 */
export async function ensureFolder(
  path: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const folder = resolve(path);
  const parent = dirname(folder);
  // The folder above is durable before this one is created, so one found here needs only its own sync.
  let made = await makeFolder(folder, options.mode);
  if (made === undefined) {
    await ensureFolder(parent, options);
    made = await makeFolder(folder, options.mode);
  }
  try {
    await syncFolder(parent);
  } catch (error) {
    // A folder that existed may be in one that this user cannot read, such as /home with mode 711.
    if (made === true || !isAccess(error)) throw error;
  }
}

/** Whether it was created; `undefined` if the folder above is missing. */
async function makeFolder(path: string, mode: number | undefined): Promise<boolean | undefined> {
  try {
    await mkdir(path, mode === undefined ? {} : { mode });
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return false;
    throw error;
  }
}

function isAccess(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'EACCES' || code === 'EPERM';
}

/** The code of a system error, such as `ENOENT`; `undefined` for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
