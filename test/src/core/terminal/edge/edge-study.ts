import type { BreadthName, Bucket, EventGroup } from '@assay/core/kind/event-group';
import { eventId } from '@assay/core/kind/event-id';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { parseTime } from '@assay/core/time/time';
import { sha256 } from '../../fixture/fixture.ts';
import { CRYPTO_RULE_HASH } from '../terminal-log.ts';

const START = parseTime('2025-01-06T00:00:00Z');
const WEEK = 604_800;
const SYMBOLS = 'AAVE ADA BCH BNB DOGE DOT ETC ETH FIL LINK LTC NEO SOL UNI XLM XRP'.split(' ');

/** Openings of a group that no market made: one in each week, each of the next asset. */
interface MadeGroup extends EventGroup {
  readonly weeks: number;
  /** Mean return, in basis points. */
  readonly edge: number;
  /** The openings whose asset has no price any more, each so many. */
  readonly goneEach?: number;
}

/** Openings with returns that lie 2 % around the mean, in a fixed order. */
export function madeMoments({ bucket, breadth, weeks, edge, goneEach }: MadeGroup): StudyMoment[] {
  return Array.from({ length: weeks }, (_, week): StudyMoment => {
    const opened_at = START + week * WEEK + bucket.length * 900;
    const symbol = SYMBOLS[(week * 3) % SYMBOLS.length] as string;
    const gone = goneEach !== undefined && week % goneEach === 1;
    const after = (share: number): MomentReturn => ({
      ret: Math.trunc((edge * share) / 7) + ((week * 7919 + share * 104_729) % 401) - 200,
      gone,
      base: ((week * 31) % 21) - 10,
      base_lost: ((week * 31) % 21) - 10,
      gone_controls: 0,
      unpriced_controls: 0,
    });
    return {
      id: eventId(sha256, symbol, opened_at),
      symbol,
      opened_at,
      entered_at: opened_at + 900,
      bucket,
      breadth,
      controls: 12,
      returns: { '1d': after(1), '7d': after(7), '30d': week + 4 > weeks ? null : after(10) },
    };
  });
}

/** A study of these openings, with the groups that follow from them. */
export function edgeStudyOf(
  moments: readonly StudyMoment[],
  change: Partial<EdgeStudy> = {},
): EdgeStudy {
  const sorted = moments.toSorted(
    (a, b) => a.opened_at - b.opened_at || (a.symbol < b.symbol ? -1 : 1),
  );
  const { number = 1 } = change;
  return {
    type: 'assay-study/2',
    class: 'crypto',
    rule: CRYPTO_RULE_HASH,
    from: 0,
    to: 100,
    number,
    left_out: { few_controls: 2, no_entry: 1, no_exit: 4, not_over: 3 },
    moments: sorted,
    ...edgeGroups(sha256, 'crypto', number, sorted),
    ...change,
  };
}

/** A study in which one group holds, and another has openings and does not. */
export function edgeStudyWith(
  holds: { readonly bucket: Bucket; readonly breadth: BreadthName },
  change: Partial<EdgeStudy> = {},
): EdgeStudy {
  const other = holds.bucket === 'within_5' ? 'up_5' : 'within_5';
  const moments = [
    ...madeMoments({ ...holds, weeks: 50, edge: 400 }),
    ...madeMoments({ bucket: other, breadth: 'alone', weeks: 30, edge: 20 }),
  ];
  return edgeStudyOf(moments, change);
}
