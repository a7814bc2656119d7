import type { NoteSlot } from './note-slot.ts';

/**
 * The note that a log signed last, for whoever reads the data folder of a node. It is written behind the answers to
 * callers, and not synced before `close`: a start signs the head of the guard again, and compares it with this note.
 */
export class LastSigned {
  readonly #slot: NoteSlot;
  #written: Uint8Array | undefined;
  #next: Uint8Array | undefined;
  #writing: Promise<void> | undefined;

  constructor(slot: NoteSlot) {
    this.#slot = slot;
  }

  /** The newest note that is stored; undefined if there is none. */
  async read(): Promise<Uint8Array | undefined> {
    await this.#writing;
    this.#written = await this.#slot.read();
    return this.#written;
  }

  /** Stores a note soon. Of several that come meanwhile only the last one is stored. */
  put(note: Uint8Array): void {
    this.#next = note;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#slot.close();
  }

  async #write(): Promise<void> {
    while (this.#next !== undefined) {
      const note = this.#next;
      this.#next = undefined;
      try {
        await this.#slot.swap(this.#written, note);
        this.#written = note;
      } catch {
        // Nothing depends on it: a disk that is full stops the log where it is written.
        await this.#again();
      }
    }
  }

  async #again(): Promise<void> {
    try {
      await this.#slot.reopen();
      this.#written = await this.#slot.read();
    } catch {
      // The next note is tried again.
    }
  }
}
