import type { Opening } from './event-grounds.ts';
import type { GoodLeaves } from './good-leaves.ts';

/** An event's opening, and how many counts after it a study lets somebody enter who saw it. */
export interface StudiedOpening extends Opening {
  readonly silent: number;
}

/**
 * Those of the rising `counts` of the grid at which studies let somebody enter (docs/spec/base-rate.md,
 * "Moments"): after each opening the first at which its asset is good. Throws what reading leaves throws.
 */
export async function entryCounts(
  openings: readonly StudiedOpening[],
  counts: readonly number[],
  leaves: Pick<GoodLeaves, 'read' | 'isGood'>,
): Promise<ReadonlySet<number>> {
  const entries = new Set<number>();
  const [first = 0, last = 0] = [counts[0], counts.at(-1)];
  for (const { symbol, index, silent } of openings) {
    if (index >= last || index + silent < first) continue;
    const until = Math.min(last, index + silent);
    await leaves.read(index + 1, until);
    for (let at = index + 1; at <= until; at += 1) {
      if (!leaves.isGood(at, symbol)) continue;
      if (at >= first) entries.add(at);
      break;
    }
  }
  return entries;
}
