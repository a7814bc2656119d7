import type { Sha256 } from '../hash.ts';
import { logView } from './log.ts';
import { periodsView } from './periods.ts';
import { reportsView } from './reports.ts';
import { rulesView } from './rules.ts';
import type { FoldedEntry, View, ViewState, ViewWrite } from './view.ts';

/** Every view, in the order in which an entry meets them. Each owns its tables alone. */
export const VIEWS: readonly View[] = [logView, rulesView, reportsView, periodsView];

/** The rows that one entry changes, given the rows before it. */
export function foldEntry(
  entry: FoldedEntry,
  state: ViewState,
  sha256: Sha256,
): readonly ViewWrite[] {
  return VIEWS.flatMap((view) => view.apply(entry, state, sha256));
}
