import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { errorCode } from '../../platform/durable-file.ts';

/**
 * Removes LevelDB folders in `parent` that nobody has open: what processes left that were killed. Whoever has one open holds
 * LevelDB's lock on it. `isLeft` tells them by their names; younger ones than `olderMs` stay, for one that is being made has
 * no lock yet. Returns whether there were any. One that cannot be removed stays.
 */
export async function removeLeftStores(
  parent: string,
  isLeft: (name: string) => boolean,
  olderMs: number = 0,
): Promise<boolean> {
  let hadAny = false;
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (!isLeft(name)) continue;
    const folder = join(parent, name);
    try {
      // A file may be younger than the clock's last millisecond.
      const age = Math.max(0, Date.now() - (await stat(folder)).mtimeMs);
      if (age < olderMs || !(await isUnused(folder))) continue;
      await rm(folder, { recursive: true, force: true });
      hadAny = true;
    } catch {
      // Gone already, another user's, or on a disk that is only read.
    }
  }
  return hadAny;
}

async function isUnused(folder: string): Promise<boolean> {
  const database = new Level(folder, { createIfMissing: false });
  try {
    await database.open();
  } catch (error) {
    // Whatever else is wrong with it, its lock was free.
    return errorCode((error as Error).cause) !== 'LEVEL_LOCKED';
  }
  await database.close();
  return true;
}
