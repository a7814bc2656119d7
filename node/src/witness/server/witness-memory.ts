import { equalBytes } from '@assay/core/bytes/bytes';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { Fault } from '@assay/core/fault';
import { parseNote } from '@assay/core/log/note';

/** The newest checkpoint of a log that a witness has cosigned. */
export interface WitnessHead extends Checkpoint {
  /** The signed note: the log's line and the witness's own. */
  readonly note: Uint8Array;
}

/** The head in a note. Throws `bad_note` or `bad_base64`. */
export function witnessHead(note: Uint8Array): WitnessHead {
  return { ...parseCheckpoint(parseNote(note).text), note };
}

/**
 * What a witness must never forget: the newest checkpoint of each log that it has cosigned. One that forgets
 * may cosign a fork.
 */
export interface WitnessMemory {
  /** Undefined for a log of which it has cosigned nothing. */
  readonly read: (origin: string) => Promise<WitnessHead | undefined>;
  /**
   * Compare-and-swap, durable when it resolves. Throws `guard_conflict` if the stored head is not `expected`,
   * and `stopped` after a write that failed.
   */
  readonly swap: (
    origin: string,
    expected: WitnessHead | undefined,
    next: WitnessHead,
  ) => Promise<void>;
}

/** Throws `guard_conflict` unless `held` is `expected`. */
export function requireSame(
  held: WitnessHead | undefined,
  expected: WitnessHead | undefined,
): void {
  if (held === undefined ? expected === undefined : isSame(held, expected)) return;
  throw new Fault('guard_conflict', 'witness memory', {
    expected: sizeOf(expected),
    found: sizeOf(held),
  });
}

function isSame(held: WitnessHead, expected: WitnessHead | undefined): boolean {
  return expected !== undefined && equalBytes(held.note, expected.note);
}

function sizeOf(head: WitnessHead | undefined): string {
  return head === undefined ? 'none' : `a checkpoint of ${head.size}`;
}

/** A memory that ends with the process, for tests and temporary logs. */
export class MemoryWitnessMemory implements WitnessMemory {
  readonly #held = new Map<string, WitnessHead>();

  readonly read = (origin: string): Promise<WitnessHead | undefined> =>
    Promise.resolve(this.#held.get(origin));

  // eslint-disable-next-line @typescript-eslint/require-await -- what it refuses is a rejection
  readonly swap = async (
    origin: string,
    expected: WitnessHead | undefined,
    next: WitnessHead,
  ): Promise<void> => {
    requireSame(this.#held.get(origin), expected);
    this.#held.set(origin, next);
  };
}
