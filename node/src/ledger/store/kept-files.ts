import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, syncFolder } from '../../platform/durable-file.ts';

/** LevelDB's own lock and log texts, which are no part of a database. */
const NOT_DATA: ReadonlySet<string> = new Set(['LOCK', 'LOG', 'LOG.old']);
const SUFFIX = '.start';

/**
 * A database's files as they were before it was opened: hard links in a folder `<database>.<random>.start` next
 * to it. LevelDB skips a log that the disk fails to read, and deletes it; with these links nothing is lost
 * until somebody has examined what was found. LevelDB never changes a file that it has finished, and a new
 * state begins with a new CURRENT.
 */
export class KeptFiles {
  readonly #folder: string;
  readonly #kept: string;
  readonly #names: readonly string[];

  private constructor(folder: string, kept: string, names: readonly string[]) {
    this.#folder = folder;
    this.#kept = kept;
    this.#names = names;
  }

  /** Whether there are files with rows. */
  get holdRows(): boolean {
    return this.#names.some((name) => /\.(?:ldb|log|sst)$/.test(name));
  }

  /** Undefined if there is no database yet. */
  static async keep(folder: string): Promise<KeptFiles | undefined> {
    const names = (await listing(folder)).filter((name) => !NOT_DATA.has(name));
    if (names.length === 0) return undefined;
    const kept = `${folder}.${randomBytes(8).toString('hex')}${SUFFIX}`;
    const files = new KeptFiles(folder, kept, names);
    try {
      await mkdir(kept);
      for (const name of names) await link(join(folder, name), join(kept, name));
    } catch (error) {
      await rm(kept, { recursive: true, force: true });
      throw error;
    }
    return files;
  }

  /** Removes them, and those of interrupted starts, because they are not needed any more. */
  async drop(): Promise<void> {
    const parent = dirname(this.#folder);
    const prefix = `${basename(this.#folder)}.`;
    for (const name of await readdir(parent)) {
      if (!name.startsWith(prefix) || !name.endsWith(SUFFIX)) continue;
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }

  /**
   * Restores the database, which must be closed, to what it was; CURRENT last, because that makes the change.
   */
  async putBack(): Promise<void> {
    const there = new Set(await listing(this.#folder));
    for (const name of this.#names) {
      if (name === 'CURRENT' || there.has(name)) continue;
      await link(join(this.#kept, name), join(this.#folder, name));
    }
    await syncFolder(this.#folder);
    if (this.#names.includes('CURRENT')) {
      await rename(join(this.#kept, 'CURRENT'), join(this.#folder, 'CURRENT'));
      await syncFolder(this.#folder);
    }
    await rm(this.#kept, { recursive: true, force: true });
  }

  /** Leaves the database alone: another process has it. */
  async forget(): Promise<void> {
    await rm(this.#kept, { recursive: true, force: true });
  }
}

async function listing(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
