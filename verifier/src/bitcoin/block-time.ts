import { MAX_FUTURE_BLOCK_SECONDS } from '@assay/core/bitcoin/header';
import { parseTime, type TimeText } from '@assay/core/time/time';
import type { CheckContext } from '../check/read-check.ts';
import type { BlockFacts } from '../verdict/verdict.ts';

const HOURS = MAX_FUTURE_BLOCK_SECONDS / 3600;

/** A time that a log claims. */
export interface ClaimedTime {
  /** What the time is of, such as `recorded` or `published`. */
  readonly how: string;
  readonly at: TimeText;
  readonly place: string;
}

/** Whether something other than somebody's statement shows that a block is Bitcoin's. */
export function isVouched({ trust }: BlockFacts): boolean {
  return trust === 'headers' || trust === 'work';
}

/**
 * Checks that a time is not before that of a block which was known then, by more than a block's time may be ahead.
 * Where nothing vouches for the block, a contradiction is named as a reservation.
 */
export function checkAfterBlock(
  claimed: ClaimedTime,
  block: BlockFacts,
  context: Pick<CheckContext, 'findings' | 'notChecked'>,
): void {
  if (parseTime(claimed.at) >= parseTime(block.time as TimeText) - MAX_FUTURE_BLOCK_SECONDS) return;
  refute(claimed, 'before', 'which it names or comes after', block, context);
}

/** Checks that a time is not after that of a block which holds a stamp of the record, by more than the same margin. */
export function checkBeforeBlock(
  claimed: ClaimedTime,
  block: BlockFacts,
  context: Pick<CheckContext, 'findings' | 'notChecked'>,
): void {
  if (parseTime(claimed.at) <= parseTime(block.time as TimeText) + MAX_FUTURE_BLOCK_SECONDS) return;
  refute(claimed, 'after', 'which holds it', block, context);
}

function refute(
  { how, at, place }: ClaimedTime,
  side: 'before' | 'after',
  which: string,
  block: BlockFacts,
  { findings, notChecked }: Pick<CheckContext, 'findings' | 'notChecked'>,
): void {
  const { height, time } = block;
  if (isVouched(block)) {
    const expected = `${how} at most ${HOURS} hours ${side} ${time}, the time of block ${height}, ${which}`;
    findings.add('time_refuted', place, expected, `${how} ${at}`);
    return;
  }
  notChecked.add(
    'times',
    `whether ${place} was ${how} ${at}: over ${HOURS} hours ${side} ${time}, the time of block ${height}, ${which}`,
    "only a statement says that the block is Bitcoin's; headers would show it",
    'headers',
  );
}
