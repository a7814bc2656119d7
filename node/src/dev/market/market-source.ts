import { formatTime } from '@assay/core/time/time';
import { type TickSource, unread } from '../../terminal/vendor/tick-source.ts';
import type { SyntheticMarket, SyntheticReading } from './synthetic-market.ts';

/** By what share the second vendor's prices are higher, which the rule takes for agreement. */
const APART = 0.002;

/**
 * The two vendors of the invented market, which is as many as the rule requires. The second one is a little above the
 * first. Both give their prices the time of the tick.
 */
export function marketSources(market: SyntheticMarket): readonly TickSource[] {
  return [
    vendorOf('synthetic_one', market, ({ price }) => price),
    vendorOf('synthetic_two', market, ({ price }) => raised(price)),
  ];
}

function vendorOf(
  provider: string,
  market: SyntheticMarket,
  priceOf: (reading: SyntheticReading) => string,
): TickSource {
  return {
    provider,
    read: async (ts, symbols, signal) => {
      signal.throwIfAborted();
      return symbols.map((symbol) => {
        const reading = market.reading(symbol, ts);
        if (reading === undefined) return unread(provider, symbol, 'not in this market');
        const said = {
          provider,
          price: priceOf(reading),
          volume_24h: reading.volume24h,
          stamped_at: formatTime(ts),
        };
        return { symbol, said, reason: null };
      });
    },
  };
}

function raised(price: string): string {
  const decimals = price.length - 1 - price.indexOf('.');
  return (Number(price) * (1 + APART)).toFixed(decimals);
}
