import { DAY_SECONDS, formatDate } from '@assay/core/time';
import { releaseTime } from '@assay/core/rule/release';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/ticker';
import { periodRow } from '@assay/core/view/periods';
import { ruleFor, ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';

/** How many periods back a round may still be open; older ones are history or settled. */
const LOOK_BACK = 8;

/**
 * The periods of an index that a round is due for at `now` (unix seconds), newest first: released
 * by the rule's calendar, and neither settled nor loaded as history. The newest goes first, for it
 * turns what the log missed into history before a first print could be invented for it.
 */
export function duePeriods(ticker: Ticker, state: ViewState, now: number): readonly number[] {
  const last = ruleVersions(state, ticker).at(-1);
  if (last === undefined) return [];
  const { period: kind } = last.rule;
  const due: number[] = [];
  const newest = shiftPeriod(kind, periodOf(kind, Math.floor(now / DAY_SECONDS)), 1);
  for (let back = 0; back < LOOK_BACK; back += 1) {
    const period = shiftPeriod(kind, newest, -back);
    const date = formatDate(period);
    const rule = ruleFor(state, ticker, date)?.rule;
    if (rule === undefined || releaseTime(rule.release, kind, period) > now) continue;
    const row = periodRow(state, ticker, date);
    if (row === undefined || row.status === 'provisional') due.push(period);
  }
  return due;
}
