import type { Source } from '../../source/source.ts';
import { type TickSource, unread, type VendorNames } from './tick-source.ts';
import { askVendor, rowsBy, vendorRequest } from './vendor-answer.ts';
import { noRefusedNames, readBatches } from './vendor-batches.ts';
import { figureOf, millisStamp, priceOf } from './vendor-figures.ts';

const PROVIDER = 'binance';

/** The pairs of a request. The vendor's weight for a hundred is the same as for twenty-one. */
const BATCH = 100;

const BAD_REQUEST = 400;

export interface BinanceOptions {
  readonly source: Source;
  /** Pairs against a dollar coin, such as `BTCUSDT`. */
  readonly names: VendorNames;
}

/**
 * Binance's `/api/v3/ticker/24hr`: the last price and quote volume of one pair, as exact strings. If the
 * exchange does not have a pair, it refuses the whole request, and the others are requested again without it.
 */
export function binance({ source, names }: BinanceOptions): TickSource {
  const memory = noRefusedNames();
  return {
    provider: PROVIDER,
    read: (_ts, symbols, signal) =>
      readBatches(
        {
          provider: PROVIDER,
          names,
          size: BATCH,
          refusal: { status: BAD_REQUEST, memory },
          ask(pairs) {
            const list = encodeURIComponent(JSON.stringify(pairs));
            const url = `https://data-api.binance.vision/api/v3/ticker/24hr?symbols=${list}`;
            return askVendor(source, vendorRequest(url), signal);
          },
          take(answer, batch) {
            const rows = rowsBy(answer, 'symbol');
            return batch.map(({ symbol, name }) => {
              const row = rows.get(name);
              if (row === undefined) return unread(PROVIDER, symbol, 'not in the answer, or twice');
              const price = priceOf(row.get('lastPrice'));
              if (price === undefined) return unread(PROVIDER, symbol, 'no price');
              const stamped_at = millisStamp(row.get('closeTime'));
              if (stamped_at === undefined) return unread(PROVIDER, symbol, 'no time of the price');
              const volume_24h = figureOf(row.get('quoteVolume')) ?? null;
              const said = { provider: PROVIDER, price, volume_24h, stamped_at };
              return { symbol, said, reason: null };
            });
          },
        },
        symbols,
        signal,
      ),
  };
}
