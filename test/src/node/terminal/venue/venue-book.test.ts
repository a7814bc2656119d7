import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_VENUES } from '@assay/node/terminal/answer/venues';
import type { KeptVenues } from '@assay/node/terminal/venue/kept-venues';
import { CheckedVenues } from '@assay/node/terminal/venue/venue-book';

const EARLIER = '2026-11-19T03:00:00Z' as KeptVenues['checked_at'];
const NOW = '2026-11-20T03:00:00Z' as KeptVenues['checked_at'];

test('venue book: nothing before the first check, and it says so', () => {
  const book = new CheckedVenues([]);
  assert.equal(book.version, 0);
  assert.deepEqual(book.of('BTC'), {
    venues: NO_VENUES,
    venues_checked_at: null,
    venues_notice: 'The venues have not been checked yet.',
  });
});

test('venue book: grouped, with each list its own time and a note on what is old', () => {
  const book = new CheckedVenues(['binance']);
  const offer = (kind: 'spot' | 'futures', symbol: string, url: string) => ({ kind, symbol, url });
  book.show({
    checked_at: NOW,
    venues: [
      {
        venue: 'binance',
        checked_at: NOW,
        note: null,
        offers: [
          offer('spot', 'BTC', 'https://a.example'),
          offer('futures', 'BTC', 'https://b.example'),
        ],
      },
      {
        venue: 'kraken',
        checked_at: EARLIER,
        note: 'status 503',
        offers: [offer('spot', 'BTC', 'https://c.example')],
      },
      { venue: 'kalshi', checked_at: null, note: 'timeout', offers: [] },
    ],
  });
  assert.equal(book.version, 1);
  const binance = { venue: 'binance', name: 'Binance', us_available: false, checked_at: NOW };
  const kraken = { venue: 'kraken', name: 'Kraken', us_available: true, checked_at: EARLIER };
  const said = {
    venues_checked_at: NOW,
    venues_notice:
      'Not checked: Kraken (status 503; its list is of 2026-11-19T03:00:00Z), ' +
      'Kalshi (timeout; nothing is known of it).',
  };
  assert.deepEqual(book.of('BTC'), {
    venues: {
      spot: [
        { ...binance, url: 'https://a.example' },
        { ...kraken, url: 'https://c.example' },
      ],
      perpetuals: [],
      futures: [{ ...binance, url: 'https://b.example' }],
      prediction_markets: [],
    },
    ...said,
  });
  assert.deepEqual(book.of('ETH'), { venues: NO_VENUES, ...said });
  book.show({ checked_at: NOW, venues: [] });
  assert.deepEqual([book.version, book.of('BTC').venues_notice], [2, null]);
});
