import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { parseNote } from '@assay/core/log/note';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';

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
    try {
      return new Uint8Array(await readFile(this.#path(number)));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
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
          at: this.#path(number),
          expected: text,
          found,
        });
      }
    }
    await ensureFolder(this.#folder);
    await writeDurable(this.#path(number), note);
  }

  #path(number: number): string {
    return join(this.#folder, `${number}`);
  }
}
