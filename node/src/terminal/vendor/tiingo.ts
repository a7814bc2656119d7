import type { Source } from '../../source/source.ts';
import { type TickSource, unread, type VendorNames } from './tick-source.ts';
import { askVendor, rowsBy, vendorRequest } from './vendor-answer.ts';
import { readBatches } from './vendor-batches.ts';
import { isoStamp, priceOf } from './vendor-figures.ts';

const PROVIDER = 'tiingo';
const BATCH = 100;

export interface TiingoOptions {
  readonly source: Source;
  /** The vendor's tickers, such as `BRK-B`. */
  readonly names: VendorNames;
  /** The name of the secret with the token. */
  readonly token: string;
}

/**
 * Tiingo's `/iex`: the newest price of each ticker. Its volume is in shares of one exchange and is therefore
 * not used.
 */
export function tiingo({ source, names, token }: TiingoOptions): TickSource {
  const headers = [{ name: 'authorization', value: `Token {secret:${token}}` }];
  return {
    provider: PROVIDER,
    read: (_ts, symbols, signal) =>
      readBatches(
        {
          provider: PROVIDER,
          names,
          size: BATCH,
          ask(tickers) {
            const list = tickers.map(encodeURIComponent).join(',');
            const url = `https://api.tiingo.com/iex/?tickers=${list}`;
            return askVendor(source, vendorRequest(url, headers), signal);
          },
          take(answer, batch) {
            const rows = rowsBy(answer, 'ticker');
            return batch.map(({ symbol, name }) => {
              const row = rows.get(name);
              if (row === undefined) return unread(PROVIDER, symbol, 'not in the answer, or twice');
              const price = priceOf(row.get('tngoLast'));
              if (price === undefined) return unread(PROVIDER, symbol, 'no price');
              const stamped_at = isoStamp(row.get('timestamp'));
              if (stamped_at === undefined) return unread(PROVIDER, symbol, 'no time of the price');
              const said = { provider: PROVIDER, price, volume_24h: null, stamped_at };
              return { symbol, said, reason: null };
            });
          },
        },
        symbols,
        signal,
      ),
  };
}
