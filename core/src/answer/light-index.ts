import type { Ticker } from '../rule/ticker.ts';
import { newestComplete } from '../view/periods.ts';
import { tickers } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';
import { type IndexPayload, indexSummary } from './index.ts';
import { type SettlementStatus, settlementStatus } from './settlement-status.ts';

/** An index in the light list: what names it, its newest complete period, and when the next one is due. */
export interface LightIndexPayload extends Pick<
  IndexPayload,
  'ticker' | 'slug' | 'title' | 'network' | 'unit' | 'format' | 'decimals' | 'cadence' | 'grade'
> {
  /** Null before the first. */
  readonly newest_complete: SettlementStatus | null;
  readonly next_period: string;
  readonly next_release_at: string;
}

/** The list of every index, by ticker, without sources and periods. */
export function lightIndexListPayload(state: ViewState): readonly LightIndexPayload[] {
  return tickers(state).map((ticker) => lightIndex(state, ticker));
}

function lightIndex(state: ViewState, of: Ticker): LightIndexPayload {
  const { ticker, slug, title, network, unit, format, decimals, cadence, grade, ...rest } =
    indexSummary(state, of, 0);
  const { next_period, next_release_at } = rest;
  const [complete] = newestComplete(state, of, 1);
  const names = { ticker, slug, title, network, unit, format, decimals, cadence, grade };
  return {
    ...names,
    newest_complete: complete === undefined ? null : settlementStatus(state, of, ...complete),
    next_period,
    next_release_at,
  };
}
