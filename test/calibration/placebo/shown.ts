import { groupOf } from '@assay/core/kind/event-group';
import { jointInterval } from '@assay/core/terminal/edge/edge-part';
import type { EdgeGroup } from '@assay/core/terminal/edge/edge-groups';
import type { StudyEvent } from '@assay/core/terminal/study/base-rate';
import { excessOf } from '@assay/core/terminal/study/return-statistics';
import type { StudyBlob } from '@assay/core/terminal/study/study-blob';

/** What a study of either version says of a group, in basis points. */
export interface Shown {
  /** Its bucket and breadth. */
  readonly group: string;
  readonly weeks: number;
  /** Its events that the interval is made of. */
  readonly n: number;
  /** Whether the version gives a rate for groups of this size, if nothing else is against it. */
  readonly isSized: boolean;
  /** The interval. In version 2 it is the one that holds for both bounds. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly holds: boolean;
  /** Whether the group passes the test that all groups share, whatever its parts say. */
  readonly passes: boolean;
  /** Whether it would hold if no events against it were asked for. */
  readonly holdsAlone: boolean;
}

export function shownByEdges(groups: readonly EdgeGroup[]): readonly Shown[] {
  return groups.map(({ bucket, breadth, whole, withheld }) => {
    return {
      group: `${bucket}/${breadth}`,
      weeks: whole.n_weeks,
      n: whole.n,
      isSized: !withheld.includes('few_weeks') && !withheld.includes('few_assets'),
      interval: jointInterval(whole),
      holds: withheld.length === 0,
      passes: !withheld.includes('family'),
      holdsAlone: withheld.every((reason) => reason === 'two_against'),
    };
  });
}

/** Of version 1, whose intervals are in tenths of a percentage point. `events` are those of the study. */
export function shownByDates(study: StudyBlob, events: readonly StudyEvent[]): readonly Shown[] {
  const weeks = weeksOf(events);
  return study.groups.map(({ bucket, breadth, n, edge_7d_ci: ends, withheld }) => {
    const group = `${bucket}/${breadth}`;
    return {
      group,
      weeks: weeks.get(group)?.size ?? 0,
      n,
      isSized: !withheld.some((reason) => SMALL.has(reason)),
      interval: ends === null ? null : [10 * ends[0], 10 * ends[1]],
      holds: withheld.length === 0,
      passes: !withheld.includes('false_discovery'),
      holdsAlone: withheld.length === 0,
    };
  });
}

const SMALL: ReadonlySet<string> = new Set(['few_events', 'few_dates', 'one_date']);
const WEEK_SECONDS = 604_800;

function weeksOf(events: readonly StudyEvent[]): ReadonlyMap<string, ReadonlySet<number>> {
  const weeks = new Map<string, Set<number>>();
  for (const { opened_at, move_24h, breadth, returns } of events) {
    const own = groupOf(move_24h, breadth);
    if (own === undefined || excessOf(returns['7d']) === null) continue;
    const group = `${own.bucket}/${own.breadth}`;
    const known = weeks.get(group) ?? new Set();
    weeks.set(group, known.add(Math.floor(opened_at / WEEK_SECONDS)));
  }
  return weeks;
}
