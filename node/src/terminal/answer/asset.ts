import type { Sha256 } from '@assay/core/hash/hash';
import type { TerminalMoment } from './terminal-readings.ts';
import { formatTime } from '@assay/core/time/time';
import { assetRow } from '@assay/core/view/assets';
import { openEvent, pastEvents } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { HEAT_ALIASES, type Json, withAliases } from '@assay/core/answer/terminal/alias';
import {
  latestPayload,
  type LatestPayload,
  openEventPayload,
  type OpenEventPayload,
} from './board.ts';
import { eventPayload, type EventPayload } from '@assay/core/answer/terminal/terminal-event';
import type { VenuesPayload } from './venues.ts';

/** The most closed events of one answer. */
const PAST_EVENTS = 10;

export interface AssetPayload {
  readonly asset: {
    readonly symbol: string;
    readonly name: string;
    readonly class: string;
    readonly listed: boolean;
  };
  readonly latest: LatestPayload | null;
  /** As in `latest`. */
  readonly vol_mult: number | null;
  /** Every fourth tick of 30 days, oldest first. */
  readonly scores_30d: readonly { readonly ts: string; readonly score: number | null }[];
  readonly open_event: OpenEventPayload | null;
  readonly past_events: readonly EventPayload[];
  readonly venues: VenuesPayload;
  readonly venues_checked_at: string | null;
  /** What the newest check of the venues could not get; null where it got everything. */
  readonly venues_notice: string | null;
}

/** What the service knows about where an asset is traded. */
export type AssetVenues = Pick<AssetPayload, 'venues' | 'venues_checked_at' | 'venues_notice'>;

/** A displayed asset, whether or not it is still listed, in any letter case; undefined for an unknown symbol. */
export function assetPayload(
  state: ViewState,
  sha256: Sha256,
  moment: TerminalMoment,
  symbol: string,
  venues: AssetVenues,
): AssetPayload | undefined {
  const row = assetRow(state, symbol.toUpperCase());
  if (row?.display !== true) return undefined;
  const { name, class: of, listed } = row;
  const latest = latestPayload(moment, row);
  const past: EventPayload[] = [];
  for (const event of pastEvents(state, row.symbol)) {
    past.push(eventPayload(state, sha256, event));
    if (past.length === PAST_EVENTS) break;
  }
  const payload: AssetPayload = {
    asset: { symbol: row.symbol, name, class: of, listed },
    latest,
    vol_mult: latest?.vol_mult ?? null,
    scores_30d: moment
      .history(of)
      .hourly(row.symbol)
      .map(({ ts, score }) => ({ ts: formatTime(ts), score })),
    open_event: openEventPayload(moment, openEvent(state, row.symbol)),
    past_events: past,
    ...venues,
  };
  return withAliases(payload as unknown as Json, HEAT_ALIASES) as unknown as AssetPayload;
}
