import { type GoverningRule, governingRule } from '@assay/core/round/governing';
import { periodClocks } from '@assay/core/round/period-clocks';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate, formatTime, parseDate } from '@assay/core/time/time';
import { periodRows } from '@assay/core/view/periods';
import { newestRule, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { listed } from './gaps.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** How many days back periods without a print are examined, as for gaps. */
const MAX_LOOK_BACK_DAYS = 1500;

/**
 * Names the releases that a version of a rule moved, by version, and by whether they moved later or earlier. It covers
 * every period that is printed, and every period of which one release had come by `now`, in Unix seconds. The version
 * was recorded before the earlier of the two releases, or it would not govern the period. No log shows that the source
 * itself moved its release.
 */
export function nameMovedReleases(state: ViewState, now: number, notChecked: NotCheckedList): void {
  for (const ticker of tickers(state)) {
    const moves = new Map<string, { readonly rule: GoverningRule; readonly periods: number[] }>();
    for (const period of periodsOf(state, ticker, now)) {
      const rule = governingRule(state, ticker, period);
      if (rule !== undefined) nameLate(state, rule, period, now, notChecked);
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

/**
 * Names a period whose clocks run from a late publication, and says that its rule allows it and whose statements it
 * rests on.
 */
function nameLate(
  state: ViewState,
  rule: GoverningRule,
  period: number,
  now: number,
  notChecked: NotCheckedList,
): void {
  const { seen, release } = periodClocks(state, rule, period, now);
  if (seen !== null) nameLatePublication(rule, period, { seen, release }, notChecked);
}

/**
 * Names that the clocks of a period run from `seen`, the time at which the last of a quorum of co-signers saw the late
 * publication.
 */
export function nameLatePublication(
  { rule }: Pick<GoverningRule, 'rule'>,
  period: number,
  { seen, release }: { readonly seen: number; readonly release: number },
  notChecked: NotCheckedList,
): void {
  notChecked.count('late_publications', 1);
  notChecked.add(
    'calendar',
    `${rule.ticker} of ${formatDate(period)}: published late; its clocks run from ${formatTime(seen)}, and its release was scheduled for ${formatTime(release)}`,
    'its rule says so beforehand; when the source published it is what a quorum of co-signers signed',
    'ask_source',
  );
}

/** Names for one period what `nameMovedReleases` names for a log. */
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
  const { release, earliest, latest, at } = rule;
  const [only, ...others] = periods.map(formatDate);
  const before = release > earliest ? earliest : latest;
  const times = others.length === 0 ? ` from ${formatTime(before)} to ${formatTime(release)}` : '';
  notChecked.count('moved_releases', periods.length);
  notChecked.add(
    'calendar',
    `${ticker} of ${listed(only === undefined ? [] : [only, ...others])}: release moved ${moveOf(rule)}${times} by version ${rule.rule.version} of its rule, recorded ${at}`,
    'it was recorded before any of the releases, and the clocks run from the one that it gives; whether the source announced it no log shows',
    'ask_source',
  );
}

function moveOf({ release, earliest, latest }: GoverningRule): 'later' | 'earlier' | undefined {
  if (earliest === latest) return undefined;
  return release > earliest ? 'later' : 'earlier';
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
