import { malformed, type Parse, time } from '../../wire/schema.ts';
import type { TimeText } from '../../time/time.ts';

/** No tick is of this time or after it: receipts of its events would be due when no year has four digits. */
const TICKS_END = '9999-01-01T00:00:00Z';

/** A time that a tick can be of, as far as every grid goes. */
export const tickTime: Parse<TimeText> = (value, at) => {
  const ts = time(value, at);
  if (ts >= TICKS_END) throw malformed(at, `a time before ${TICKS_END}`, value);
  return ts;
};

/** Seconds between two ticks: 00, 15, 30 and 45 minutes past each hour, UTC. */
export const GRID_SECONDS = 900;

/** Times at which a class can have a tick, counted without gaps: windows of a score rule are counts of these. */
export interface TickGrid {
  /** The count of `ts`, unix seconds; undefined where the class has no tick then. */
  readonly indexOf: (ts: number) => number | undefined;
  /** The time of a count, unix seconds. Throws `out_of_range` for one that the grid does not know. */
  readonly timeOf: (index: number) => number;
  /** The first count that the grid does not know; infinity where it goes on for ever. */
  readonly end: number;
}

/** Every quarter of an hour, day and night; count 0 is 1970-01-01T00:00:00Z. */
export const utcGrid: TickGrid = {
  indexOf: (ts) => (ts >= 0 && ts % GRID_SECONDS === 0 ? ts / GRID_SECONDS : undefined),
  timeOf: (index) => index * GRID_SECONDS,
  end: Number.POSITIVE_INFINITY,
};
