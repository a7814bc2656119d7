import { type GoverningRule, governingRule } from '@assay/core/rule/governing';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/ticker';
import { DAY_SECONDS, formatDate, formatTime, parseDate } from '@assay/core/time';
import { periodRows } from '@assay/core/view/periods';
import { newestRule, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { listed } from './gaps.ts';
import type { NotCheckedList } from './verdict.ts';

/** How far back periods without a print are looked at, as for gaps. */
const MAX_LOOK_BACK_DAYS = 1500;

/**
 * Names the releases that a version of a rule moved, of every period that is printed or that one of its releases had come
 * of by `now`, unix seconds: by version, and whether later or earlier. It was recorded before the earlier of them, or it
 * would not govern the period; that the source did move its release no log shows.
 */
export function nameMovedReleases(state: ViewState, now: number, notChecked: NotCheckedList): void {
  for (const ticker of tickers(state)) {
    const moves = new Map<string, { readonly rule: GoverningRule; readonly periods: number[] }>();
    for (const period of periodsOf(state, ticker, now)) {
      const rule = governingRule(state, ticker, period);
      const how = rule && moveOf(rule);
      if (rule === undefined || how === undefined || rule.earliest > now) continue;
      const key = `${how} ${rule.rule.version}`;
      const known = moves.get(key);
      if (known === undefined) moves.set(key, { rule, periods: [period] });
      else known.periods.push(period);
    }
    for (const { rule, periods } of moves.values()) {
      nameMove(
        ticker,
        rule,
        periods.toSorted((a, b) => b - a),
        notChecked,
      );
    }
  }
}

/** The same of one period: what `nameMovedReleases` says of it. */
export function nameMovedRelease(
  ticker: Ticker,
  period: number,
  rule: GoverningRule,
  notChecked: NotCheckedList,
): void {
  if (moveOf(rule) !== undefined) nameMove(ticker, rule, [period], notChecked);
}

function nameMove(
  ticker: Ticker,
  rule: GoverningRule,
  periods: readonly number[],
  notChecked: NotCheckedList,
): void {
  const { clocks, earliest, latest, at } = rule;
  const [only, ...others] = periods.map(formatDate);
  const before = clocks.release > earliest ? earliest : latest;
  const times =
    others.length === 0 ? ` from ${formatTime(before)} to ${formatTime(clocks.release)}` : '';
  notChecked.count('moved_releases', periods.length);
  notChecked.add(
    'calendar',
    `${ticker} of ${listed(only === undefined ? [] : [only, ...others])}: release moved ${moveOf(rule)}${times} by version ${rule.rule.version} of its rule, recorded ${at}`,
    'it was recorded before any of the releases, and the clocks run from the one that it gives; whether the source announced it no log shows',
  );
}

function moveOf({ clocks, earliest, latest }: GoverningRule): 'later' | 'earlier' | undefined {
  if (earliest === latest) return undefined;
  return clocks.release > earliest ? 'later' : 'earlier';
}

function periodsOf(state: ViewState, ticker: Ticker, now: number): ReadonlySet<number> {
  const kind = newestRule(state, ticker)?.rule.period;
  const found = new Set<number>();
  if (kind === undefined) return found;
  for (const [date, { basis }] of periodRows(state, ticker)) {
    if (basis === 'print') found.add(parseDate(date));
  }
  const today = Math.floor(now / DAY_SECONDS);
  let period = periodOf(kind, today);
  for (; period >= today - MAX_LOOK_BACK_DAYS; period = shiftPeriod(kind, period, -1)) {
    found.add(period);
  }
  return found;
}
