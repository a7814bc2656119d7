import { draftRound } from '@assay/core/arena/round-draft';
import { roundTimes } from '@assay/core/arena/round-times';
import { roundId } from '@assay/core/arena/forecast/round-id';
import type { RoundIndex } from '@assay/core/arena/rule/arena-rule';
import type { Sha256 } from '@assay/core/hash/hash';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate, parseTime } from '@assay/core/time/time';
import { type ArenaRuleRow, arenaRules } from '@assay/core/view/arena-rules';
import { periodRows } from '@assay/core/view/periods';
import { settledReport } from '@assay/core/view/reports';
import { roundRow } from '@assay/core/view/rounds';
import { newestRule } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { WorkBudget } from '@assay/core/work-budget';

/** Periods of one index under one arena rule that are compared, the oldest ones. */
const MOST_PERIODS = 4096;
/** Periods before the first one under a rule whose rounds may fall under it: releases come up to two months later. */
const BACK_DAYS = 70;
/** Steps of one period, whose round is drafted. */
const PERIOD_STEPS = 16_384;

/**
 * The ids of rounds that were open for their whole window under one arena rule before `now` (Unix seconds), and that the log
 * does not have. Only those count that the index had a print for when they opened.
 */
export function* missedRounds(
  state: ViewState,
  sha256: Sha256,
  now: number,
  work: WorkBudget,
): Generator<string> {
  const rules = arenaRules(state);
  for (const [i, rule] of rules.entries()) {
    const next = rules[i + 1];
    const until = next === undefined ? now : parseTime(next.at);
    for (const index of rule.rule.arena?.indices ?? []) {
      yield* missedOf(state, sha256, rule, index, until, work);
    }
  }
}

function* missedOf(
  state: ViewState,
  sha256: Sha256,
  rule: ArenaRuleRow,
  index: RoundIndex,
  until: number,
  work: WorkBudget,
): Generator<string> {
  const { arena } = rule.rule;
  const kind = newestRule(state, index.ticker)?.rule.period;
  const printed = firstPrint(state, index.ticker);
  if (arena === null || kind === undefined || printed === undefined) return;
  const since = Math.max(parseTime(rule.at), printed);
  const last = Math.floor(until / DAY_SECONDS);
  let period = periodOf(kind, Math.floor(since / DAY_SECONDS) - BACK_DAYS);
  for (let i = 0; i < MOST_PERIODS && period <= last; i += 1) {
    work.charge(PERIOD_STEPS);
    const times = roundTimes(state, arena, index, period);
    const date = formatDate(period);
    const id = roundId(index.ticker, date);
    period = shiftPeriod(kind, period, 1);
    if (times === undefined || times.opens < since || times.closes > until) continue;
    if (roundRow(state, id) !== undefined) continue;
    if (draftRound(state, sha256, rule, index.ticker, date) !== undefined) yield id;
  }
}

/** When the first final print of an index was published, in Unix seconds. */
function firstPrint(state: ViewState, ticker: Ticker): number | undefined {
  for (const [period, { settlement_value: value }] of periodRows(state, ticker)) {
    const report = value === null ? undefined : settledReport(state, ticker, period)?.report;
    if (report !== undefined) return parseTime(report.published_at);
  }
  return undefined;
}
