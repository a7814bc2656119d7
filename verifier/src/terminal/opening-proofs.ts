import type { Sha256 } from '@assay/core/hash/hash';
import { stampedDigest } from '@assay/core/answer/terminal/terminal-event';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { parseTime } from '@assay/core/time/time';
import { stampedBatch } from '@assay/core/view/stamps';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import type { BlockFacts, OpeningFacts } from '../verdict/verdict.ts';

const HOUR_SECONDS = 3600;

/**
 * How many openings of a class's events a Bitcoin block shows to have been called within the hour, later, or not at
 * all. `blockOf` returns the best block that holds a batch. A block that nothing vouches for shows nothing.
 */
export function countOpenings(
  sha256: Sha256,
  state: ViewState,
  of: AssetClass,
  blockOf: (batch: number) => BlockFacts | undefined,
): OpeningFacts {
  const counts = { within_hour: 0, later: 0, unproven: 0 };
  for (const row of eventsByOpening(state)) {
    const { body } = row.open;
    if (body.class !== of) continue;
    const digest = stampedDigest(sha256, row, 'open');
    const batch = digest === undefined ? undefined : stampedBatch(state, digest)?.anchor.batch;
    const block = batch === undefined ? undefined : blockOf(batch);
    if (block === undefined || block.trust === 'none') counts.unproven += 1;
    else if (secondsOf(block.time) <= parseTime(body.opened_at) + HOUR_SECONDS) {
      counts.within_hour += 1;
    } else counts.later += 1;
  }
  return counts;
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
