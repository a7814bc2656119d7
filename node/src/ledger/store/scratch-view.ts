import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { removeLeftStores } from '../scratch/left-stores.ts';

/** Tables, which LevelDB never changes once they are complete. */
export const TABLE: RegExp = /^[0-9]+\.(?:ldb|sst)$/;
/** Files that LevelDB reads when it opens: the list of tables, and the commits that are in no table yet. */
export const COPIED: RegExp = /^(?:CURRENT|MANIFEST-[0-9]+|[0-9]+\.log)$/;

const VIEW = /^assay-view\.[0-9a-f]{16}$/;
/** A view that is younger than this may be one that is being made. */
const MAKING_MS = 600_000;

/**
 * A view of a database in another folder, for a disk that cannot be written: LevelDB writes whenever it opens
 * (a lock, a log, a manifest, the newest commits as a table), and here it writes into the view. The view is a
 * folder `assay-view.<random>` with copies of the manifest and of LevelDB's own logs, about twice
 * `WRITE_BUFFER_BYTES`, and symbolic links to the tables. LevelDB replaces nothing through a link: if it
 * rewrites tables, the new ones are in the view, at most as large as the database. The rows of a long log that are
 * derived again from its entries are there as well. The database itself must not be open for writing meanwhile. What
 * processes left that were killed is removed when another view is made there.
 */
export class ScratchView {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Creates it in the first of `places` that can be written. Throws `no_room` if none can, with the reason of
   * each.
   */
  static async make(database: string, places: readonly string[]): Promise<ScratchView> {
    const failures: string[] = [];
    for (const place of places) {
      await removeLeftStores(place, (name) => VIEW.test(name), MAKING_MS);
      const folder = join(place, `assay-view.${randomBytes(8).toString('hex')}`);
      try {
        await mkdir(folder, { mode: 0o700 });
        for (const name of await readdir(database)) {
          const [from, to] = [resolve(database, name), join(folder, name)];
          if (TABLE.test(name)) await symlink(from, to);
          else if (COPIED.test(name)) await copyFile(from, to);
        }
        return new ScratchView(folder);
      } catch (error) {
        failures.push(`${place}: ${messageOf(error)}`);
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      }
    }
    throw new Fault('no_room', 'ledger database', {
      expected: 'a folder on another disk, through which a database that takes no writes is read',
      found: failures.join('; '),
    });
  }

  /** Removes the view; the database, which it only links to, stays. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
