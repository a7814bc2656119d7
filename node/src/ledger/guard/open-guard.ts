import { rm, stat } from 'node:fs/promises';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { faultCode } from '@assay/core/fault';
import { parseNote } from '@assay/core/log/note';

import { errorCode } from '../../platform/durable-file.ts';
import { FileHeadGuard } from './file-head-guard.ts';
import { FileNoteSlot } from './file-note-slot.ts';
import type { HeadGuard } from './head-guard.ts';
import { LastSigned } from './last-signed.ts';

/** Where a data folder has its head guard, and the note that was signed last. */
export interface GuardPaths {
  readonly guard: string;
  readonly head: string;
}

export interface OpenGuard {
  readonly guard: HeadGuard;
  readonly signed: LastSigned;
}

/**
 * Opens the head guard of a data folder. A folder of an earlier release, whose guard was the signed note itself, gets
 * a guard at that head. Throws `guard_corrupt`.
 */
export async function openGuard(
  { guard, head }: GuardPaths,
  options: { readonly sync?: boolean } = {},
): Promise<OpenGuard> {
  const isThere = await exists(guard);
  const note = await FileNoteSlot.peek(head).catch((error: unknown) => {
    // With a guard the note is only compared with it, and is signed again.
    if (isThere && faultCode(error) === 'guard_corrupt') return 'damaged' as const;
    throw error;
  });
  if (note === 'damaged') await rm(head);
  // A note that was signed beside a guard is not one: without it, only heads of others show how far the log was.
  if (!isThere && note !== undefined && note !== 'damaged' && note.kind === 'accepted') {
    await FileHeadGuard.begin(guard, parseCheckpoint(parseNote(note.note).text));
  }
  const opened = await FileHeadGuard.open(guard, options);
  try {
    const slot = await FileNoteSlot.open(head, { sync: false, kind: 'signed' });
    const signed = new LastSigned(slot);
    return { guard: closing(opened, signed), signed };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A guard with which the note beside it is closed. */
function closing(guard: HeadGuard, signed: LastSigned): HeadGuard {
  const { look, peek, take, move, settled, reopen } = guard;
  const close = async (): Promise<void> => {
    await signed.close();
    await guard.close();
  };
  return { look, peek, take, move, settled, reopen, close };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
