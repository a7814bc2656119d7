import type { SourceJson } from '@assay/core/source/source-json';
import { vendorRequest } from '../vendor/vendor-answer.ts';
import { matched, type Product } from './product.ts';
import { optionalFlag, requireOnce, someRows, textOf } from './product-row.ts';
import type { Venue } from './venue.ts';

const PRODUCTS = 'https://api.exchange.coinbase.com/products';

/**
 * Coinbase Exchange's `GET /products`: `[{ "id": "BTC-USD", "base_currency", "quote_currency", "status",
 * "trading_disabled", ... }]`. What trades is `online` and not `trading_disabled`. All of it is spot.
 */
export const coinbase: Venue = {
  id: 'coinbase',
  lists: ({ crypto }) => {
    if (crypto.size === 0) return [];
    const request = vendorRequest(PRODUCTS);
    return [{ request, offers: (pages) => matched(products(pages), crypto) }];
  },
};

function products(pages: readonly SourceJson[]): readonly Product[] {
  const rows = someRows(pages[0], 'answer');
  requireOnce(rows.map((row) => textOf(row, 'id')));
  return rows.flatMap((row) => {
    const base = textOf(row, 'base_currency');
    const quote = textOf(row, 'quote_currency');
    const trades = textOf(row, 'status') === 'online' && !optionalFlag(row, 'trading_disabled');
    if (!trades) return [];
    const url = `https://www.coinbase.com/advanced-trade/spot/${base}-${quote}`;
    return [{ kind: 'spot', base, quote, ends: 0, url }];
  });
}
