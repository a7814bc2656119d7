import { Fault } from '../../fault.ts';
import { DAY_SECONDS, daysFromCivil, parseDate, weekdayOf } from '../../time/time.ts';
import { GRID_SECONDS, type TickGrid } from './grid.ts';
import { newYorkBehind } from './new-york.ts';
import { XNYS_CLOSED, XNYS_HALF, XNYS_YEARS } from './xnys-calendar.ts';

/** A regular session of the New York Stock Exchange in unix seconds. */
export interface Session {
  /** 09:30 in New York. */
  readonly opens: number;
  /** 16:00, or 13:00 on a half day. */
  readonly closes: number;
}

/** Seconds after midnight in New York. */
const OPENS = 34_200;
const CLOSES = 57_600;
const CLOSES_EARLY = 46_800;

const FIRST_DAY = daysFromCivil(XNYS_YEARS.first, 1, 1);
const DAY_COUNT = daysFromCivil(XNYS_YEARS.last + 1, 1, 1) - FIRST_DAY;

function daysOf(calendar: Readonly<Record<number, string>>): ReadonlySet<number> {
  const days = Object.entries(calendar).flatMap(([year, list]) =>
    list.split(' ').map((each) => parseDate(`${year}-${each}`)),
  );
  return new Set(days);
}

const closed = daysOf(XNYS_CLOSED);
const half = daysOf(XNYS_HALF);

/**
 * The session of a day (days since 1970-01-01) in New York; undefined for a day without a session or outside
 * the calendar.
 */
export function sessionOf(day: number): Session | undefined {
  if (!(day >= FIRST_DAY && day < FIRST_DAY + DAY_COUNT) || closed.has(day)) return undefined;
  const weekday = weekdayOf(day);
  if (weekday === 0 || weekday === 6) return undefined;
  const midnight = day * DAY_SECONDS + newYorkBehind(day);
  return { opens: midnight + OPENS, closes: midnight + (half.has(day) ? CLOSES_EARLY : CLOSES) };
}

/**
 * For each day of the calendar and the day after it: the count of its first tick, which is the number of all
 * ticks before it.
 */
const counts = new Int32Array(DAY_COUNT + 1);
for (let i = 0; i < DAY_COUNT; i += 1) {
  const session = sessionOf(FIRST_DAY + i);
  const ticks = session === undefined ? 0 : (session.closes - session.opens) / GRID_SECONDS;
  counts[i + 1] = (counts[i] as number) + ticks;
}

/**
 * The quarter hours that end within a regular session, including its close: 09:45 to 16:00 in New York, which
 * are 26 on a whole day and 14 on a half day. Count 0 is 2019-01-02T14:45:00Z.
 */
export const xnysGrid: TickGrid = {
  indexOf: (ts) => {
    // All ticks of a session are on one UTC day, which is also the day in New York.
    const day = Math.floor(ts / DAY_SECONDS);
    const session = sessionOf(day);
    if (session === undefined || ts <= session.opens || ts > session.closes) return undefined;
    const tick = (ts - session.opens) / GRID_SECONDS;
    if (!Number.isInteger(tick)) return undefined;
    return (counts[day - FIRST_DAY] as number) + tick - 1;
  },
  timeOf: (index) => {
    if (!(Number.isInteger(index) && index >= 0 && index < (counts[DAY_COUNT] as number))) {
      throw new Fault('out_of_range', 'tick count', {
        expected: `0 to ${(counts[DAY_COUNT] as number) - 1}`,
        found: String(index),
      });
    }
    // Finds the last day whose first count is not above the index.
    let [low, high] = [0, DAY_COUNT - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((counts[middle] as number) <= index) low = middle;
      else high = middle - 1;
    }
    const { opens } = sessionOf(FIRST_DAY + low) as Session;
    return opens + (index - (counts[low] as number) + 1) * GRID_SECONDS;
  },
  end: counts[DAY_COUNT] as number,
};
