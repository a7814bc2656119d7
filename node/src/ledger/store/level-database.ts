import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { KeptFiles } from './kept-files.ts';
import { LinkedView } from './linked-view.ts';
import { ScratchView } from './scratch-view.ts';
import { checkTables } from './table-check.ts';
import { takeTableList } from './table-list.ts';

export type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>;

export const ENCODINGS: { readonly keyEncoding: 'view'; readonly valueEncoding: 'view' } = {
  keyEncoding: 'view',
  valueEncoding: 'view',
};

/** The name of a store for a while, which lies beside a database, ends with it. */
export const SCRATCH = '.proof';

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
  // No other process has it open. What one left that was killed may be what takes the room.
  const hadLeft = await removeLeft(folder);
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

/** Removes the stores beside a database that a process left which was killed. Returns whether there were any. */
async function removeLeft(folder: string): Promise<boolean> {
  let hadAny = false;
  const parent = dirname(folder);
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(`${basename(folder)}.`) || !name.endsWith(SCRATCH)) continue;
    // A disk that is only read keeps them.
    const removing = rm(join(parent, name), { recursive: true, force: true });
    hadAny = (await removing.then(() => true).catch(() => false)) || hadAny;
  }
  return hadAny;
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
  // A missing file is a fault of the database; any other failure of a file is one of the disk.
  if (errorCode(cause) === 'LEVEL_IO_ERROR' && !found.endsWith('No such file or directory')) {
    return storageFault(cause, 'ledger database');
  }
  const expected = 'a LevelDB that opens';
  return new Fault('ledger_corrupt', 'ledger database', { at: folder, expected, found, cause });
}
