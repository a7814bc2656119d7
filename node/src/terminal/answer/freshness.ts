import { GRID_SECONDS, type TickGrid } from '@assay/core/terminal/calendar/grid';

/** The seconds from the time of the first tick after a pause within which it has to be read and shown. */
export const OPENING_GRACE_SECONDS = 300;

/** How many ticks lie in the half hour during which a reading is current. */
const TICKS_OF_NOW = 2;

/**
 * When a reading is no longer current, in unix seconds. While ticks follow each other, that is half an hour
 * after it.
 *
 * If a pause begins before that half hour is over, the reading stays current until the first tick after the
 * pause can be there. For a closed market that is 20 minutes after the next open: 15 minutes until the first
 * tick, and five more. So one missed closing tick halts nothing.
 *
 * If the grid has no later tick, it is half an hour too, because nobody knows when the next tick would come.
 */
export function staleAt(grid: TickGrid, ts: number): number {
  const index = grid.indexOf(ts);
  const half = ts + TICKS_OF_NOW * GRID_SECONDS;
  if (index === undefined) return half;
  for (let k = 1; k <= TICKS_OF_NOW && index + k < grid.end; k += 1) {
    const next = grid.timeOf(index + k);
    if (next > ts + k * GRID_SECONDS) return next + OPENING_GRACE_SECONDS;
  }
  return half;
}
