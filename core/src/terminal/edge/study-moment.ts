import type { BreadthName, Bucket } from '../../kind/event-group.ts';
import type { StudyHorizon } from '../study/study-blob.ts';

/** What became of a moment after a horizon. All returns are in basis points. */
export interface MomentReturn {
  /** Of the asset, to its last price if it is gone. */
  readonly ret: number;
  /** Whether the asset has no price at the end. */
  readonly gone: boolean;
  /** The rounded mean return of the controls, those that are gone to their last price. */
  readonly base: number;
  /** The same if everything was lost in those that are gone. */
  readonly base_lost: number;
  readonly gone_controls: number;
  /** Those of them that have no price after they were entered, and count with 0 in `base`. */
  readonly unpriced_controls: number;
}

/** A return is null while its horizon is not over, and where too many assets were gone to tell. */
export type MomentReturns = { readonly [H in StudyHorizon]: MomentReturn | null };

/** The opening of an event, with what a reader got who saw it (docs/spec/base-rate.md). */
export interface StudyMoment {
  /** Of the event. */
  readonly id: string;
  readonly symbol: string;
  /** Unix seconds. */
  readonly opened_at: number;
  /** The time of the asset's next good tick, in unix seconds. */
  readonly entered_at: number;
  readonly bucket: Bucket;
  readonly breadth: BreadthName;
  /** How many assets it is compared with. */
  readonly controls: number;
  readonly returns: MomentReturns;
}
