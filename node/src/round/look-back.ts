import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import { type Release, releaseTime } from '@assay/core/rule/release';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS } from '@assay/core/time/time';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';

/** How many periods are considered in any case. */
export const LEAST_BACK = 8;
/**
 * How many periods are considered at most, whatever a rule says: a year of days, and more than the time of any
 * rule.
 */
export const MOST_BACK = 500;

/**
 * The seconds after the end of a period's round in which a node that was away may still report what became of
 * it.
 */
const AWAY_S = 7 * DAY_SECONDS;

/**
 * The seconds after a release in which something of its period may be due. The round of a late number may begin
 * at its bound.
 */
function longest({ deadline_s: deadline, first_print_within_s: within, late }: Release): number {
  const bound = late?.kind === 'from_publication' ? late.within_s : 0;
  return Math.max(deadline, within, bound + deadline) + AWAY_S;
}

/**
 * For how many periods of an index, from the one after that of `now` (unix seconds) backward, something may
 * still be due: as many as the longest deadline, or time for first prints, of its rules covers.
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
