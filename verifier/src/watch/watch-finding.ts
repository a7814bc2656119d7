import type { Evidence } from '@assay/core/proof/evidence';
import { excerpt } from '../verdict/printable.ts';

/**
 * Findings that need a comparison of logs and vantage points, and that one log alone does not show. A code keeps its
 * meaning for good, which `WATCH_MEANINGS` says.
 */
export const WATCH_CODES = [
  'fork',
  'head_behind',
  'log_changed',
  'key_twice',
  'history_differs',
  'dissent_hidden',
  'agreement_hidden',
  'word_unlogged',
  'word_contradicts',
  'recounter_silent',
  'publisher_silent',
  'index_missing',
  'print_contradicts',
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
