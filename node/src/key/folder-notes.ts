import { readFile } from 'node:fs/promises';
import { faultCode } from '@assay/core/fault';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import type { DataFolder } from '../platform/data-folder.ts';
import { errorCode } from '../platform/durable-file.ts';

/** The notes of a data folder: the one that was signed last, and the one that readers were shown last. Nothing is checked. */
export async function folderNotes({ head, shown }: DataFolder): Promise<readonly Uint8Array[]> {
  const found = await Promise.all([signedNote(head), shownNote(shown)]);
  return found.filter((note) => note !== undefined);
}

async function signedNote(path: string): Promise<Uint8Array | undefined> {
  try {
    return (await FileNoteSlot.peek(path))?.note;
  } catch (error) {
    if (faultCode(error) === 'guard_corrupt') return undefined;
    throw error;
  }
}

async function shownNote(path: string): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
