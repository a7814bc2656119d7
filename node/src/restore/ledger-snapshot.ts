import { copyFile, link, lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { errorCode } from '../platform/durable-file.ts';

/** The files of a database: its lists of tables, its newest commits, its tables. LevelDB reads nothing else. */
const DATA = /^(?:CURRENT|MANIFEST-[0-9]+|[0-9]+\.(?:log|ldb|sst))$/;
/** Files that LevelDB writes once and never changes afterwards. */
const TABLE = /\.(?:ldb|sst)$/;
/** A compaction may change the list of files while they are copied. It has ended a few seconds later. */
const TRIES = 40;
const PAUSE_MS = 100;
/**
 * The most bytes of a file. Ours are tables of 1 MiB and logs of 16 MiB, each with one more commit at most.
 * Without a limit, whoever sends a folder could make a file of any size at no cost.
 */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/**
 * Copies a database that another process may have open and be writing to, into the new folder `to`. Tables
 * never change, so they are linked if both are on one disk. The newest rows and the list of tables are files
 * that are only ever appended to, so a copy of them is what a power failure would have left. A copy counts if
 * the list of files was the same before and after it. Its reader has to verify what it contains.
 *
 * Throws `not_found` if there is no database, `refused` if something there is no plain file or if the list of
 * files never stays the same, `too_large` for a file that is no database's of ours, and `timeout` once `stop`
 * is aborted.
 */
export async function snapshotLedger(
  folder: string,
  to: string,
  stop?: { readonly aborted: boolean },
): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    await rm(to, { recursive: true, force: true });
    await mkdir(to, { recursive: true, mode: 0o700 });
    try {
      const before = await listing(folder);
      // The lists of tables first: a table that one of them names exists until a later list leaves it out.
      const ordered = before.names.toSorted((a, b) => rank(a) - rank(b));
      for (const name of ordered) {
        if (stop?.aborted === true) {
          throw new Fault('timeout', 'copy of a database', { at: folder });
        }
        const [from, copy] = [join(folder, name), join(to, name)];
        if (TABLE.test(name)) await linkOrCopy(from, copy);
        else await copyFile(from, copy);
      }
      const after = await listing(folder);
      if (before.current === after.current && before.names.join() === after.names.join()) return;
    } catch (error) {
      // A table that a compaction has just replaced.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Fault('refused', 'copy of a database', {
    at: folder,
    expected: 'a list of files that stays the same for a moment',
    found: `changes at each of ${TRIES} tries`,
  });
}

function rank(name: string): number {
  if (name === 'CURRENT') return 0;
  if (name.startsWith('MANIFEST')) return 1;
  return TABLE.test(name) ? 2 : 3;
}

async function listing(
  folder: string,
): Promise<{ readonly names: readonly string[]; readonly current: string }> {
  let found: readonly string[];
  try {
    found = await readdir(folder);
  } catch (cause) {
    const code = errorCode(cause);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause;
    throw new Fault('not_found', 'database', { at: folder, cause });
  }
  const names = found.filter((name) => DATA.test(name)).toSorted();
  for (const name of names) {
    const at = join(folder, name);
    const info = await lstat(at);
    if (!info.isFile()) {
      // A link or a pipe may lead anywhere.
      throw new Fault('refused', 'copy of a database', { at, expected: 'a plain file' });
    }
    if (info.size > MAX_FILE_BYTES) {
      const expected = `at most ${MAX_FILE_BYTES} bytes`;
      throw new Fault('too_large', 'copy of a database', { at, expected, found: `${info.size}` });
    }
  }
  const current = names.includes('CURRENT') ? await readFile(join(folder, 'CURRENT'), 'utf8') : '';
  return { names, current };
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw error;
    // Another disk, one without links, or a file of somebody else.
    await copyFile(from, to);
  }
}
