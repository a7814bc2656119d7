import type { Sha256 } from '../../hash/hash.ts';
import { eventsByClosing } from '../../view/terminal-events.ts';
import type { ViewState } from '../../view/view.ts';
import { HEAT_ALIASES, type Json, withAliases } from './alias.ts';
import { eventPayload, type EventPayload, isDisplayed } from './terminal-event.ts';

export const RECEIPTS_PATH = '/receipts';
/** The most events of one answer. */
export const MAX_RECEIPTS = 100;
export const DEFAULT_RECEIPTS = 30;

export interface ReceiptsPayload {
  readonly events: readonly EventPayload[];
}

/** The events of displayed assets that closed last, newest first. */
export function receiptsPayload(state: ViewState, sha256: Sha256, limit: number): ReceiptsPayload {
  const events: EventPayload[] = [];
  for (const row of eventsByClosing(state)) {
    if (events.length >= limit) break;
    if (!isDisplayed(state, row.open.body.symbol)) continue;
    events.push(eventPayload(state, sha256, row));
  }
  return withAliases({ events } as unknown as Json, HEAT_ALIASES) as unknown as ReceiptsPayload;
}
