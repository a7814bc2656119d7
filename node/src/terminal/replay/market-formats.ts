import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { newYorkBehind } from '@assay/core/terminal/calendar/new-york';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import type { MarketFormat } from './market-file.ts';

/** Recorded closes of crypto assets against USDT: quarter hours of UTC, day and night. */
export const CRYPTO_FORMAT: MarketFormat = {
  column: 'close_time',
  suffix: 'Z',
  ahead: () => 0,
  grid: utcGrid,
  window: 96,
  least: 92,
  quote: 'USDT',
};

/** Recorded closes of US stocks in US dollars: quarter hours of the regular session, by the clock of New York. */
export const STOCK_FORMAT: MarketFormat = {
  column: 'close_time_new_york',
  suffix: '',
  ahead: (day) => -newYorkBehind(day),
  grid: xnysGrid,
  window: 26,
  least: 24,
  quote: '',
};
