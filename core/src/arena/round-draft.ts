import type { Sha256 } from '../hash/hash.ts';
import type { Round } from '../kind/round.ts';
import { periodsUpTo } from '../round/overdue.ts';
import { type PeriodKind, periodOf, shiftPeriod } from '../rule/period.ts';
import type { Ticker } from '../rule/ticker.ts';
import { type DateText, DAY_SECONDS, formatDate, formatTime, parseDate } from '../time/time.ts';
import { type ArenaRuleRow, newestArenaRule } from '../view/arena-rules.ts';
import { periodsBack } from '../view/periods.ts';
import { roundRow } from '../view/rounds.ts';
import { ruleVersions } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';
import { houseForecasts } from './forecast/house.ts';
import { roundId } from './forecast/round-id.ts';
import { roundIndex, roundTimes } from './round-times.ts';
import type { RoundIndex, RoundRule } from './rule/arena-rule.ts';

/** Periods ahead of that of today whose rounds may be open already. */
const MOST_AHEAD = 400;
/** Days of the shortest period of each kind. */
const PERIOD_DAYS: Readonly<Record<PeriodKind, number>> = {
  utc_day: 1,
  week_ending_saturday: 7,
  month: 28,
};

/**
 * The body of the round about a period of an index, as it has to be on top of the log; undefined where there is none: the arena
 * rule does not have the index, no time is left for it (`roundTimes`), or the index has no earlier print. The time at which
 * it may be made is for `dueRounds`.
 */
export function draftRound(
  state: ViewState,
  sha256: Sha256,
  { hash, rule: { arena } }: ArenaRuleRow,
  ticker: Ticker,
  period: DateText,
): Round | undefined {
  const index = arena === null ? undefined : roundIndex(arena, ticker);
  if (arena === null || index === undefined) return undefined;
  const times = roundTimes(state, arena, index, parseDate(period));
  if (times === undefined) return undefined;
  const { rule, opens, closes, drandRound } = times;
  const { decimals, version } = rule.rule;
  const prints = printsBefore(state, ticker, period, decimals, arena.median_window);
  const [newest] = prints;
  if (newest === undefined) return undefined;
  return {
    id: roundId(ticker, period),
    ticker,
    period,
    rule: { version, hash: rule.hash },
    arena_rule: hash,
    decimals,
    ref_period: newest.period,
    ref_value: newest.value.toString(),
    opens_at: formatTime(opens),
    closes_at: formatTime(closes),
    drand_round: drandRound,
    house: houseForecasts(
      sha256,
      newest.value,
      prints.map(({ value }) => value),
    ),
  };
}

interface EarlierPrint {
  readonly period: DateText;
  readonly value: bigint;
}

/** The newest first final prints before `period` that have these decimals, the newest first. */
function printsBefore(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
  decimals: number,
  most: number,
): readonly EarlierPrint[] {
  const found: EarlierPrint[] = [];
  for (const [earlier, row] of periodsBack(state, ticker, period)) {
    if (row.settlement_value === null || row.decimals !== decimals) continue;
    found.push({ period: earlier, value: BigInt(row.settlement_value) });
    if (found.length >= most) break;
  }
  return found;
}

/**
 * The rounds that are open at `now` (Unix seconds) by the newest arena rule and that the log does not have yet, by ticker and
 * period. A node appends them at once; one that comes late is open for a shorter time.
 */
export function dueRounds(state: ViewState, sha256: Sha256, now: number): readonly Round[] {
  const row = newestArenaRule(state);
  const arena = row?.rule.arena ?? null;
  if (row === undefined || arena === null) return [];
  return arena.indices.flatMap((index) =>
    openPeriods(state, arena, index, now).flatMap((period) => {
      if (roundRow(state, roundId(index.ticker, period)) !== undefined) return [];
      return draftRound(state, sha256, row, index.ticker, period) ?? [];
    }),
  );
}

/** The periods of an index whose rounds are open at `now`, ascending. */
function openPeriods(
  state: ViewState,
  arena: RoundRule,
  index: RoundIndex,
  now: number,
): readonly DateText[] {
  const { ticker, window_s: window, close_before_s: before } = index;
  const versions = ruleVersions(state, ticker);
  const kind = versions[0]?.rule.period;
  if (kind === undefined) return [];
  const today = periodOf(kind, Math.floor(now / DAY_SECONDS));
  const days = Math.max(...versions.map(({ rule }) => rule.release.days_after));
  const ahead = Math.ceil((window + before) / DAY_SECONDS / PERIOD_DAYS[kind]) + 1;
  const back = Math.ceil(days / PERIOD_DAYS[kind]) + 3;
  const newest = shiftPeriod(kind, today, Math.min(ahead, MOST_AHEAD));
  return periodsUpTo(state, ticker, newest, Math.min(ahead, MOST_AHEAD) + back)
    .filter((period) => {
      const times = roundTimes(state, arena, index, period);
      return times !== undefined && times.opens <= now && now < times.closes;
    })
    .sort((a, b) => a - b)
    .map(formatDate);
}
