import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { KeptFiles } from './kept-files.ts';
import { removeLeftStores } from '../scratch/left-stores.ts';
import { LinkedView } from './linked-view.ts';
import { ScratchView } from './scratch-view.ts';
import { checkTables } from './table-check.ts';
import { takeTableList } from './table-list.ts';

export type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>;

export const ENCODINGS: { readonly keyEncoding: 'view'; readonly valueEncoding: 'view' } = {
  keyEncoding: 'view',
  valueEncoding: 'view',
};

const SCRATCH = '.proof';

/** The folder of a store for a while, beside a database. */
export function scratchBeside(folder: string): string {
  return `${folder}.${randomBytes(8).toString('hex')}${SCRATCH}`;
}

function isScratchOf(database: string, name: string): boolean {
  if (!name.startsWith(`${database}.`) || !name.endsWith(SCRATCH)) return false;
  return /^[0-9a-f]{16}$/.test(name.slice(database.length + 1, -SCRATCH.length));
}

/**
 * How many tables are open at a time. LevelDB maps each into memory, and what was read of it counts as resident
 * until it is closed: with the usual 1,000, a walk over a log of 250 MB leaves 250 MB mapped. LevelDB accepts
 * no fewer than these.
 */
const MAX_OPEN_FILES = 74;

/** The size of a table: half of the usual one, so that those that are open take half as much. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The bytes of commits that may be only in LevelDB's log before they go into a table. */
export const WRITE_BUFFER_BYTES: number = 16 * 1024 * 1024;

/** How often a view is made of a database whose background work may be changing its files. */
const MAX_VIEWS = 5;

/** An open database: for writing, with the files that it had before, or through a view only for reading. */
export interface Opened {
  readonly database: Database;
  readonly files: KeptFiles | undefined;
  /** The numbers of the tables that were checked before it was opened. */
  readonly tables: readonly number[];
  readonly view: ScratchView | LinkedView | undefined;
  /** Why it cannot be written. */
  readonly readOnly: Fault | undefined;
}

/**
 * Opens the database in `folder`. One on a disk that takes nothing is only read, through a view in one of the folders
 * `scratch`, if there are any. Throws `ledger_corrupt`, `storage_failed`, `no_room`, or `refused` if another process holds it.
 */
export async function openDatabase(
  folder: string,
  scratch: readonly string[] = [],
): Promise<Opened> {
  const first = await openWhereRoom(folder);
  // What a process left that was killed may be what takes the room.
  const name = basename(folder);
  const hadLeft = await removeLeftStores(dirname(folder), (each) => isScratchOf(name, each));
  if (!(first instanceof Fault)) return first;
  const opened = hadLeft ? await openWhereRoom(folder) : first;
  if (!(opened instanceof Fault)) return opened;
  if (scratch.length === 0) throw opened;
  return openForReads(folder, scratch, opened);
}

/** Returns the fault of a disk that takes nothing. Throws all others. */
async function openWhereRoom(folder: string): Promise<Opened | Fault> {
  try {
    return await openForWrites(folder);
  } catch (error) {
    const fault = storageFault(error, 'ledger database');
    if (!(fault instanceof Fault) || fault.code !== 'no_room') throw fault;
    return fault;
  }
}

/** Opens it with the files that it had before. Nothing else may have it open. */
export async function openForWrites(folder: string): Promise<Opened> {
  const tables = await checkTables(folder, await takeTableList(folder));
  const files = await KeptFiles.keep(folder);
  const database = levelAt(folder, !(files?.holdRows ?? false));
  try {
    await database.open();
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    await (errorCode(cause) === 'LEVEL_LOCKED' ? files?.forget() : files?.putBack());
    throw openFault(folder, cause);
  }
  return { database, files, tables, view: undefined, readOnly: undefined };
}

async function openForReads(
  folder: string,
  scratch: readonly string[],
  readOnly: Fault,
): Promise<Opened> {
  const view = await ScratchView.make(folder, scratch);
  const database = levelAt(view.folder, false);
  try {
    await database.open();
  } catch (error) {
    await view.remove();
    throw openFault(folder, (error as Error).cause ?? error);
  }
  return { database, files: undefined, tables: [], view, readOnly };
}

/** A view beside a database, which may be open and may be finishing its background work; nobody writes to it meanwhile. */
export async function openLinked(folder: string): Promise<Opened> {
  for (let tries = 1; ; tries += 1) {
    const view = await LinkedView.make(folder);
    const database = levelAt(view.folder, false);
    try {
      await database.open();
      return { database, files: undefined, tables: [], view, readOnly: undefined };
    } catch (error) {
      await view.remove();
      if (tries < MAX_VIEWS) continue;
      // The database itself is open and as it was, so nothing is said about it.
      const cause = (error as Error).cause ?? error;
      throw new Fault('storage_failed', 'ledger database', {
        at: folder,
        expected: 'a view of it that opens, from which it is read while it is opened again',
        found: messageOf(cause),
        cause,
      });
    }
  }
}

function levelAt(folder: string, createIfMissing: boolean): Database {
  const database = new Level<Uint8Array, Uint8Array>(folder, {
    ...ENCODINGS,
    // We hash entries ourselves. Compression would only cost time in a commit.
    compression: false,
    writeBufferSize: WRITE_BUFFER_BYTES,
    maxOpenFiles: MAX_OPEN_FILES,
    maxFileSize: MAX_FILE_BYTES,
    // LevelDB would begin a new database over one whose CURRENT is missing, and delete its other files.
    createIfMissing,
  });
  return database as unknown as Database;
}

function openFault(folder: string, cause: unknown): unknown {
  const found = messageOf(cause);
  if (errorCode(cause) === 'LEVEL_LOCKED') {
    const expected = 'no other process on it';
    return new Fault('refused', 'ledger database', { at: folder, expected, found, cause });
  }
  // A missing file is a fault of the database; any other failure of a file is one of the disk, as is that of its folder.
  const code = errorCode(cause);
  const isOfDisk = code === 'LEVEL_IO_ERROR' && !found.endsWith('No such file or directory');
  if (isOfDisk || (code !== undefined && !code.startsWith('LEVEL_'))) {
    return storageFault(cause, 'ledger database');
  }
  const expected = 'a LevelDB that opens';
  return new Fault('ledger_corrupt', 'ledger database', { at: folder, expected, found, cause });
}

/** An error of a read that does not wait, with the code that the same error has where a read waits. */
export function codedError(error: unknown): unknown {
  if (!(error instanceof Error) || errorCode(error) !== undefined) return error;
  const code = CODES.find(([start]) => error.message.startsWith(start))?.[1];
  return code === undefined ? error : Object.assign(error, { code });
}

const CODES = [
  ['IO error: ', 'LEVEL_IO_ERROR'],
  ['Corruption: ', 'LEVEL_CORRUPTION'],
] as const;
