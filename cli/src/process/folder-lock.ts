import { join } from 'node:path';
import { UsageError } from '../command/exit.ts';
import { isLock, takeLock } from './process-lock.ts';

/**
 * Holds a folder for this process; gives what lets go of it. A lock of a process that is gone is taken over. Throws a
 * `UsageError` where another process has it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const lock = await takeLock(join(folder, 'lock'));
  if (isLock(lock)) return lock.release;
  const where = lock.isHere ? '' : ' of another machine';
  throw new UsageError(
    `process ${lock.pid}${where} uses ${folder}: one watch at a time keeps its state there`,
  );
}
