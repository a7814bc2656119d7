import { compactOf, targetOf } from './work.ts';

/** Headers of one difficulty epoch. */
export const EPOCH_HEADERS = 2016;

/** What an epoch should take: two weeks, in seconds. */
export const EPOCH_SECONDS = 1_209_600;

/**
 * The bits of the next epoch (Bitcoin Core, `CalculateNextWorkRequired` in pow.cpp): the old target
 * times what the epoch took, at least a quarter and at most four times what it should, never easier
 * than `limit`. Both times in seconds, of the epoch's first and last header: 2015 intervals, as
 * consensus has it. Throws `bad_header` where `oldBits` or `limit` stand for no target.
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
