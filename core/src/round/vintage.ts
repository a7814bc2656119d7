import type { RevisionRow } from '../kind/revision.ts';
import { MAX_REVISION_ROWS } from '../limits.ts';
import type { ScaledSeries } from '../rule/interpret.ts';
import { releasedBy } from '../rule/release.ts';
import type { Rule } from '../rule/rule.ts';
import { formatDate } from '../time/time.ts';
import { periodRowsOf } from '../view/periods.ts';
import type { ViewState } from '../view/view.ts';

/**
 * The rows of a `revision` entry: every period of the source's series whose value differs from what the log shows,
 * ascending, at most `most` of them (the next entry takes the rest). A period that the rule's calendar had not released
 * at `readAt` (Unix seconds) is left out, whatever the source shows for it. The newest of the others is left out while
 * the log has nothing for it, because it may still be a first print.
 */
export function revisionRows(
  series: ScaledSeries,
  { ticker, release, period: kind }: Rule,
  state: ViewState,
  readAt: number,
  most: number = MAX_REVISION_ROWS,
): readonly RevisionRow[] {
  const released = releasedBy(release, kind, readAt);
  const figures = figuresOf(series);
  const newest = figures.findLast(({ period }) => released(period))?.period;
  const rowOf = periodRowsOf(state, ticker);
  const rows: RevisionRow[] = [];
  for (const { period, text } of figures) {
    if (rows.length >= most) break;
    if (!released(period)) continue;
    const date = formatDate(period);
    const shown = rowOf(date);
    if (shown === undefined && period === newest) continue;
    if (shown?.status === 'provisional') continue;
    if ((shown?.revised ?? shown?.value) !== text) rows.push({ period: date, value: text });
  }
  return rows;
}

/** A value of a series as a row of the log would have it. */
export interface Figure {
  /** Day number. */
  readonly period: number;
  readonly text: string;
}

/** By the series, which nobody changes: a report and each revision after it are held against the same one. */
const figures = new WeakMap<ScaledSeries, readonly Figure[]>();

/** Names the figures of a series for `figuresOf`, where they are known already. */
export function keepFigures(series: ScaledSeries, of: readonly Figure[]): void {
  figures.set(series, of);
}

/** The values of a series, ascending by period. */
export function figuresOf(series: ScaledSeries): readonly Figure[] {
  const known = figures.get(series);
  if (known !== undefined) return known;
  const made: Figure[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let ascends = true;
  for (const [period, value] of series) {
    if (value === null) continue;
    if (period <= last) ascends = false;
    last = period;
    made.push({ period, text: value.toString() });
  }
  if (!ascends) made.sort((a, b) => a.period - b.period);
  figures.set(series, made);
  return made;
}
