import type { Evidence } from '@assay/core/proof/evidence';
import { excerpt } from '../verdict/printable.ts';

/**
 * Findings that need a comparison of logs and vantage points, and that one log alone does not show. A code keeps its
 * meaning for good.
 */
export const WATCH_CODES = [
  'fork', // two checkpoints by one key that no log can both have
  'head_behind', // an address that shows less of a log than was seen before
  'log_changed', // an address that shows another log than it did before
  'key_twice', // a co-signer's key in force in two logs
  'history_differs', // a co-signer names a report or a head that the publisher's log does not have
  'dissent_hidden', // a dissent in a co-signer's log that the publisher's log lacks after the grace period
  'agreement_hidden', // an agreement in a co-signer's log that the publisher's log lacks after the grace period
  'word_unlogged', // a statement in the publisher's log that the co-signer's log does not have
  'word_contradicts', // two statements of one co-signer that exclude each other, or one with two texts
  'recounter_silent', // a co-signer without a statement on reports whose time for reads is over
  'publisher_silent', // a publisher that was reached, with no final or void after its rule's deadline, or no new entry since before a release
  'index_missing', // a publisher that was reached, without an index entry for a day that ended before the grace period
  'print_contradicts', // two prints in one place, both signed by the publisher
] as const;

export type WatchCode = (typeof WATCH_CODES)[number];

export interface WatchFinding {
  readonly code: WatchCode;
  /** The log or address that it is about, and the place there. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
  /** What proves it to anybody; null where only a reader of both logs can see it. */
  readonly evidence: Evidence | null;
}

const MAX_WORDS = 300;

/** A finding whose texts are made printable. */
export function watchFinding(
  code: WatchCode,
  place: string,
  expected: string,
  found: string,
  evidence: Evidence | null = null,
): WatchFinding {
  return {
    code,
    place: excerpt(place, MAX_WORDS),
    expected: excerpt(expected, MAX_WORDS),
    found: excerpt(found, MAX_WORDS),
    evidence,
  };
}
