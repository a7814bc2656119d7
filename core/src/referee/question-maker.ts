import type { RefereeRule } from '../arena/rule/arena-rule.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { EventOpen } from '../kind/event.ts';
import { type EventGroup, groupOf } from '../kind/event-group.ts';
import { type Question, questionId, type ServiceAnswer } from '../kind/question.ts';
import { divideRounded } from '../number/scaled.ts';
import { formatTime, parseTime } from '../time/time.ts';
import { type OutcomeTally, outcomeTally } from '../view/referee.ts';
import type { ViewState } from '../view/view.ts';

/** The answer, in percent, of whoever knows of no outcome. */
const UNKNOWN = 50;

/**
 * The question of an event (docs/spec/referee.md). `state` has the rows of everything before the question's entry;
 * `hash` is that of the arena rule.
 */
export function questionOf(
  sha256: Sha256,
  event: EventOpen,
  { rule, hash }: { readonly rule: RefereeRule; readonly hash: HashHex },
  state: ViewState,
): Question {
  const opened = parseTime(event.opened_at);
  const group = groupOf(event.move_24h, event.breadth) ?? null;
  return {
    id: questionId(sha256, event.id),
    event: event.id,
    symbol: event.symbol,
    opened_at: event.opened_at,
    closes_at: formatTime(opened + rule.window_s),
    resolves_at: formatTime(opened + rule.horizon_s),
    threshold: rule.threshold,
    tolerance_s: rule.tolerance_s,
    rule: hash,
    score_rule: event.rule,
    nulls: { persistence: 100, always_under: 0, climatology: shareOf(outcomeTally(state)) },
    service: serviceAnswer(state, group, rule.least_group),
  };
}

/** The share of yes among the outcomes of the event's group if they are enough, else among all. */
function serviceAnswer(state: ViewState, group: EventGroup | null, least: number): ServiceAnswer {
  const all = outcomeTally(state);
  const own = group === null ? undefined : outcomeTally(state, group);
  if (own !== undefined && own.of >= least) {
    return { p: shareOf(own), basis: 'group', group, ...own };
  }
  return { p: shareOf(all), basis: all.of === 0 ? 'none' : 'all', group, ...all };
}

/** Whole percent, rounded half away from zero. */
function shareOf({ yes, of }: OutcomeTally): number {
  return of === 0 ? UNKNOWN : divideRounded(100 * yes, of);
}
