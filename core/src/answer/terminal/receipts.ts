import type { Sha256 } from '../../hash/hash.ts';
import { closingsBack, type EventRow } from '../../view/terminal-events.ts';
import type { ViewState } from '../../view/view.ts';
import { takePage } from '../page.ts';
import { HEAT_ALIASES, type Json, withAliases } from './alias.ts';
import { eventPayload, type EventPayload, isDisplayed } from './terminal-event.ts';

export const RECEIPTS_PATH = '/receipts';
/** The most events of one answer. */
export const MAX_RECEIPTS = 100;
export const DEFAULT_RECEIPTS = 30;

export interface ReceiptsPayload {
  readonly events: readonly EventPayload[];
}

/** Which events a page has. */
export interface ReceiptsAsked {
  readonly limit: number;
  /** In upper case; all assets where it is not given. */
  readonly symbol?: string | undefined;
  /** The first and the last day (UTC) of the openings. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The place in a cursor. */
  readonly after?: string | undefined;
}

/** The events of displayed assets that closed last, newest first. */
export function receiptsPayload(state: ViewState, sha256: Sha256, limit: number): ReceiptsPayload {
  return receiptsPage(state, sha256, { limit }).payload;
}

/** The same by pages, and the cursor of the page that follows. */
export function receiptsPage(
  state: ViewState,
  sha256: Sha256,
  asked: ReceiptsAsked,
): { readonly payload: ReceiptsPayload; readonly next: string | null } {
  const { rows, next } = takePage('receipts', shownClosings(state, asked), asked.limit);
  const events = rows.map((row) => eventPayload(state, sha256, row));
  const payload = withAliases({ events } as unknown as Json, HEAT_ALIASES);
  return { payload: payload as unknown as ReceiptsPayload, next };
}

function* shownClosings(
  state: ViewState,
  { after, ...wanted }: ReceiptsAsked,
): Generator<readonly [string, EventRow]> {
  const below = after === undefined ? undefined : Number(after);
  for (const [place, row] of closingsBack(state, { ...wanted, below })) {
    if (isDisplayed(state, row.open.body.symbol)) yield [String(place), row];
  }
}
