import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from './durable-file.ts';

/** An error of the system or the database as `storage_failed`; anything else as it is. */
export function storageFault(error: unknown, title: string): unknown {
  const code = errorCode(error);
  // Codes that begin ERR_ are mistakes in a call, not the disk's doing.
  if (error instanceof Fault || code === undefined || code.startsWith('ERR_')) return error;
  return new Fault('storage_failed', title, {
    expected: 'a disk that reads and writes',
    found: messageOf(error),
    cause: error,
  });
}
