import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import { type Release, releaseTime } from '@assay/core/rule/release';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS } from '@assay/core/time/time';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';

/** Periods that are looked at in any case. */
export const LEAST_BACK = 8;
/** Periods beyond which nothing is looked for, whatever a rule says: a year of days and more than any rule's time. */
export const MOST_BACK = 500;

/** Seconds after the end of a period's round in which a node that was away may still say what became of it. */
const AWAY_S = 7 * DAY_SECONDS;

/** Seconds after a release in which something may be due of its period: of a late number the round may begin at its bound. */
function longest({ deadline_s: deadline, first_print_within_s: within, late }: Release): number {
  const bound = late?.kind === 'from_publication' ? late.within_s : 0;
  return Math.max(deadline, within, bound + deadline) + AWAY_S;
}

/**
 * How many periods of an index, from the one after that of `now` (unix seconds) backward, something may still be due
 * for: as many as the longest deadline, or time for first prints, of its rules reaches over.
 */
export function lookBack(state: ViewState, ticker: Ticker, now: number): number {
  const versions = ruleVersions(state, ticker);
  const last = versions.at(-1);
  if (last === undefined) return 0;
  const { period: kind, release } = last.rule;
  // An earlier version may have released its periods later than the newest one would.
  const reach = versions.reduce((most, { rule: { release: each } }) => {
    const after = (each.days_after - release.days_after) * DAY_SECONDS;
    return Math.max(most, after + longest(each));
  }, 0);
  const newest = shiftPeriod(kind, periodOf(kind, Math.floor(now / DAY_SECONDS)), 1);
  let back = LEAST_BACK;
  while (
    back < MOST_BACK &&
    releaseTime(release, kind, shiftPeriod(kind, newest, -back)) + reach >= now
  )
    back += 1;
  return back;
}
