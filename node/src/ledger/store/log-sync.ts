import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, syncFolder } from '../../platform/durable-file.ts';

/** Codes of the system where one more file cannot be opened at the moment. */
const PASSING: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);
/** Calls that come before a sync, and of which no file is written. */
const BEFORE: ReadonlySet<string> = new Set(['open', 'scandir']);

/** LevelDB's logs of commits. */
const LOG = /^[0-9]+\.log$/;

/**
 * Makes durable what LevelDB has in its logs, from handles of our own: everything that was written without a sync before
 * this was called. In LevelDB 1.20:
 *
 * - A write returns when its bytes are in the system's memory: `Writer::EmitPhysicalRecord` flushes each record.
 * - A full log is followed by a new one (`DBImpl::MakeRoomForWrite`), and neither is synced then, nor the name of the new
 *   one. So all logs of the folder are synced, and the folder, whose names LevelDB only syncs with a list of tables
 *   (`PosixWritableFile::SyncDirIfManifest`).
 * - A log is deleted (`DBImpl::DeleteObsoleteFiles`) after `DBImpl::CompactMemTable` has put its rows into a table. That
 *   table is synced by then (`BuildTable`), and so is the list that names it (`VersionSet::LogAndApply`). So a log that is
 *   not there has nothing left to sync.
 */
export async function syncLogs(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (LOG.test(name)) await syncFile(join(folder, name));
  await syncFolder(folder);
}

/**
 * Whether an error of `syncLogs`, however deep, says nothing of what was written: a file could not be opened, because too
 * many are. What an earlier call has synced is still so, and another call may succeed.
 */
export function isPassing(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; depth += 1) {
    const { code, syscall } = each as NodeJS.ErrnoException;
    if (PASSING.has(code ?? '') && BEFORE.has(syscall ?? '')) return true;
    each = each.cause;
  }
  return false;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  try {
    await file?.datasync();
  } finally {
    await file?.close();
  }
}
