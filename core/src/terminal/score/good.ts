import { parseTime } from '../../time/time.ts';
import { priceUnits, volumeUnits } from '../tick/price-units.ts';
import { BASIS_POINTS } from './returns.ts';
import type { Reading } from './score.ts';
import type { ScoreRule } from '../rule/score-rule.ts';
import type { TickSource } from '../tick/tick-values.ts';

/**
 * How many seconds after its time a tick can be read. After that it is missed, and a later timestamp does not
 * count.
 */
export const TICK_WINDOW_S = 300;

/** What was read of an asset for a tick. */
export interface TickInput {
  /** The price of the first source that has one, as it was received; null if none has. */
  readonly price: string | null;
  readonly volume24h: string | null;
  readonly sources: readonly TickSource[];
}

/**
 * Returns the reading of a tick at `ts` (unix seconds) in units of 10^-`decimals` if the tick is good;
 * undefined if it is not (docs/spec/tick.md). A tick is good if
 * - the first source that has a price has this one, in range, and its timestamp is at most `max_age_s` before
 *   `ts` and at most `TICK_WINDOW_S` after it;
 * - at least `required` providers have a price in range with such a timestamp;
 * - the highest of those prices is at most `max_apart_bp` of the lowest above it, as exact integers.
 *
 * A source without a timestamp does not count. The timestamp of a recorded price is the time that its record
 * gives. A volume that is absent or out of range leaves the tick good and its volume null. Throws `malformed`
 * for a price of a source or of the tick that is no plain decimal.
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

/** Whether `highest` is more than `bp` basis points of `lowest` above it. Both are 1 to 2^53 - 1. */
function isApart(lowest: number, highest: number, bp: number): boolean {
  if (lowest === highest) return false;
  return BigInt(highest - lowest) * BigInt(BASIS_POINTS) > BigInt(lowest) * BigInt(bp);
}
