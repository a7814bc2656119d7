import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { errorCode } from './durable-file.ts';

/** Codes of the system for a disk that accepts no more bytes, or none at all. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);
/** The same as the texts of strerror(3), which is all that LevelDB passes on. */
const NO_ROOM_WORDS = /: (?:No space left on device|Disk quota exceeded|Read-only file system)$/;

/** Whether a full or read-only disk is the cause of an error, however deep. */
export function isNoRoom(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; depth += 1) {
    if (each instanceof Fault && each.code === 'no_room') return true;
    const code = errorCode(each);
    if (code !== undefined && NO_ROOM.has(code)) return true;
    if (NO_ROOM_WORDS.test(each.message)) return true;
    each = each.cause;
  }
  return false;
}

/**
 * An error of the system or the database as `storage_failed`, or as `no_room` if the disk is full or read-only.
 * Any other error is returned as it is.
 */
export function storageFault(error: unknown, title: string): unknown {
  const code = errorCode(error);
  // Codes that begin with ERR_ are mistakes in a call and not caused by the disk.
  if (error instanceof Fault || code === undefined || code.startsWith('ERR_')) return error;
  const noRoom = isNoRoom(error);
  return new Fault(noRoom ? 'no_room' : 'storage_failed', title, {
    expected: noRoom
      ? 'a disk with free space that can be written'
      : 'a disk that can be read and written',
    found: messageOf(error),
    cause: error,
  });
}

/** Whether an error is what `storageFault` makes of one of the disk. */
export function isStorageFault(error: unknown): boolean {
  const code = faultCode(error);
  return code === 'storage_failed' || code === 'no_room';
}
