import { join } from 'node:path';
import { UsageError } from '../command/exit.ts';
import { isLock, takeLock } from './process-lock.ts';

/**
 * Locks a folder for this process, and returns a function that unlocks it. A lock of a process that has ended
 * is replaced. Throws a `UsageError` if another process has it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const lock = await takeLock(join(folder, 'lock'));
  if (isLock(lock)) return lock.release;
  const where = lock.isHere ? '' : ' of another machine';
  throw new UsageError(
    `process ${lock.pid}${where} uses ${folder}: one watch at a time keeps its state there`,
  );
}
