import { classStatuses, type ClassStatus, isHalted } from '../terminal/answer/class-status.ts';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { staleAt } from '../terminal/answer/freshness.ts';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import type { Clock } from '../platform/clock.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { ScoreFollower } from '../terminal/tick/score-follower.ts';
import type { Concern, StatusInput } from '../health/concern.ts';

export interface HaltParts {
  readonly record: LogRecord;
  readonly now: Clock;
  readonly scores: Pick<ScoreFollower, 'follow' | 'history' | 'behind'>;
  /** The grids of the classes. */
  readonly grids: Readonly<Record<AssetClass, TickGrid>>;
}

/**
 * The classes of the Terminal that are halted, as the board has them. The service is halted, as the board is, where all of
 * them are, and degraded where some are. While a tick that is published is still being taken
 * up it says what it said before: who needs the newest follows first.
 */
export function haltConcerns({ record, now, scores, grids }: HaltParts): StatusInput {
  let known: readonly Concern[] = [];
  return () => {
    if (record.published === undefined) return [];
    if (scores.behind) {
      void scores.follow();
      return known;
    }
    const time = now();
    const isCurrent = (of: AssetClass, ts: number): boolean => time < staleAt(grids[of], ts);
    const statuses = classStatuses(record.shown, { history: scores.history, isCurrent });
    const level = isHalted(statuses) ? 'halted' : 'degraded';
    known = statuses.filter(({ halted }) => halted).map((each) => concernOf(each, level));
    return known;
  };
}

function concernOf(
  { class: of, newest_good, ticked }: ClassStatus,
  level: Concern['level'],
): Concern {
  const none = ticked ? 'in its last 30 days' : 'yet';
  const since = newest_good === null ? none : `since ${newest_good}`;
  return { level, reason: `The Terminal is halted for ${of}: no good tick ${since}.` };
}
