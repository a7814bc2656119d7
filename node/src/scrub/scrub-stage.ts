import type { StoredPart } from './damage-log.ts';

/** One piece of work of a scrub: small, so that others have their turn behind it. */
export interface ScrubStep {
  /** From where the stage is gone on with behind it; empty where it begins anew. */
  readonly place: string;
  /** How much of the stage is done, from 0 to 1. */
  readonly share: number;
  /** Bytes that were read for it. */
  readonly bytes: number;
}

/** One kind of thing at rest that a scrub goes over. What is wrong with one of them the stage takes note of itself. */
export interface ScrubStage {
  /** Its name in /status, which no other stage of the scrub has. */
  readonly name: string;
  /** Goes over what lies behind `place`, or over all of it where that is empty. Throws where it cannot be read. */
  readonly steps: (place: string) => AsyncIterable<ScrubStep>;
  /** How one damage is checked again after a start; left out where a start itself finds it. */
  readonly recheck?: {
    readonly part: StoredPart;
    readonly copyOf: string | null;
    /** Takes note of how it is now. */
    readonly check: (name: string) => Promise<unknown>;
  };
}
