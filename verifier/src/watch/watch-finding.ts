import type { Evidence } from '@assay/core/proof/evidence';
import { excerpt } from '../verdict/printable.ts';

/**
 * What shows where logs and vantage points are held against each other, and one log by itself does not. A
 * code keeps its meaning for good.
 */
export const WATCH_CODES = [
  'fork', // two checkpoints by one key that no log can have both of
  'head_behind', // a vantage point that shows less of a log than was seen before
  'log_changed', // an address that shows another log than it did before
  'key_twice', // a co-signer's key in force in two logs
  'history_differs', // a co-signer was shown a report, or names a head, that the publisher's log does not have
  'dissent_hidden', // a dissent in a co-signer's own log that the publisher's does not have after the grace
  'agreement_hidden', // the same of an agreement
  'word_unlogged', // a word in the publisher's log that the co-signer's own does not have
  'word_contradicts', // two words of one co-signer that exclude each other, or one with two texts
  'recounter_silent', // a co-signer without a word on reports whose time for reads is over
  'publisher_silent', // a publisher that was reached, and has no final and no void after its rule's deadline, or stands still past a release
  'index_missing', // a publisher that was reached, and has no index entry of a day that ended before the grace
  'print_contradicts', // two prints in one place, both signed by the publisher
] as const;

export type WatchCode = (typeof WATCH_CODES)[number];

export interface WatchFinding {
  readonly code: WatchCode;
  /** The log or address that it is about, and the place in it. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
  /** What proves it to anybody; null where only somebody who reads both logs sees it. */
  readonly evidence: Evidence | null;
}

const MAX_WORDS = 300;

/** A finding with words that do nothing but show themselves. */
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
