import { Fault } from '@assay/core/fault';
import { vendorRequest } from '../vendor/vendor-answer.ts';
import { recordOf, rowsOf, textOf } from './product-row.ts';
import { type SlugMap, slugsOf } from './slug-map.ts';
import type { Venue } from './venue.ts';

const EVENTS = 'https://api.elections.kalshi.com/trade-api/v2/events';

/**
 * Kalshi's `GET /trade-api/v2/events?series_ticker=`, one request a series of the map: `{ "events": [{ "series_ticker",
 * "event_ticker", ... }], "cursor" }`. A series is offered while it has an open event. The answer has no prices unless
 * it is asked for them.
 */
export function kalshi(series: SlugMap): Venue {
  return {
    id: 'kalshi',
    lists: (listed) =>
      slugsOf(series, listed).map(({ symbol, slug }) => ({
        request: vendorRequest(`${EVENTS}?series_ticker=${slug}&status=open&limit=1`),
        offers: (pages) => {
          const rows = rowsOf(recordOf(pages[0], 'answer').get('events'), 'events');
          if (rows.some((row) => textOf(row, 'series_ticker') !== slug)) {
            throw new Fault('malformed', 'product list', {
              at: 'series_ticker',
              expected: 'the series that was asked for',
            });
          }
          if (rows.length === 0) return [];
          const url = `https://kalshi.com/markets/${slug.toLowerCase()}`;
          return [{ kind: 'prediction_markets', symbol, url }];
        },
      })),
  };
}
