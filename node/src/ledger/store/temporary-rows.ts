import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sha256 } from '@assay/core/hash/hash';
import { storageFault } from '../../platform/storage-fault.ts';
import { ScratchRows } from './scratch-rows.ts';
import type { Scratch } from './store.ts';

/**
 * The bytes of the entries whose rows a command holds in memory. As objects they take about four times as much. The rows of
 * more entries go to a temporary place.
 */
export const MOST_IN_MEMORY = 134_217_728;

/** Rows of long logs in the system's folder for temporary files. Each place is a database of its own. */
export class TemporaryRows {
  readonly #sha256: Sha256;
  readonly #made: ScratchRows[] = [];

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** An empty place. Throws `no_room` or `storage_failed`. */
  readonly make = async (): Promise<ScratchRows> => {
    const rows = await ScratchRows.make(this.#sha256, { scratch: temporaryScratch });
    this.#made.push(rows);
    return rows;
  };

  /** Removes every place that was made and is still there. */
  async drop(): Promise<void> {
    await Promise.all(this.#made.splice(0).map((each) => each.drop()));
  }
}

async function temporaryScratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-rows-')).catch((error: unknown) => {
    throw storageFault(error, 'temporary folder');
  });
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    // Most verifications need no database.
    const { openLevelStore } = await import('./level-store.ts');
    const store = await openLevelStore(join(folder, 'rows'), { sync: false });
    let dropped: Promise<void> | undefined;
    return { store, drop: () => (dropped ??= store.close().then(remove)) };
  } catch (error) {
    await remove();
    throw error;
  }
}
