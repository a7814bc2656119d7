import { MAX_HISTORY } from './history.ts';

/** The times of the blocks of a chain whose slots follow a clock, except those of its transactions. */
export interface SlotTimes {
  /** A transaction ran, in a block of its own. */
  ran(height: number, time: number): void;
  /** The unix seconds at which the block of `height` began; undefined if that was forgotten. */
  of(height: number): number | undefined;
  /** The lowest height whose time is known. */
  readonly least: number;
}

/** The time of a chain's first block in unix seconds, and the seconds of a slot by the clock. */
export interface SlotClock {
  readonly startedAt: number;
  readonly slotSeconds: number;
}

/**
 * The times of a chain that begins as `clock` says. The last `limit` transactions are remembered. What was
 * before them no longer has a time, because the number of slots by the clock is not known there.
 */
export function slotTimes(clock: SlotClock, limit: number = MAX_HISTORY): SlotTimes {
  const { startedAt, slotSeconds } = clock;
  /** In the order of height. */
  const ran: { readonly height: number; readonly time: number }[] = [];
  let forgotten = 0;

  /** How many of `ran` are at `height` or below. */
  function countTo(height: number): number {
    let low = 0;
    let high = ran.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ran[middle]?.height ?? 0) <= height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    ran(height, time) {
      ran.push({ height, time });
      if (ran.length <= limit) return;
      ran.shift();
      forgotten += 1;
    },
    of(height) {
      const count = countTo(height);
      const last = ran[count - 1];
      if (last?.height === height) return last.time;
      if (last === undefined && forgotten > 0) return undefined;
      const byClock = startedAt + Math.max(0, height - 1 - forgotten - count) * slotSeconds;
      // A product of fractions can be wrong in its last digit.
      const next = ran[count]?.time ?? byClock;
      return Math.min(Math.max(byClock, last?.time ?? byClock), next);
    },
    get least() {
      return forgotten === 0 ? 0 : (ran[0]?.height ?? 0);
    },
  };
}
