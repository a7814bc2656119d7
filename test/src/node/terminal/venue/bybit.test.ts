import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceAnswer } from '@assay/node/source/source';
import { bybit } from '@assay/node/terminal/venue/bybit';
import { vendor } from '../vendor-fixture.ts';
import { answering, checked, LISTED, listed, taken } from './venue-fixture.ts';

const SPOT = 'category=spot';
const LINEAR = 'category=linear';

const spot = (baseCoin: string, quoteCoin: string, status = 'Trading'): object => ({
  symbol: `${baseCoin}${quoteCoin}`,
  baseCoin,
  quoteCoin,
  innovation: '0',
  status,
  priceFilter: { tickSize: '0.01' },
});

const contract = (symbol: string, baseCoin: string, quoteCoin: string, more: object = {}) => ({
  symbol,
  contractType: 'LinearPerpetual',
  status: 'Trading',
  baseCoin,
  quoteCoin,
  deliveryTime: '0',
  ...more,
});

const linear = (list: readonly object[], nextPageCursor = ''): object => ({
  retCode: 0,
  retMsg: 'OK',
  result: { category: 'linear', list, nextPageCursor },
});

const ends = (deliveryTime: string) => ({ contractType: 'LinearFutures', deliveryTime });
const GOOD = {
  [SPOT]: {
    retCode: 0,
    retMsg: 'OK',
    result: {
      category: 'spot',
      list: [spot('BTC', 'USDC'), spot('BTC', 'USDT'), spot('ETH', 'USDT', 'PreLaunch')],
    },
  },
  [LINEAR]: linear([
    contract('BTCPERP', 'BTC', 'USDC'),
    contract('ETHPERP', 'ETH', 'USDC'),
    contract('BTCUSDT', 'BTC', 'USDT'),
    contract('BTC-26MAR27', 'BTC', 'USDC', ends('1806048000000')),
    contract('BTCUSDT-25DEC26', 'BTC', 'USDT', ends('1798185600000')),
    contract('ETH-25DEC26', 'ETH', 'USDC', ends('1798185600000')),
    contract('DOGE-25DEC26', 'DOGE', 'USDC', ends('0')),
  ]),
};

test('bybit venue: what trades in dollars, with plain links', async () => {
  const source = answering(GOOD);
  const kept = await checked(bybit, source);
  assert.equal(kept?.note, null);
  assert.deepEqual(
    kept?.offers.map(({ kind, symbol, url }) => [kind, symbol, url]),
    [
      ['spot', 'BTC', 'https://www.bybit.com/en/trade/spot/BTC/USDT'],
      ['perpetuals', 'BTC', 'https://www.bybit.com/trade/usdt/BTCUSDT'],
      ['perpetuals', 'ETH', 'https://www.bybit.com/trade/futures/usdc/ETH-PERP'],
      ['futures', 'BTC', 'https://www.bybit.com/trade/usdt/BTCUSDT-25DEC26'],
      ['futures', 'ETH', 'https://www.bybit.com/trade/futures/usdc/ETH-25DEC26'],
    ],
  );
  assert.deepEqual(
    source.asked.map(({ url }) => url),
    [
      'https://api.bybit.com/v5/market/instruments-info?category=spot',
      'https://api.bybit.com/v5/market/instruments-info?category=linear&limit=1000',
    ],
  );
  assert.equal(await checked(bybit, answering(GOOD), listed([])), undefined);
});

test('bybit venue: all pages or none', async () => {
  const linearPages = async (...bodies: readonly object[]) => {
    const pages = bodies.map((body) => ({
      status: 200,
      contentType: null,
      bytes: new TextEncoder().encode(JSON.stringify(body)),
    }));
    const answer: SourceAnswer = { kind: 'pages', pages };
    const source = vendor(({ url }) => (url.includes(SPOT) ? JSON.stringify(GOOD[SPOT]) : answer));
    return checked(bybit, source, LISTED);
  };
  const btc = contract('BTCUSDT', 'BTC', 'USDT');
  const eth = contract('ETHUSDT', 'ETH', 'USDT');
  const whole = await linearPages(linear([btc], 'next'), linear([eth]));
  assert.deepEqual([whole?.note, whole?.offers.length], [null, 3]);
  const cut = await linearPages(linear([btc], 'next'));
  assert.equal(cut?.note, 'the answer is not its product list');
  const twice = await linearPages(linear([btc], 'next'), linear([btc]));
  assert.equal(twice?.note, 'the answer is not its product list');
});

test('bybit venue: what is not its list changes nothing', async () => {
  const row = contract('BTCUSDT', 'BTC', 'USDT');
  const wrongly = await taken(bybit, GOOD, LINEAR, [
    { ...linear([row]), retCode: 10_006 },
    { ...linear([row]), retCode: '0' },
    linear([]),
    linear([row, row]),
    linear([{ ...row, deliveryTime: 0 }]),
    linear([{ ...row, quoteCoin: null }]),
    { retCode: 0, result: null },
    { retCode: 0, result: { list: [row] } },
    'Trading',
  ]);
  assert.deepEqual(wrongly, []);
});
