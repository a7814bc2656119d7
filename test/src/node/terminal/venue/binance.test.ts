import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binance } from '@assay/node/terminal/venue/binance';
import { answering, checked, listed, taken } from './venue-fixture.ts';

const SPOT = '/api/v3/exchangeInfo';
const FUTURES = '/fapi/v1/exchangeInfo';

const spot = (baseAsset: string, quoteAsset: string, more: object = {}): object => ({
  symbol: `${baseAsset}${quoteAsset}`,
  status: 'TRADING',
  baseAsset,
  quoteAsset,
  isSpotTradingAllowed: true,
  filters: [{ filterType: 'PRICE_FILTER', minPrice: '0.01000000' }],
  ...more,
});

const contract = (symbol: string, baseAsset: string, more: object = {}): object => ({
  symbol,
  contractType: 'PERPETUAL',
  deliveryDate: 4_133_404_800_000,
  status: 'TRADING',
  baseAsset,
  quoteAsset: 'USDT',
  marginAsset: 'USDT',
  ...more,
});

const GOOD = {
  [SPOT]: {
    timezone: 'UTC',
    symbols: [
      spot('BTC', 'EUR'),
      spot('BTC', 'USDC'),
      spot('BTC', 'USDT'),
      spot('ETH', 'USDT', { status: 'BREAK' }),
      spot('DOGE', 'USDT', { isSpotTradingAllowed: false }),
      spot('META', 'USDT'),
      spot('btc', 'USD'),
    ],
  },
  [FUTURES]: {
    symbols: [
      contract('BTCUSDT', 'BTC'),
      contract('BTCUSDT_270326', 'BTC', {
        contractType: 'NEXT_QUARTER',
        deliveryDate: 1_806_019_200_000,
      }),
      contract('BTCUSDT_261225', 'BTC', {
        contractType: 'CURRENT_QUARTER',
        deliveryDate: 1_798_156_800_000,
      }),
      contract('ETHUSDT', 'ETH', { status: 'SETTLING' }),
      contract('DOGEUSDT', 'DOGE', { contractType: 'TRADIFI_PERPETUAL' }),
      contract('1000DOGEUSDT', '1000DOGE'),
    ],
  },
};

test('binance venue: what trades in dollars, with plain links', async () => {
  const source = answering(GOOD);
  const kept = await checked(binance, source);
  assert.deepEqual(kept, {
    venue: 'binance',
    checked_at: '2026-11-20T03:00:00Z',
    note: null,
    offers: [
      { kind: 'spot', symbol: 'BTC', url: 'https://www.binance.com/en/trade/BTC_USDT' },
      { kind: 'perpetuals', symbol: 'BTC', url: 'https://www.binance.com/en/futures/BTCUSDT' },
      {
        kind: 'futures',
        symbol: 'BTC',
        url: 'https://www.binance.com/en/futures/BTCUSDT_261225',
      },
    ],
  });
  assert.deepEqual(
    source.asked.map(({ method, url }) => `${method} ${url}`),
    [
      'GET https://data-api.binance.vision/api/v3/exchangeInfo?showPermissionSets=false',
      'GET https://fapi.binance.com/fapi/v1/exchangeInfo',
    ],
  );
});

test('binance venue: a share of the name of a coin is none, and without coins nobody is asked', async () => {
  const source = answering(GOOD);
  assert.equal(await checked(binance, source, listed([], ['META'])), undefined);
  assert.deepEqual(source.asked, []);
});

test('binance venue: what is not its list changes nothing', async () => {
  const row = spot('BTC', 'USDT');
  const wrongly = await taken(binance, GOOD, SPOT, [
    [],
    {},
    { symbols: [] },
    { symbols: 'BTCUSDT' },
    { symbols: [null] },
    { symbols: [row, row] },
    { symbols: [{ ...row, baseAsset: 7 }] },
    { symbols: [{ ...row, status: true }] },
    { symbols: [{ ...row, isSpotTradingAllowed: 'true' }] },
  ]);
  assert.deepEqual(wrongly, []);
  const ends = { contractType: 'CURRENT_QUARTER', deliveryDate: '1798156800000' };
  const half = await taken(binance, GOOD, FUTURES, [
    { code: 0, msg: 'Service unavailable from a restricted location' },
    { symbols: [contract('BTCUSDT_261225', 'BTC', ends)] },
    { symbols: [contract('BTCUSDT', 'BTC', { contractType: null })] },
  ]);
  assert.deepEqual(half, []);
});
