import { parseTime } from '../../time/time.ts';
import { priceUnits, volumeUnits } from '../tick/price-units.ts';
import { BASIS_POINTS } from './returns.ts';
import type { Reading } from './score.ts';
import type { ScoreRule } from '../rule/score-rule.ts';
import type { TickSource } from '../tick/tick-values.ts';

/** Seconds after a tick's time in which it can be read: after that it is missed for good, and no stamp is of later. */
export const TICK_WINDOW_S = 300;

/** What was read of an asset for a tick. */
export interface TickInput {
  /** The first source's price that has one, as it came; null where none has. */
  readonly price: string | null;
  readonly volume24h: string | null;
  readonly sources: readonly TickSource[];
}

/**
 * The reading of a tick at `ts` (unix seconds) if it is good, in units of 10^-`decimals`; undefined if it is not
 * (docs/spec/tick.md). It is good when
 *
 * - the first source that has a price has this one, in range, and its stamp is at most `max_age_s` before `ts` and
 *   at most `TICK_WINDOW_S` after it;
 * - as many providers as `required` have a price in range with such a stamp;
 * - the highest of those prices is at most `max_apart_bp` of the lowest above it, as exact integers.
 *
 * A source without a stamp counts for nothing; that of a recorded price is the time its record gives it. A volume that
 * is absent or out of range leaves the tick good and its volume null. Throws `malformed` for a price that a source or
 * the tick gives and that is no plain decimal.
 */
export function judgeTick(
  { required, max_age_s, max_apart_bp }: ScoreRule['sources'],
  ts: number,
  decimals: number,
  { price, volume24h, sources }: TickInput,
): Reading | undefined {
  let scored: number | undefined;
  let seen = false;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  const providers: string[] = [];
  for (const source of sources) {
    if (source.price === null) continue;
    const isScored = !seen;
    if (isScored && source.price !== price) return undefined;
    seen = true;
    const units = priceUnits(source.price, decimals);
    const { provider, stamped_at } = source;
    if (units === undefined || stamped_at === null) continue;
    const late = parseTime(stamped_at) - ts;
    if (late < -max_age_s || late > TICK_WINDOW_S) continue;
    if (isScored) scored = units;
    if (units < lowest) lowest = units;
    if (units > highest) highest = units;
    if (!providers.includes(provider)) providers.push(provider);
  }
  if (scored === undefined || providers.length < required) return undefined;
  if (isApart(lowest, highest, max_apart_bp)) return undefined;
  const volume = volume24h === null ? null : (volumeUnits(volume24h) ?? null);
  return { price: scored, volume };
}

/** Whether `highest` is more than `bp` basis points of `lowest` above it; both 1 to 2^53 - 1. */
function isApart(lowest: number, highest: number, bp: number): boolean {
  if (lowest === highest) return false;
  return BigInt(highest - lowest) * BigInt(BASIS_POINTS) > BigInt(lowest) * BigInt(bp);
}
