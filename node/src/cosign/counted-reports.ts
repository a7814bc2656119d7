import type { ReportRow } from '@assay/core/view/reports';

/** How many reports of one place are considered. An honest publisher signs one for each. */
export const MOST_OF_PLACE = 4;

/**
 * Of the reports of a period, oldest first, the first `MOST_OF_PLACE` of each place: the end of the round, each
 * provisional issue, each correction. So there are never more than 2044 for a period, whatever its publisher
 * signs. The one that settles it is among them, because it is the first that ends the round.
 */
export function countedReports(rows: readonly ReportRow[]): readonly ReportRow[] {
  const counts = new Map<string, number>();
  return rows.filter(({ report: { status, issue } }) => {
    const settles = status === 'final' || status === 'void';
    const place = settles ? 'settled' : `${status}/${issue}`;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    return count <= MOST_OF_PLACE;
  });
}
