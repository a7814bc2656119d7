import type { Hash } from '@assay/core/hash/hash';

/**
 * The RFC 6962 proof that the log's first `newSize` entries begin with its first `oldSize`. Throws
 * `out_of_range` for sizes that the log does not have.
 */
export type ProveConsistency = (oldSize: number, newSize: number) => Promise<readonly Hash[]>;

/** What stands between a head in the guard and its readers: those who witness it. */
export interface WitnessStage {
  /** Witnesses whose lines a head needs before a reader is shown it; 0: it is shown at once. */
  readonly required: number;
  /**
   * Resolves with `note` and the lines that its witnesses gave to it: of at least `required` distinct
   * ones, and rejects while there are fewer. `note` is the log's own: the guard holds it.
   */
  readonly gather: (
    note: Uint8Array,
    size: number,
    root: Hash,
    consistency: ProveConsistency,
  ) => Promise<Uint8Array>;
  /**
   * Has `onHead` told of what a witness holds of this log that does not fit the head which it was asked about:
   * who, and the note, unchecked.
   */
  readonly watch?: (onHead: (holder: string, note: Uint8Array) => Promise<void>) => void;
  /** The note that readers were shown last, with its lines; kept so that a restart can go on showing it. */
  readonly kept?: ShownNote;
}

/** Where the note that readers were shown last is kept. */
export interface ShownNote {
  /** Undefined where there is none, or it has too few lines for what is required now. */
  readonly read: () => Promise<Uint8Array | undefined>;
  readonly write: (note: Uint8Array) => Promise<void>;
}
