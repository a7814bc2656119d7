import { GRID_SECONDS, type TickGrid } from './grid.ts';

/** Seconds that the first tick after a pause has to be read and shown, from when it is due. */
export const OPENING_GRACE_SECONDS = 300;

/**
 * When a reading is no longer of now, unix seconds: half an hour after it while ticks follow each other. The last reading
 * before a pause stands until the pause is over and the first tick after it could be there: over a closed market until 20
 * minutes after the next open, the 15 that the first tick comes after it and five more. After the last tick that the grid
 * knows nobody knows when the next would be: it is half an hour too.
 */
export function staleAt(grid: TickGrid, ts: number): number {
  const index = grid.indexOf(ts);
  const isLast = index === undefined || index + 1 >= grid.end;
  const next = isLast ? ts + GRID_SECONDS : grid.timeOf(index + 1);
  return next + (next === ts + GRID_SECONDS ? GRID_SECONDS : OPENING_GRACE_SECONDS);
}
