/** The second store: it holds the newest signed head, and moves only from a head that it knows. */
export interface HeadGuard {
  readonly read: () => Promise<Uint8Array | undefined>;
  /** Compare-and-swap: durable when it resolves. Throws `guard_conflict` when what is held is not `expected`. */
  readonly swap: (expected: Uint8Array | undefined, next: Uint8Array) => Promise<void>;
  /** Reads anew what lies on the disk, after a swap that failed: what that swap left counts as a start would count it. */
  readonly reopen: () => Promise<void>;
  /** Waits for what is under way and lets go of what it holds open. */
  readonly close: () => Promise<void>;
}
