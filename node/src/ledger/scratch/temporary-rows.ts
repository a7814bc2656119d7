import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sha256 } from '@assay/core/hash/hash';
import { storageFault } from '../../platform/storage-fault.ts';
import { ScratchRows } from './scratch-rows.ts';
import type { Scratch } from '../store/store.ts';

/**
 * The bytes of the entries whose rows a command holds in memory. As objects they take about four times as much. The rows of
 * more entries go to a temporary place.
 */
export const MOST_IN_MEMORY = 134_217_728;

/**
 * Rows of long logs in the system's folder for temporary files. Each place is a database of its own. What is still there
 * when the process exits is removed; a process that is killed by a signal leaves it.
 */
export class TemporaryRows {
  readonly #sha256: Sha256;
  readonly #folders = new Set<string>();
  /** Those that are there, or are being made. */
  readonly #places = new Set<Promise<Scratch>>();

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** An empty place, which its `drop` removes. Throws `no_room` or `storage_failed`. */
  readonly make = (): Promise<ScratchRows> =>
    ScratchRows.make(this.#sha256, { scratch: () => this.#scratch() });

  /** Removes every place that was made and is still there. */
  async drop(): Promise<void> {
    const places = [...this.#places].map((place) => place.catch(() => undefined));
    await Promise.all(places.map(async (place) => (await place)?.drop()));
  }

  #scratch(): Promise<Scratch> {
    const place = this.#open(() => this.#places.delete(place));
    this.#places.add(place);
    place.catch(() => this.#places.delete(place));
    return place;
  }

  async #open(onDropped: () => void): Promise<Scratch> {
    const folder = await mkdtemp(join(tmpdir(), 'assay-rows-')).catch((error: unknown) => {
      throw storageFault(error, 'temporary folder');
    });
    if (this.#folders.size === 0) process.once('exit', this.#onExit);
    this.#folders.add(folder);
    const remove = async (): Promise<void> => {
      await rm(folder, { recursive: true, force: true });
      this.#folders.delete(folder);
      if (this.#folders.size === 0) process.removeListener('exit', this.#onExit);
      onDropped();
    };
    try {
      // Most verifications need no database.
      const { openScratch } = await import('../store/level-store.ts');
      const store = await openScratch(join(folder, 'rows'));
      let dropped: Promise<void> | undefined;
      return { store, drop: () => (dropped ??= store.close().then(remove)) };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  readonly #onExit = (): void => {
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  };
}
