import { randomBytes } from 'node:crypto';
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../platform/durable-file.ts';
import { COPIED, TABLE } from './scratch-view.ts';

/** The name of a view ends with it. */
const SUFFIX = '.view';

/**
 * A second folder beside a database, `<database>.<random>.view`, in which LevelDB opens the same rows once more while
 * the first one is open, or is being opened: LevelDB locks a folder and not its files. It has hard links to the tables,
 * which LevelDB never changes and which stay when the database removes them, and copies of what LevelDB goes on
 * writing, its manifest and its logs.
 *
 * Nothing may be written to the database while the view is made. A compaction that is still under way may change which
 * files there are: the tables are linked first and the manifest is copied last, so that whatever is lacking is a file
 * that the manifest names, and LevelDB refuses to open such a view. Then it is made again.
 */
export class LinkedView {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Throws what the disk throws, such as that it is full; then nothing is left behind. */
  static async make(database: string): Promise<LinkedView> {
    const folder = `${database}.${randomBytes(8).toString('hex')}${SUFFIX}`;
    try {
      await mkdir(folder, { mode: 0o700 });
      const tables = (await readdir(database)).filter((name) => TABLE.test(name));
      for (const name of tables) await linkIfThere(join(database, name), join(folder, name));
      const rest = (await readdir(database)).filter((name) => COPIED.test(name));
      for (const name of rest.sort(byTurn)) {
        await copyIfThere(join(database, name), join(folder, name));
      }
      return new LinkedView(folder);
    } catch (error) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Removes the views that interrupted processes have left. Nobody may be reading from one. */
  static async removeAll(database: string): Promise<void> {
    const parent = dirname(database);
    for (const name of await readdir(parent)) {
      if (!name.startsWith(`${basename(database)}.`) || !name.endsWith(SUFFIX)) continue;
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }

  /** Removes the view; the database stays. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The logs first, then the manifest, and last which manifest it is. */
function byTurn(a: string, b: string): number {
  return turnOf(a) - turnOf(b);
}

function turnOf(name: string): number {
  if (name === 'CURRENT') return 2;
  return name.startsWith('MANIFEST') ? 1 : 0;
}

async function linkIfThere(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
