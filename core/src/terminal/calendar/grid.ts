import { malformed, type Parse, time } from '../../wire/schema.ts';
import type { TimeText } from '../../time/time.ts';

/** Ticks end before this time: later receipts would be due in a year with more than four digits. */
const TICKS_END = '9999-01-01T00:00:00Z';

/** Parses a time at which a tick can be on some grid. */
export const tickTime: Parse<TimeText> = (value, at) => {
  const ts = time(value, at);
  if (ts >= TICKS_END) throw malformed(at, `a time before ${TICKS_END}`, value);
  return ts;
};

/** Seconds between two ticks, which are at 00, 15, 30 and 45 minutes past each hour (UTC). */
export const GRID_SECONDS = 900;

/**
 * The times at which a class can have a tick, counted without gaps. The windows of a score rule are such
 * counts.
 */
export interface TickGrid {
  /** The count of `ts` (unix seconds); undefined if the class has no tick then. */
  readonly indexOf: (ts: number) => number | undefined;
  /** The time of a count in unix seconds. Throws `out_of_range` for a count that the grid does not know. */
  readonly timeOf: (index: number) => number;
  /** The first count that the grid does not know; infinity if it has no end. */
  readonly end: number;
}

/** Every quarter of an hour, day and night. Count 0 is 1970-01-01T00:00:00Z. */
export const utcGrid: TickGrid = {
  indexOf: (ts) => (ts >= 0 && ts % GRID_SECONDS === 0 ? ts / GRID_SECONDS : undefined),
  timeOf: (index) => index * GRID_SECONDS,
  end: Number.POSITIVE_INFINITY,
};
