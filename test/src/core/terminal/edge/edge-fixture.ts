import type { Breadth, EventOpen } from '@assay/core/kind/event';
import { eventId } from '@assay/core/kind/event-id';
import type { BreadthName, Bucket } from '@assay/core/kind/event-group';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { LIVE_RULES } from '@assay/core/terminal/rule/score-rules';
import { formatTime, toTime } from '@assay/core/time/time';
import { SOME_HASH, sha256 } from '../../fixture/fixture.ts';

/** A rule whose events are studied. */
export const STUDIED_RULE: ScoreRule = LIVE_RULES.crypto;

/** The opening of an event at `ts` (unix seconds). */
export function openedEvent(
  symbol: string,
  ts: number,
  move_24h: number | null,
  breadth: Breadth,
): EventOpen {
  return {
    id: eventId(sha256, symbol, ts),
    symbol,
    class: 'crypto',
    opened_at: toTime(formatTime(ts)),
    score: 71,
    move_24h,
    vol_mult: 300,
    breadth,
    price: SOME_HASH,
    rule: SOME_HASH,
  };
}

/** A moment with an excess of `excess` basis points after 7 days. */
export function momentOf(
  symbol: string,
  entered_at: number,
  excess: number,
  change: Partial<StudyMoment> & { readonly gone?: boolean } = {},
): StudyMoment {
  const { gone = false, ...rest } = change;
  const group: { readonly bucket: Bucket; readonly breadth: BreadthName } = {
    bucket: 'up_5',
    breadth: 'broad',
  };
  const none = { base: 0, base_lost: 0, gone_controls: 0, unpriced_controls: 0 };
  const returned = { ret: excess, gone, ...none };
  return {
    id: eventId(sha256, symbol, entered_at - 900),
    symbol,
    opened_at: entered_at - 900,
    entered_at,
    ...group,
    controls: 60,
    returns: { '1d': returned, '7d': returned, '30d': null },
    ...rest,
  };
}
