import type { Source } from '../../source/source.ts';
import { type TickSource, unread, type VendorNames } from './tick-source.ts';
import { askVendor, rowsBy, vendorRequest } from './vendor-answer.ts';
import { readBatches } from './vendor-batches.ts';
import { figureOf, isoStamp, priceOf } from './vendor-figures.ts';

const PROVIDER = 'coingecko';

/** The most rows of a page of `/coins/markets`. */
const BATCH = 250;

export interface CoinGeckoOptions {
  readonly source: Source;
  /** Ids of coins, such as `bitcoin`. */
  readonly names: VendorNames;
  /** Which of the vendor's plans the key in `secret` is for. Without it no key is sent. */
  readonly key?: { readonly plan: 'demo' | 'pro'; readonly secret: string } | undefined;
}

/** CoinGecko's `/coins/markets`: price and 24-hour volume in US dollars, over all its exchanges together. */
export function coinGecko({ source, names, key }: CoinGeckoOptions): TickSource {
  const host = key?.plan === 'pro' ? 'pro-api.coingecko.com' : 'api.coingecko.com';
  const headers =
    key === undefined
      ? []
      : [{ name: `x-cg-${key.plan}-api-key`, value: `{secret:${key.secret}}` }];
  return {
    provider: PROVIDER,
    read: (_ts, symbols, signal) =>
      readBatches(
        {
          provider: PROVIDER,
          names,
          size: BATCH,
          ask(ids) {
            const query = `vs_currency=usd&per_page=${BATCH}&page=1&ids=${ids.map(encodeURIComponent).join(',')}`;
            const url = `https://${host}/api/v3/coins/markets?${query}`;
            return askVendor(source, vendorRequest(url, headers), signal);
          },
          take(answer, batch) {
            const rows = rowsBy(answer, 'id');
            return batch.map(({ symbol, name }) => {
              const row = rows.get(name);
              if (row === undefined) return unread(PROVIDER, symbol, 'not in the answer, or twice');
              const price = priceOf(row.get('current_price'));
              if (price === undefined) return unread(PROVIDER, symbol, 'no price');
              const stamped_at = isoStamp(row.get('last_updated'));
              if (stamped_at === undefined) return unread(PROVIDER, symbol, 'no time of the price');
              const volume_24h = figureOf(row.get('total_volume')) ?? null;
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
