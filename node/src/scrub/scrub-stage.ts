import type { StoredPart } from './damage-log.ts';

/** One piece of work of a scrub: small, so that other work can run after it. */
export interface ScrubStep {
  /** From where the stage continues after it; empty if it begins anew. */
  readonly place: string;
  /** How much of the stage is done, from 0 to 1. */
  readonly share: number;
  /** Bytes that were read for it. */
  readonly bytes: number;
}

/** One kind of stored thing that a scrub goes over. The stage itself records what is wrong with one of them. */
export interface ScrubStage {
  /** Its name in /status, which is unique in the scrub. */
  readonly name: string;
  /** Goes over what comes after `place`, or over everything if that is empty. Throws if it cannot be read. */
  readonly steps: (place: string) => AsyncIterable<ScrubStep>;
  /** How one damage is checked again after a start. It is left out if a start itself finds it. */
  readonly recheck?: {
    readonly part: StoredPart;
    readonly copyOf: string | null;
    /** Records its current state. */
    readonly check: (name: string) => Promise<unknown>;
  };
}
