import { draftRound } from '@assay/core/arena/round-draft';
import type { CheckContext } from '../check/read-check.ts';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Round } from '@assay/core/kind/round';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { newestArenaRule } from '@assay/core/view/arena-rules';
import { roundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference } from '../verdict/difference.ts';

/** Seconds after its opening within which a round is made in time. */
const LATE_S = 300;

/** An entry's number, the time that it claims, and its place in findings. */
export interface RoundPlace {
  readonly seq: number;
  readonly at: TimeText;
  readonly place: string;
}

/**
 * Drafts a round again from the rows before it: its index, its times, the reference and the house. It has to be made while it
 * is open, once.
 */
export function checkRound(
  round: Round,
  { at, place }: RoundPlace,
  state: ViewState,
  sha256: Sha256,
  { findings, notChecked }: CheckContext,
): void {
  const rule = newestArenaRule(state);
  if (rule === undefined || rule.rule.arena === null) {
    findings.add('round_not_due', place, 'an arena rule before it that makes rounds', 'none');
    return;
  }
  const before = roundRow(state, round.id);
  if (before !== undefined) {
    const expected = `no second round about the period of entry ${before.seq}`;
    findings.add('round_not_due', place, expected, round.id);
    return;
  }
  const draft = draftRound(state, sha256, rule, round.ticker, round.period);
  if (draft === undefined) {
    findings.add('round_not_due', place, 'a period that can have a round', round.id);
    return;
  }
  const difference = firstDifference(draft, round);
  if (difference !== undefined) {
    const { path, expected, found } = difference;
    findings.add('round_differs', `${place}${path}`, expected, found);
  }
  if (at < draft.opens_at || at >= draft.closes_at) {
    const expected = `made from ${draft.opens_at} to before ${draft.closes_at}`;
    findings.add('round_not_due', place, expected, at);
  } else if (parseTime(at) > parseTime(draft.opens_at) + LATE_S) {
    notChecked.add(
      'completeness',
      'rounds of the Arena that were made over five minutes after they opened',
      'the operator was late, and forecasts could not come before that',
      'ask_publisher',
      round.id,
    );
  }
}
