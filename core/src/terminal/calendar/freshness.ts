import { GRID_SECONDS, type TickGrid } from './grid.ts';

/** Seconds that the first tick after a pause has to be read and shown, from when it is due. */
export const OPENING_GRACE_SECONDS = 300;

/** Ticks in the half hour that a reading is of now. */
const TICKS_OF_NOW = 2;

/**
 * When a reading is no longer current, in Unix seconds: half an hour after it while ticks follow each other. Where a
 * pause begins before that half hour is over, the reading stays current until the first tick after the pause could be
 * there. For a closed market that is 20 minutes after the next open: the 15 minutes after which the first tick comes,
 * and five more. So one missed closing tick halts nothing. Where the grid has no tick within the half hour, it is half
 * an hour too, because nobody knows when the next tick would come.
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
