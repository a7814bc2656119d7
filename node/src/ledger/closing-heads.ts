import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { parseNote } from '@assay/core/log/note';
import { ensureFolder, errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';

/** The folder of the closing heads in a data folder, an export and a bucket. */
export const CLOSING_HEADS = 'closing-head';

/**
 * The closing heads of a log, one note for each checkpoint key that ended, in the files `closing-head/<number>` of a data
 * folder. They are not checked here: whoever keeps one has verified it, and whoever follows a log verifies it again.
 */
export class ClosingHeads {
  readonly #folder: string;

  /** `folder` is the data folder. */
  constructor(folder: string) {
    this.#folder = join(folder, CLOSING_HEADS);
  }

  /** The note of checkpoint key `number`; undefined where none is kept. */
  async read(number: number): Promise<Uint8Array | undefined> {
    if (!Number.isInteger(number) || number < 0) throw new TypeError('number of a checkpoint key');
    return readIfThere(this.path(number));
  }

  /**
   * Keeps the note of checkpoint key `number`: once this resolves, a power failure does not take it. A note of the same
   * text with other lines takes the place of one that is kept. Throws `ledger_corrupt` for another text, because a key
   * has one closing head, and `bad_note` for what is no note.
   */
  async keep(number: number, note: Uint8Array): Promise<void> {
    const { text } = parseNote(note);
    const kept = await this.read(number);
    if (kept !== undefined) {
      if (equalBytes(kept, note)) return;
      const found = parseNote(kept).text;
      if (found !== text) {
        throw new Fault('ledger_corrupt', 'closing head', {
          at: this.path(number),
          expected: text,
          found,
        });
      }
    }
    await ensureFolder(this.#folder);
    await writeDurable(this.path(number), note);
  }

  /**
   * Puts a note aside that is to be the closing head of key `number` once its entry is in the log. Another one takes its
   * place.
   */
  async prepare(number: number, note: Uint8Array): Promise<void> {
    await ensureFolder(this.#folder);
    await writeDurable(this.#prepared(number), note);
  }

  /** Keeps the note that was put aside for key `number`; false where there is none. Throws what `keep` throws. */
  async keepPrepared(number: number): Promise<boolean> {
    const note = await readIfThere(this.#prepared(number));
    if (note === undefined) return false;
    await this.keep(number, note);
    await rename(this.#prepared(number), this.path(number));
    await syncFolder(this.#folder);
    return true;
  }

  /** The file of the note of key `number`. */
  path(number: number): string {
    return join(this.#folder, `${number}`);
  }

  #prepared(number: number): string {
    return `${this.path(number)}.prepared`;
  }
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
