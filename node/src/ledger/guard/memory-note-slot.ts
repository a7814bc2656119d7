import type { NoteSlot } from './note-slot.ts';
import { requireHeld } from './held.ts';

/** A head guard in memory, for tests and temporary logs. */
export class MemoryNoteSlot implements NoteSlot {
  #held: Uint8Array | undefined;

  readonly read = (): Promise<Uint8Array | undefined> => Promise.resolve(this.#held?.slice());

  readonly swap = async (expected: Uint8Array | undefined, next: Uint8Array): Promise<void> => {
    requireHeld(this.#held, expected);
    this.#held = next.slice();
  };

  readonly reopen = (): Promise<void> => Promise.resolve();

  readonly close = (): Promise<void> => Promise.resolve();
}
