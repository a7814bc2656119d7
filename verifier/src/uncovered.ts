import { type TimeText, parseTime } from '@assay/core/time';
import { newestAnchor } from '@assay/core/view/anchors';
import type { ViewState } from '@assay/core/view/view';
import type { BitcoinFacts } from './verdict.ts';

/** Seconds that an entry may wait for its batch before it is said to be late: a node stamps every ten minutes. */
const LATE_S = 7200;

/** Kinds that no batch is made for by themselves: they speak of the stamps of others. */
const QUIET: ReadonlySet<string> = new Set(['anchor/1', 'beacon/1']);

/** How far a log goes. */
export interface LogEnd {
  readonly size: number;
  /** When the newest entry was written that a batch is made for; empty where there is none. */
  readonly at: TimeText | '';
}

/** Whether a batch of stamps is made for an entry of this kind. */
export function wantsStamp(kind: string): boolean {
  return !QUIET.has(kind);
}

/** The entries at the end of a log that no batch of stamps covers. */
export function uncoveredOf(state: ViewState, { size, at }: LogEnd): BitcoinFacts['uncovered'] {
  const newest = newestAnchor(state);
  const from = newest?.to ?? 0;
  if (from >= size) return null;
  const late =
    newest === undefined || (at !== '' && parseTime(at) > parseTime(newest.stamped_at) + LATE_S);
  return { from, to: size, late };
}
