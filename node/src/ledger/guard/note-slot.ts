/** A place for one signed note, the newest. It moves only from a note that whoever moves it knows. */
export interface NoteSlot {
  readonly read: () => Promise<Uint8Array | undefined>;
  /**
   * Compare-and-swap, durable when it resolves. Throws `guard_conflict` if the stored head is not `expected`.
   */
  readonly swap: (expected: Uint8Array | undefined, next: Uint8Array) => Promise<void>;
  /**
   * Reads again what is on the disk after a swap that failed. What that swap left counts as it would at a
   * start.
   */
  readonly reopen: () => Promise<void>;
  /** Waits for what is under way and closes what is open. */
  readonly close: () => Promise<void>;
}
