import type { Ticker } from '../rule/ticker.ts';
import type { DateText } from '../time/time.ts';
import { periodsBack } from '../view/periods.ts';
import type { ViewState } from '../view/view.ts';
import { currentRule } from './index.ts';
import { takePage } from './page.ts';
import { type PeriodPayload, periodPayload } from './period.ts';
import { settlementStatus } from './settlement-status.ts';

export const DEFAULT_PERIODS = 100;
export const MAX_PERIODS = 1000;

export interface PeriodPagePayload {
  readonly ticker: string;
  /** Newest first, provisional ones too, each with its `unsettled`. */
  readonly periods: readonly PeriodPayload[];
  /** The `cursor` of the page that follows; null where there is none. */
  readonly next_cursor: string | null;
}

/** The periods of an index by pages. `from` and `to` are the first and the last period. */
export function periodPagePayload(
  state: ViewState,
  ticker: Ticker,
  asked: {
    readonly limit: number;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    /** The place in a cursor. */
    readonly after?: string | undefined;
  },
): PeriodPagePayload {
  const { rows, next } = takePage('periods', periodsOf(state, ticker, asked), asked.limit);
  return {
    ticker: currentRule(state, ticker).rule.display,
    periods: rows,
    next_cursor: next,
  };
}

function* periodsOf(
  state: ViewState,
  ticker: Ticker,
  {
    from,
    to,
    after,
  }: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly after?: string | undefined;
  },
): Generator<readonly [DateText, PeriodPayload]> {
  for (const [period, row] of periodsBack(
    state,
    ticker,
    after === undefined ? undefined : (after as DateText),
  )) {
    if (from !== undefined && period < from) return;
    if (to !== undefined && period > to) continue;
    const { unsettled } = settlementStatus(state, ticker, period, row);
    yield [period, { ...periodPayload(state, period, row), unsettled }];
  }
}
