import { DAY_SECONDS, formatDate, parseDate, parseTime } from '@assay/core/time';
import { releaseTime } from '@assay/core/rule/release';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/ticker';
import { periodRow, periodRows } from '@assay/core/view/periods';
import { ruleFor, ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { lookBack } from './look-back.ts';

/**
 * The periods of an index that a round is due for at `now` (unix seconds), newest first: those that
 * are provisional, and those released since the log began, by the rule's calendar, that it has nothing
 * of. The newest goes first, for it turns what the log missed into history before a first print could
 * be invented for it.
 */
export function duePeriods(ticker: Ticker, state: ViewState, now: number): readonly number[] {
  const last = ruleVersions(state, ticker).at(-1);
  if (last === undefined) return [];
  const { period: kind } = last.rule;
  const due = new Set<number>();
  const newest = shiftPeriod(kind, periodOf(kind, Math.floor(now / DAY_SECONDS)), 1);
  const most = lookBack(state, ticker, now);
  for (let back = 0; back < most; back += 1) {
    const period = shiftPeriod(kind, newest, -back);
    const date = formatDate(period);
    const row = ruleFor(state, ticker, date);
    if (row === undefined || periodRow(state, ticker, date) !== undefined) continue;
    const release = releaseTime(row.rule.release, kind, period);
    // What was released before the index was here, it cannot have seen first.
    if (release <= now && release >= parseTime(row.at)) due.add(period);
  }
  for (const [date, { status }] of periodRows(state, ticker)) {
    if (status === 'provisional') due.add(parseDate(date));
  }
  return [...due].sort((a, b) => b - a);
}
