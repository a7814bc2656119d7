import { rename, stat } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import { FileHeadGuard } from '../ledger/guard/file-head-guard.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import { headText } from '../ledger/guard/head-guard.ts';
import { LastSigned } from '../ledger/guard/last-signed.ts';
import { errorCode } from '../platform/durable-file.ts';
import { type Environment, guardOptions, type PostgresGuardConfig } from './guard-config.ts';
import { PostgresGuard } from './postgres-guard.ts';
import { writerId } from './writer-id.ts';

/** A head guard in a database, and what belongs to it in the data folder. */
export interface DatabaseGuard {
  readonly guard: PostgresGuard;
  readonly signed: LastSigned;
  /** The name under which this folder holds the row. */
  readonly writer: string;
}

/** Where a data folder has what belongs to its guard. */
export interface DatabaseGuardPaths {
  /** The file of a guard in the folder, which the one in the database takes the place of. */
  readonly guard: string;
  /** The note that was signed last. */
  readonly head: string;
  readonly writer: string;
}

/** What a file of a guard is called once its head is in the database. */
export const MOVED = '.moved';

/**
 * Opens the head guard of a log in a database. A folder whose guard was a file gives its head to the database first, once, where
 * no row is there: the file is renamed then, so that nobody goes on from it. That asks for a node that was stopped cleanly,
 * whose `size` entries are those of the guard; otherwise `guard_conflict` is thrown.
 */
export async function openDatabaseGuard(
  paths: DatabaseGuardPaths,
  config: PostgresGuardConfig,
  environment: Environment,
  { origin, size }: { readonly origin: string; readonly size: number },
): Promise<DatabaseGuard> {
  const guard = new PostgresGuard(await guardOptions(config, environment, origin));
  try {
    const writer = await writerId(paths.writer);
    await giveOver(paths.guard, guard, writer, size);
    const slot = await FileNoteSlot.open(paths.head, { sync: false, kind: 'signed' });
    return { guard, signed: new LastSigned(slot), writer };
  } catch (error) {
    await guard.close();
    throw error;
  }
}

async function giveOver(
  path: string,
  guard: PostgresGuard,
  writer: string,
  size: number,
): Promise<void> {
  if (!(await exists(path))) return;
  const row = await guard.look();
  if (row !== undefined && row.writer !== writer) return;
  if (row === undefined) {
    const file = await FileHeadGuard.open(path);
    try {
      const { head, pending = [] } = (await file.peek()) ?? {};
      // What is pending may be in this file alone, also where the database ends with it.
      if ((head?.size ?? 0) !== size || pending.length > 0) {
        throw new Fault('guard_conflict', 'head guard', {
          at: path,
          expected: `a head of the ${size} entries in the database, all of them settled: start the node once with the guard in a file, and stop it`,
          found: pending.length > 0 ? `${headText(head)}, not settled` : headText(head),
        });
      }
      if (head !== undefined) await guard.begin(writer, head);
    } finally {
      await file.close();
    }
  }
  await rename(path, `${path}${MOVED}`);
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
