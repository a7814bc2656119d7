import type { RevisionRow } from '../kind/revision.ts';
import { MAX_REVISION_ROWS } from '../limits.ts';
import type { ScaledSeries } from '../rule/interpret.ts';
import { releasedBy } from '../rule/release.ts';
import type { Rule } from '../rule/rule.ts';
import { formatDate } from '../time/time.ts';
import { periodRow } from '../view/periods.ts';
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
  const periods = [...series.keys()].filter((period) => released(period));
  if (!periods.every((period, i) => i === 0 || (periods[i - 1] as number) < period)) {
    periods.sort((a, b) => a - b);
  }
  const newest = periods.findLast((period) => series.get(period) !== null);
  const rows: RevisionRow[] = [];
  for (const period of periods) {
    const value = series.get(period) ?? null;
    if (rows.length >= most) break;
    if (value === null) continue;
    const date = formatDate(period);
    const shown = periodRow(state, ticker, date);
    if (shown === undefined && period === newest) continue;
    if (shown?.status === 'provisional') continue;
    const text = value.toString();
    if ((shown?.revised ?? shown?.value) !== text) rows.push({ period: date, value: text });
  }
  return rows;
}
