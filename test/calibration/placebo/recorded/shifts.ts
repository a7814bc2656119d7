import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { isScored, type Measured } from '../../measured.ts';
import type { RecordedOpening } from '../../recorded-study.ts';

const WEEK_COUNTS = 604_800 / GRID_SECONDS;
/** An event near the end of the record has no week after it that is over. */
const OVER_COUNTS: number = 2 * WEEK_COUNTS;

/** The span in which all events are moved: from the first score on, as many whole weeks as have a return. */
interface Span {
  readonly first: number;
  readonly weeks: number;
}

/** How many weeks of a record can have events. */
export function spanOf(assets: readonly Measured[]): Span {
  const first = Math.min(
    ...assets.map((asset) => asset.index.find((_, at) => isScored(asset, at)) ?? Infinity),
  );
  const last = Math.max(...assets.map(({ index, size }) => index[size - 1] as number));
  return { first, weeks: Math.floor((last - OVER_COUNTS - first) / WEEK_COUNTS) };
}

/**
 * The openings with all their times moved by so many weeks against the prices. What would leave the span comes in at its
 * start. Where the asset has no score then, the opening is left out; so is one outside of the span.
 */
export function shifted(
  openings: readonly RecordedOpening[],
  { first, weeks }: Span,
  by: number,
): readonly RecordedOpening[] {
  const span = weeks * WEEK_COUNTS;
  return openings.flatMap((opening) => {
    const at = opening.index - first;
    if (at < 0 || at >= span) return [];
    const index = first + ((at + by * WEEK_COUNTS) % span);
    return hasScore(opening.asset, index) ? [{ ...opening, index }] : [];
  });
}

function hasScore(asset: Measured, index: number): boolean {
  const at = asset.index.indexOf(index);
  return at >= 0 && isScored(asset, at);
}
