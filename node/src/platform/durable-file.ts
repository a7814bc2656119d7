import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export interface WriteOptions {
  /** Permission bits, 0o644 without; the process's umask takes its own away. */
  readonly mode?: number;
  /** Leaves a file that is there already alone, and throws `EEXIST`. */
  readonly exclusive?: boolean;
  /** False: the bytes are whole under their name, but a power cut may take them back. */
  readonly sync?: boolean;
  /** Where the bytes are staged: the file's own folder without, or another of the same file system. */
  readonly stage?: string;
}

/**
 * Writes a whole file so that power may fail at any point: afterwards the path holds what it held
 * before, or all of `bytes`; once this resolves, all of `bytes`. The bytes are synced before the
 * rename, so that the name never leads to less than them, and the folder after it, so that the name
 * stays. A stage file `.<name>.<random>.tmp` may be left where the process ends midway.
 *
 * After an error the path may hold either; an error of a sync says that the disk can no longer be
 * trusted, and a caller that has more to write must stop.
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
    // What went wrong first is what the caller needs to hear.
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
 * Makes a folder and those above it where they are missing, and its name durable, also where an
 * earlier process made it and ended before the sync. `mode` counts for folders that this call makes.
 */
export async function ensureFolder(
  path: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const folder = resolve(path);
  const parent = dirname(folder);
  // The folder above is durable before this one is made, so one found here needs only its own sync.
  let made = await makeFolder(folder, options.mode);
  if (made === undefined) {
    await ensureFolder(parent, options);
    made = await makeFolder(folder, options.mode);
  }
  try {
    await syncFolder(parent);
  } catch (error) {
    // A folder that was there may lie in one that this user cannot read, such as /home at mode 711.
    if (made === true || !isAccess(error)) throw error;
  }
}

/** Whether it was made; `undefined` where the folder above is missing. */
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
