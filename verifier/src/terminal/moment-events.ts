import { groupOf } from '@assay/core/kind/event-group';
import { HORIZON_SECONDS } from '@assay/core/kind/horizon';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { EXIT_SECONDS, MIN_CONTROLS } from '@assay/core/terminal/edge/moment-sample';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { studyVersion } from '@assay/core/terminal/rule/score-rule';
import type { StudyHorizon } from '@assay/core/terminal/study/study-blob';
import { formatTime, parseTime } from '@assay/core/time/time';
import { scoreRules } from '@assay/core/view/score-rules';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import { tickRow } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import { type Difference, firstDifference } from '../verdict/difference.ts';

/** What the entry of an event says of its moment. */
type EventOfMoment = Pick<StudyMoment, 'id' | 'symbol' | 'opened_at' | 'bucket' | 'breadth'>;

/** The log of a study, with the grid of its class. */
interface ClassLog {
  readonly state: ViewState;
  readonly grid: TickGrid;
}

/** An event that belongs to a study. */
interface StudiedEvent {
  readonly stated: EventOfMoment;
  /** How many counts of the grid after its opening it may be entered, by its rule. */
  readonly silent: number;
}

const SECONDS: readonly (readonly [StudyHorizon, number])[] = [
  ['1d', HORIZON_SECONDS['24h']],
  ['7d', HORIZON_SECONDS['7d']],
  ['30d', HORIZON_SECONDS['30d']],
];

/**
 * The first place where a study contradicts the entries of its range, whatever the leaves say: each event that belongs to
 * a study is one moment or was left out. `newest` is the time of the newest tick in the range, in unix seconds.
 * Each moment must have a return after 7 days, as `parseEdgeStudy` demands.
 */
export function eventDifference(
  { class: of, to, moments, left_out }: EdgeStudy,
  newest: number,
  log: ClassLog,
): Difference | undefined {
  const left = studiedEvents(log.state, of, to);
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
      firstDifference(event.stated, { id, symbol, opened_at, bucket, breadth }, at) ??
      impossible(moment, newest, at) ??
      enteredElsewhere(moment, of, event.silent, log, at);
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
): Map<string, StudiedEvent> {
  const silentOf = new Map(
    scoreRules(state, of).flatMap(({ rule, hash }) =>
      studyVersion(rule) < 2 ? [] : [[hash, rule.event.silent] as const],
    ),
  );
  const events = new Map<string, StudiedEvent>();
  for (const { open } of eventsByOpening(state)) {
    const { id, class: own, symbol, opened_at, rule, move_24h, breadth } = open.body;
    const silent = silentOf.get(rule);
    if (own !== of || open.seq >= to || silent === undefined) continue;
    const group = groupOf(move_24h, breadth);
    if (group === undefined) continue;
    events.set(id, { stated: { id, symbol, opened_at: parseTime(opened_at), ...group }, silent });
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

/** A moment is entered at a tick of its class, at most `silent` counts of the grid after its opening. */
function enteredElsewhere(
  { opened_at, entered_at }: StudyMoment,
  of: EdgeStudy['class'],
  silent: number,
  { state, grid }: ClassLog,
  at: string,
): Difference | undefined {
  const [from, to] = [grid.indexOf(opened_at), grid.indexOf(entered_at)];
  const inTime = from !== undefined && to !== undefined && to - from <= silent;
  if (inTime && tickRow(state, of, formatTime(entered_at)) !== undefined) return undefined;
  const expected = `a tick of ${of}, at most ${silent} counts of its grid after ${opened_at}`;
  return { path: `${at}/entered_at`, expected, found: `${entered_at}` };
}
