import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@assay/core/fault';
import { ensureFolder, writeDurable } from '../platform/durable-file.ts';
import { isConfigPath, isKeyPath, mayBeBackedUp, openingOf } from './private-files.ts';
import { type Restoration, isFound } from './restoration.ts';

/** A file that could not be restored. */
export interface LackingFile {
  /** Its path in the data folder. */
  readonly path: string;
  /** Which source should have it, and what was found there. */
  readonly reason: string;
}

/**
 * Writes what nothing serves and the folder lacks, from sources that are shown to be of this log, the newest
 * first; existing files stay. Returns how many files were written, and those that no source has undamaged.
 */
export async function restoreFiles(restoration: Restoration): Promise<{
  readonly written: number;
  readonly lacking: readonly LackingFile[];
}> {
  const { data } = restoration.parts;
  const lacking = new Map<string, LackingFile>();
  let written = 0;
  for (const result of restoration.results.toSorted((a, b) => (b.proven ?? 0) - (a.proven ?? 0))) {
    const { source, name, proven, faults } = result;
    if (source === undefined || name === data) continue;
    const named = (await source.privates()).filter(
      ({ path }) => !isKeyPath(path) && openingOf(path) === undefined,
    );
    if (proven === null) {
      if (named.length > 0) {
        faults.push(`${named.length} files were not taken, for it has no entries of the log`);
      }
      continue;
    }
    const files = named.filter(({ path }) => mayBeBackedUp(path));
    const [stranger] = named.filter(({ path }) => !mayBeBackedUp(path));
    if (stranger !== undefined) {
      const count = named.length - files.length;
      faults.push(`${count} files that no backup has were not taken, such as ${stranger.path}`);
    }
    const unread: string[] = [];
    for (const { path, read } of files) {
      const full = join(data, path);
      if (await isFound(full)) continue;
      let bytes: Uint8Array;
      try {
        bytes = await read();
      } catch (error) {
        unread.push(path);
        lacking.set(path, { path, reason: `${name}: ${messageOf(error)}` });
        continue;
      }
      await ensureFolder(join(full, '..'), { mode: 0o700 });
      await writeDurable(full, bytes, { mode: 0o600, exclusive: true });
      lacking.delete(path);
      result.files += 1;
      if (isConfigPath(path)) result.config.push(path);
      written += 1;
    }
    // An older source may have an older state of them.
    if (unread.length > 0) {
      faults.push(`${unread.length} files are not as they were kept, such as ${unread[0]}`);
    }
  }
  return { written, lacking: [...lacking.values()] };
}

/** The days of ticks whose openings the folder does not have after all sources were asked, as paths. */
export async function tickOpeningsLacking(
  restoration: Restoration,
  days: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { data } = restoration.parts;
  const lacking: string[] = [];
  for (const day of days) {
    const paths = ['ticks', 'hours'].map((ending) => `tick-openings/${day}.${ending}`);
    const isThere = await Promise.all(paths.map((path) => isFound(join(data, path))));
    if (!isThere.includes(true)) lacking.push(paths[0] as string);
  }
  return lacking;
}

/** The seed of the ticks, if the log or the folder has ticks and the seed is in neither folder nor source. */
export async function seedLacking(
  restoration: Restoration,
  days: ReadonlySet<string>,
): Promise<readonly LackingFile[]> {
  const path = 'keys/tick-seed';
  if (await isFound(join(restoration.parts.data, path))) return [];
  const { tickOpenings } = restoration.folder;
  const hasOpenings = async (): Promise<boolean> => {
    const found = await readdir(tickOpenings, { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    return found.some((each) => each.isFile());
  };
  if (days.size === 0 && !(await hasOpenings())) return [];
  const reason =
    'the secret behind the ticks of the Terminal: a node with terminal in its config does not start without it. ' +
    'Put a copy of it there, which --keys brings too';
  return [{ path, reason }];
}
