import { groupOf } from '@assay/core/kind/event-group';
import { HORIZON_SECONDS } from '@assay/core/kind/horizon';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { EXIT_SECONDS, MIN_CONTROLS } from '@assay/core/terminal/edge/moment-sample';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { studyVersion } from '@assay/core/terminal/rule/score-rule';
import type { StudyHorizon } from '@assay/core/terminal/study/study-blob';
import { parseTime } from '@assay/core/time/time';
import { scoreRules } from '@assay/core/view/score-rules';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { type Difference, firstDifference } from '../verdict/difference.ts';

/** What the entry of an event says of its moment. */
type EventOfMoment = Pick<StudyMoment, 'id' | 'symbol' | 'opened_at' | 'bucket' | 'breadth'>;

const SECONDS: readonly (readonly [StudyHorizon, number])[] = [
  ['1d', HORIZON_SECONDS['24h']],
  ['7d', HORIZON_SECONDS['7d']],
  ['30d', HORIZON_SECONDS['30d']],
];

/**
 * The first place where a study contradicts the entries of its range, whatever the leaves say: each event that belongs to
 * a study is one moment or was left out. `newest` is the time of the newest tick in the range, in unix seconds.
 */
export function eventDifference(
  { class: of, to, moments, left_out }: EdgeStudy,
  newest: number,
  state: ViewState,
): Difference | undefined {
  const left = studiedEvents(state, of, to);
  const all = left.size;
  for (const [i, moment] of moments.entries()) {
    const { id, symbol, opened_at, bucket, breadth } = moment;
    const event = left.get(id);
    left.delete(id);
    const at = `/moments/${i}`;
    if (event === undefined) {
      const expected = `an event of ${of} before entry ${to} that belongs to a study, once`;
      return { path: `${at}/id`, expected, found: id };
    }
    const difference =
      firstDifference(event, { id, symbol, opened_at, bucket, breadth }, at) ??
      impossible(moment, newest, at);
    if (difference !== undefined) return difference;
  }
  const { few_controls, no_entry, no_exit, not_over } = left_out;
  const found = few_controls + no_entry + no_exit + not_over;
  if (found === left.size) return undefined;
  const expected = `${left.size} in all, with ${moments.length} moments of ${all} events`;
  return { path: '/left_out', expected, found: `${found}` };
}

/** The events before entry `to` that are a moment or are left out, by id. */
function studiedEvents(
  state: ViewState,
  of: EdgeStudy['class'],
  to: number,
): Map<string, EventOfMoment> {
  const studied = new Set(
    scoreRules(state, of).flatMap(({ rule, hash }) => (studyVersion(rule) < 2 ? [] : hash)),
  );
  const events = new Map<string, EventOfMoment>();
  for (const { open } of eventsByOpening(state)) {
    const { id, class: own, symbol, opened_at, rule, move_24h, breadth } = open.body;
    if (own !== of || open.seq >= to || !studied.has(rule)) continue;
    const group = groupOf(move_24h, breadth);
    if (group !== undefined)
      events.set(id, { id, symbol, opened_at: parseTime(opened_at), ...group });
  }
  return events;
}

/** What no leaves make of a moment. */
function impossible(
  { opened_at, entered_at, controls, returns }: StudyMoment,
  newest: number,
  at: string,
): Difference | undefined {
  const differs = (name: string, expected: string, found: number): Difference => ({
    path: `${at}/${name}`,
    expected,
    found: `${found}`,
  });
  if (entered_at <= opened_at) return differs('entered_at', `above ${opened_at}`, entered_at);
  if (controls < MIN_CONTROLS) return differs('controls', `${MIN_CONTROLS} or more`, controls);
  for (const [horizon, seconds] of SECONDS) {
    const after = returns[horizon];
    if (after === null) continue;
    const { gone_controls: gone, unpriced_controls: unpriced } = after;
    const over = newest - seconds - EXIT_SECONDS;
    const name = `returns/${horizon}`;
    if (entered_at > over) {
      return differs('entered_at', `${over} at most, with ${horizon} over`, entered_at);
    }
    if (2 * gone > controls) {
      return differs(`${name}/gone_controls`, `half of ${controls} at most`, gone);
    }
    if (unpriced > gone) {
      return differs(`${name}/unpriced_controls`, `${gone} at most, as many as are gone`, unpriced);
    }
  }
  return undefined;
}
