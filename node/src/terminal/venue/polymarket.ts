import { Fault } from '@assay/core/fault';
import { vendorRequest } from '../vendor/vendor-answer.ts';
import { flagOf, requireOnce, rowsOf, textOf } from './product-row.ts';
import { type SlugMap, slugsOf } from './slug-map.ts';
import type { Venue } from './venue.ts';

const MARKETS = 'https://gamma-api.polymarket.com/markets';

/**
 * Polymarket's `GET /markets?slug=` of the Gamma API, one request a slug of the map: `[{ "slug", "active", "closed",
 * ... }]`, empty for a slug that it does not have. A market is offered while it is `active` and not `closed`. The answer
 * holds prices too: they are not read.
 */
export function polymarket(slugs: SlugMap): Venue {
  return {
    id: 'polymarket',
    lists: (listed) =>
      slugsOf(slugs, listed).map(({ symbol, slug }) => ({
        request: vendorRequest(`${MARKETS}?slug=${slug}`),
        offers: (pages) => {
          const rows = rowsOf(pages[0], 'answer');
          requireOnce(rows.map((row) => textOf(row, 'slug')));
          if (rows.some((row) => textOf(row, 'slug') !== slug)) {
            throw new Fault('malformed', 'product list', {
              at: 'slug',
              expected: 'the market that was asked for',
            });
          }
          const open = rows.filter((row) => flagOf(row, 'active') && !flagOf(row, 'closed'));
          const url = `https://polymarket.com/market/${slug}`;
          return open.map(() => ({ kind: 'prediction_markets', symbol, url }));
        },
      })),
  };
}
