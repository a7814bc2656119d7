import { compactOf, targetOf } from './work.ts';

/** The number of headers in one difficulty epoch. */
export const EPOCH_HEADERS = 2016;

/** How long an epoch should take: two weeks, in seconds. */
export const EPOCH_SECONDS = 1_209_600;

/**
 * The bits of the next epoch (Bitcoin Core, `CalculateNextWorkRequired` in pow.cpp): the old target times the
 * duration of the epoch divided by the intended one. The duration counts as at least a quarter and at most four
 * times the intended one, and the result is never easier than `limit`. Both times are in seconds, of the
 * epoch's first and last header, which are 2015 intervals apart, as consensus has it. Throws `bad_header` if
 * `oldBits` or `limit` do not encode a target.
 */
export function retarget(
  oldBits: number,
  firstTime: number,
  lastTime: number,
  limit: number,
): number {
  const took = Math.min(Math.max(lastTime - firstTime, EPOCH_SECONDS / 4), EPOCH_SECONDS * 4);
  const target = (targetOf(oldBits) * BigInt(took)) / BigInt(EPOCH_SECONDS);
  const easiest = targetOf(limit);
  return compactOf(target > easiest ? easiest : target);
}
