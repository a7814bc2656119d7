import type { TerminalMoment } from './terminal-readings.ts';
import { eventsByOpening, type EventRow } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { HEAT_ALIASES, type Json, withAliases } from '@assay/core/answer/terminal/alias';
import { openEventPayload } from './board.ts';
import { classStatuses, isHalted } from './class-status.ts';
import { isDisplayed, nameOf } from '@assay/core/answer/terminal/terminal-event';

/** The most events of one answer. */
const RECENT_EVENTS = 30;

/** An event in the changelog. */
export interface ScoreEventPayload {
  readonly id: string;
  readonly kind: 'open' | 'closed';
  readonly symbol: string;
  readonly name: string;
  readonly opened_at: string;
  readonly score_at_open: number;
  readonly peak_score: number;
}

export interface ScoreEventsPayload {
  readonly score_events: readonly ScoreEventPayload[];
  /** Whether the Terminal is halted, as on its board, or its record cannot be read. */
  readonly score_halted: boolean;
}

/** The events that opened last, newest first, open or closed; none where the record cannot be read. */
export function scoreEventsPayload(
  state: ViewState | undefined,
  moment: TerminalMoment,
): ScoreEventsPayload {
  const events: ScoreEventPayload[] = [];
  for (const row of state === undefined ? [] : eventsByOpening(state)) {
    if (events.length === RECENT_EVENTS) break;
    if (state === undefined || !isDisplayed(state, row.open.body.symbol)) continue;
    events.push(scoreEvent(state, moment, row));
  }
  const halted = state === undefined || isHalted(classStatuses(state, moment));
  const payload = { score_events: events, score_halted: halted };
  return withAliases(payload as unknown as Json, HEAT_ALIASES) as unknown as ScoreEventsPayload;
}

function scoreEvent(state: ViewState, moment: TerminalMoment, row: EventRow): ScoreEventPayload {
  const { id, symbol, opened_at, score } = row.open.body;
  const open = openEventPayload(moment, row);
  return {
    id,
    kind: row.close === null ? 'open' : 'closed',
    symbol,
    name: nameOf(state, symbol),
    opened_at,
    score_at_open: score,
    peak_score: row.close?.body.peak_score ?? open?.peak_score ?? score,
  };
}
