import { type TickGrid, utcGrid } from '@assay/core/terminal/calendar/grid';
import { newYorkBehind } from '@assay/core/terminal/calendar/new-york';
import { xnysGrid } from '@assay/core/terminal/calendar/session';

/** How the rows of a class's files give their time, and which of them make its volume of a day. */
export interface MarketFormat {
  /** The name of the first column. */
  readonly column: string;
  /** The text after the time: `Z` for UTC. */
  readonly suffix: string;
  /** How many seconds the clock of a day, counted since 1970-01-01, is ahead of UTC. */
  readonly ahead: (day: number) => number;
  readonly grid: TickGrid;
  /** Over how many counts of the grid a day's volume is summed, and how many of them must be there. */
  readonly window: number;
  readonly least: number;
  /** What comes after the asset's symbol in a file's name. */
  readonly quote: string;
}

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
