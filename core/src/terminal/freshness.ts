import { GRID_SECONDS, type TickGrid } from './grid.ts';

/**
 * When a reading is no longer of now, unix seconds: a quarter of an hour after the tick that follows it on its grid was due.
 * Where there are ticks day and night that is half an hour; a reading at the end of a session stands until the next one.
 */
export function staleAt(grid: TickGrid, ts: number): number {
  const index = grid.indexOf(ts);
  const next = index === undefined ? ts + GRID_SECONDS : grid.timeOf(index + 1);
  return next + GRID_SECONDS;
}
