import type { RoundIndex, RoundRule } from './rule/arena-rule.ts';
import { governingRule, governingRuleBefore, type GoverningRule } from '../round/governing.ts';
import { completeAt } from '../rule/period.ts';
import { isWithheld } from '../rule/rule.ts';
import type { Ticker } from '../rule/ticker.ts';
import { roundAt, roundTime } from '../timelock/beacon-chain.ts';
import { parseDate, parseTime } from '../time/time.ts';
import { arenaRuleOf } from '../view/arena-rules.ts';
import type { RoundRow } from '../view/rounds.ts';
import type { ViewState } from '../view/view.ts';

/** The times of a round, in Unix seconds, as the log determines them at one place. */
export interface RoundTimes {
  readonly rule: GoverningRule;
  readonly opens: number;
  readonly closes: number;
  /** The round of the beacon that opens the sealed forecasts, and when it is out. */
  readonly drandRound: number;
  readonly unseals: number;
  /** The earliest release of the number that a version of the rule has set. */
  readonly release: number;
}

/**
 * The times of the round about `period`, a day number, under the versions of the index's rule that the log has. Undefined
 * where there can be no round: no version governs the period, its level is withheld, or the beacon's round would not be out
 * before the number.
 */
export function roundTimes(
  state: ViewState,
  arena: RoundRule,
  index: RoundIndex,
  period: number,
): RoundTimes | undefined {
  const rule = governingRule(state, index.ticker, period);
  if (rule === undefined || isWithheld(rule.rule)) return undefined;
  const closes = closeUnder(rule, index, period);
  const opens = closes - index.window_s;
  if (opens < 0) return undefined;
  const drandRound = roundAt(arena.drand, closes + arena.seal_margin_s);
  const unseals = roundTime(arena.drand, drandRound);
  if (unseals >= rule.earliest) return undefined;
  return { rule, opens, closes, drandRound, unseals, release: rule.earliest };
}

/** When forecasts of a period end: before its number can be known, by the earliest release that was ever set. */
function closeUnder({ rule, earliest }: GoverningRule, index: RoundIndex, period: number): number {
  const over = completeAt(rule.period, period);
  const known = index.known === 'period_end' ? Math.min(earliest, over) : earliest;
  return known - index.close_before_s;
}

/** What a round that exists depends on: the rule it was made under, and its times as the log determines them now. */
export interface RoundTerms {
  readonly arena: RoundRule;
  /**
   * The time before which a forecast must have come to count, in Unix seconds. The freeze fixes it, so that nobody who has
   * seen the forecasts can choose which of them count.
   */
  readonly counts: number;
  /** When the beacon's round is out. */
  readonly unseals: number;
  /** The earliest release of the number that a version of the rule has set so far. */
  readonly release: number;
}

/**
 * The terms of a round that the log has. A version of the index's rule that moves the release to an earlier time moves the
 * end of what counts with it if it was recorded before the freeze. One that postpones the release changes nothing. Undefined
 * where the log has no such arena rule, or no rule of the index.
 */
export function roundTerms(
  state: ViewState,
  { body, freeze }: Pick<RoundRow, 'body' | 'freeze'>,
): RoundTerms | undefined {
  const arena = arenaRuleOf(state, body.arena_rule)?.rule.arena ?? undefined;
  const index = arena === undefined ? undefined : roundIndex(arena, body.ticker);
  const period = parseDate(body.period);
  const rule = governingRule(state, body.ticker, period);
  if (arena === undefined || index === undefined || rule === undefined) return undefined;
  const frozen =
    freeze === null
      ? rule
      : (governingRuleBefore(state, body.ticker, body.period, freeze.seq) ?? rule);
  return {
    arena,
    counts: Math.min(parseTime(body.closes_at), closeUnder(frozen, index, period)),
    unseals: roundTime(arena.drand, body.drand_round),
    release: rule.earliest,
  };
}

/** What an arena rule has for an index. */
export function roundIndex(arena: RoundRule, ticker: Ticker): RoundIndex | undefined {
  return arena.indices.find((index) => index.ticker === ticker);
}
