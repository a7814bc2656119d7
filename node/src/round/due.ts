import { DAY_SECONDS, formatDate } from '@assay/core/time/time';
import { governingRule } from '@assay/core/round/governing';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { periodsUpTo } from '@assay/core/round/overdue';
import { periodRow } from '@assay/core/view/periods';
import { newestRule } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { lookBack } from './look-back.ts';
import type { OpenPeriods } from './open-periods.ts';

/**
 * The periods of an index that a round is due for at `now` (unix seconds), newest first: those that are
 * provisional, and those that are governed by a version of its rule, released, and not in the log. The newest
 * comes first, because it turns what the log missed into history before a first print could be made for it. Whoever
 * asks again and again passes the same `open`, and then no call reads more rows because the log is longer.
 */
export function duePeriods(
  ticker: Ticker,
  state: ViewState,
  now: number,
  open: OpenPeriods,
): readonly number[] {
  const last = newestRule(state, ticker);
  if (last === undefined) return [];
  const { period: kind } = last.rule;
  const due = new Set<number>();
  const newest = shiftPeriod(kind, periodOf(kind, Math.floor(now / DAY_SECONDS)), 1);
  const most = lookBack(state, ticker, now);
  for (const period of periodsUpTo(state, ticker, newest, most)) {
    const date = formatDate(period);
    const there = periodRow(state, ticker, date);
    if (there?.status === 'provisional') due.add(period);
    if (there !== undefined) continue;
    // No rule governs what was released before the index existed: it cannot have seen a first print.
    const row = governingRule(state, ticker, period);
    if (row !== undefined && row.release <= now) due.add(period);
  }
  for (const period of open.of(ticker, state)) due.add(period);
  open.note(ticker, due);
  return [...due].sort((a, b) => b - a);
}
