import type { WorkBudget } from '../work-budget.ts';
import { ReadStopped } from './value.ts';

/** Characters that are searched at once, and steps for each, because a search can go back. */
const PIECE = 65_536;
const SEARCH_STEPS = 8;

/**
 * Where `anchor` begins in `text`. Stops with `not_published` if it does not occur, and with `malformed` if it
 * occurs twice, overlapping or not.
 */
export function anchorIn(text: string, anchor: string, work: WorkBudget): number {
  const at = indexFrom(text, anchor, 0, work);
  if (at < 0) throw new ReadStopped('not_published', 'the anchor is not there');
  if (indexFrom(text, anchor, at + 1, work) >= 0) {
    throw new ReadStopped('malformed', 'the anchor twice');
  }
  return at;
}

/**
 * Where `anchor` begins at `from` or later, or -1. It searches piece by piece, so that the search of a long text can be
 * ended.
 */
function indexFrom(text: string, anchor: string, from: number, work: WorkBudget): number {
  for (let start = from; start + anchor.length <= text.length; start += PIECE) {
    const piece = text.slice(start, start + PIECE + anchor.length - 1);
    work.charge(SEARCH_STEPS * piece.length);
    const at = piece.indexOf(anchor);
    if (at >= 0) return start + at;
  }
  return -1;
}
