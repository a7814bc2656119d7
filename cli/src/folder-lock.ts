import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './exit.ts';

/**
 * Holds a folder for this process; gives what lets go of it. A lock of a process that is gone is taken over. Throws a
 * `UsageError` where another process has it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'lock');
  for (let isLast = false; ; isLast = true) {
    try {
      await writeFile(path, `${process.pid}\n`, { flag: 'wx' });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = Number(await readFile(path, 'utf8').catch(() => ''));
      if (isLast || isRunning(holder)) {
        throw new UsageError(
          `process ${holder} uses ${folder}: one watch at a time keeps its state there`,
        );
      }
      await rm(path, { force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  // A number that this process was given has no other holder.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
