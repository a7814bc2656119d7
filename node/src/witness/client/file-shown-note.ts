import { readFile } from 'node:fs/promises';
import { errorCode, writeDurable } from '../../platform/durable-file.ts';
import type { ShownNote } from '../../ledger/witness-stage.ts';
import { storageFault } from '../../platform/storage-fault.ts';

/** The note that readers were shown last, in its own file: the note's bytes. */
export class FileShownNote implements ShownNote {
  readonly #path: string;
  readonly #isEnough: (note: Uint8Array) => boolean;

  /**
   * `isEnough` returns whether a note has the lines that are required now. It may throw for what is no note.
   */
  constructor(path: string, isEnough: (note: Uint8Array) => boolean) {
    this.#path = path;
    this.#isEnough = isEnough;
  }

  /** Throws `storage_failed`. */
  readonly read = async (): Promise<Uint8Array | undefined> => {
    let note: Uint8Array;
    try {
      note = new Uint8Array(await readFile(this.#path));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw storageFault(error, 'shown note');
    }
    try {
      return this.#isEnough(note) ? note : undefined;
    } catch {
      // Damaged: the witnesses are asked again.
      return undefined;
    }
  };

  readonly write = (note: Uint8Array): Promise<void> =>
    writeDurable(this.#path, note, { mode: 0o600 });
}
