import { DAY_SECONDS } from '../time/time.ts';

/** When an event's receipts are due after its opening. */
export const HORIZONS = ['24h', '7d', '30d'] as const;
export type Horizon = (typeof HORIZONS)[number];

/** Seconds from the opening. */
export const HORIZON_SECONDS: Readonly<Record<Horizon, number>> = {
  '24h': DAY_SECONDS,
  '7d': 7 * DAY_SECONDS,
  '30d': 30 * DAY_SECONDS,
};
