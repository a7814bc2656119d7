import type { Hash } from '@assay/core/hash/hash';

/**
 * The RFC 6962 proof that the log's first `newSize` entries begin with its first `oldSize`. Throws
 * `out_of_range` for sizes that the log does not have.
 */
export type ProveConsistency = (oldSize: number, newSize: number) => Promise<readonly Hash[]>;

/** What is between a head in the guard and its readers: its witnesses. */
export interface WitnessStage {
  /** How many witnesses' lines a head needs before a reader is shown it; with 0 it is shown at once. */
  readonly required: number;
  /**
   * Resolves with `note` and the lines that its witnesses gave for it, from at least `required` distinct ones,
   * and rejects while there are fewer. `note` is the log's own: the guard holds it.
   */
  readonly gather: (
    note: Uint8Array,
    size: number,
    root: Hash,
    consistency: ProveConsistency,
  ) => Promise<Uint8Array>;
  /**
   * Makes `onHead` be called with what a witness holds of this log that does not match the head that it was
   * asked about: who, and the note, unchecked.
   */
  readonly watch?: (onHead: (holder: string, note: Uint8Array) => Promise<void>) => void;
  /**
   * The note that readers were shown last, with its lines, stored so that a restart can continue to show it.
   */
  readonly kept?: ShownNote;
}

/** Where the note that readers were shown last is stored. */
export interface ShownNote {
  /** Undefined if there is none, or if it has too few lines for what is required now. */
  readonly read: () => Promise<Uint8Array | undefined>;
  readonly write: (note: Uint8Array) => Promise<void>;
}
