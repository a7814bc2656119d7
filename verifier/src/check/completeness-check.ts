import type { IndexFold } from '@assay/core/view/completeness-fold';
import type { IndexEntry } from '@assay/core/kind/index-entry';
import { dateOf, type TimeText } from '@assay/core/time/time';
import { newestIndexDay } from '@assay/core/view/completeness';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference } from '../verdict/difference.ts';
import type { CheckContext } from './read-check.ts';

/**
 * Checks that an index entry is of a day that has ended, that its day is later than those of the entries before it,
 * except for entries of days that have not ended yet, and that its counts and roots follow from everything before it.
 * `fold` holds all entries that the walk has passed.
 */
export function checkIndexEntry(
  entry: IndexEntry,
  { seq, at, place }: { readonly seq: number; readonly at: TimeText; readonly place: string },
  state: ViewState,
  fold: IndexFold,
  { findings, tally }: CheckContext,
): void {
  const { day, size, ...content } = entry;
  tally.indexes += 1;
  const before = newestIndexDay(state, dateOf(at));
  if (day >= dateOf(at) || (before !== undefined && day <= before)) {
    const after = before === undefined ? '' : `after ${before} and `;
    findings.add('index_not_due', place, `a day ${after}before ${dateOf(at)}`, day);
  }
  const difference = firstDifference({ size: seq, ...fold.at(state, seq) }, { size, ...content });
  if (difference === undefined) return;
  const { path, expected, found } = difference;
  findings.add('index_differs', `${place}${path}`, expected, found);
}
