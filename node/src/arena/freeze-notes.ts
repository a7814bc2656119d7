import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';

/**
 * The signed checkpoints, with the lines of witnesses, which show that rounds were frozen in time: one file a round. A line
 * that is lost cannot be had again once the beacon's round is out, so each is stored as soon as it is there.
 */
export class FreezeNotes {
  readonly #folder: string;
  readonly #sync: boolean;
  readonly #notes = new Map<string, string>();

  constructor(folder: string, { sync = true }: { readonly sync?: boolean } = {}) {
    this.#folder = folder;
    this.#sync = sync;
  }

  /** The note of a round; undefined where there is none. */
  async get(round: string): Promise<string | undefined> {
    const known = this.#notes.get(round);
    if (known !== undefined) return known;
    try {
      const note = parseUtf8(new Uint8Array(await readFile(this.#pathOf(round))));
      this.#notes.set(round, note);
      return note;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Resolves when the note will be there after a crash. */
  async put(round: string, note: string): Promise<void> {
    await ensureFolder(this.#folder);
    await writeDurable(this.#pathOf(round), new TextEncoder().encode(note), { sync: this.#sync });
    this.#notes.set(round, note);
  }

  /** Removes the note of a round whose entry has it. */
  async drop(round: string): Promise<void> {
    this.#notes.delete(round);
    await rm(this.#pathOf(round), { force: true });
  }

  #pathOf(round: string): string {
    return join(this.#folder, `${round}.note`);
  }
}
