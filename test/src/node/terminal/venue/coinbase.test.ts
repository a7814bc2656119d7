import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coinbase } from '@assay/node/terminal/venue/coinbase';
import { answering, checked, listed, taken } from './venue-fixture.ts';

const PRODUCTS = 'exchange.coinbase.com/products';

const row = (base_currency: string, quote_currency: string, more: object = {}): object => ({
  id: `${base_currency}-${quote_currency}`,
  base_currency,
  quote_currency,
  quote_increment: '0.01',
  status: 'online',
  trading_disabled: false,
  ...more,
});

const GOOD = {
  [PRODUCTS]: [
    row('BTC', 'USDT'),
    row('BTC', 'USD'),
    row('ETH', 'USD', { status: 'delisted' }),
    row('DOGE', 'USD', { trading_disabled: true }),
    row('DOGE', 'USDC', { trading_disabled: undefined }),
    row('META', 'USD'),
  ],
};

test('coinbase venue: what trades in dollars, with plain links', async () => {
  const source = answering(GOOD);
  const kept = await checked(coinbase, source);
  assert.deepEqual(kept?.offers, [
    { kind: 'spot', symbol: 'BTC', url: 'https://www.coinbase.com/advanced-trade/spot/BTC-USD' },
    { kind: 'spot', symbol: 'DOGE', url: 'https://www.coinbase.com/advanced-trade/spot/DOGE-USDC' },
  ]);
  assert.deepEqual(
    source.asked.map(({ url }) => url),
    ['https://api.exchange.coinbase.com/products'],
  );
  assert.equal(await checked(coinbase, answering(GOOD), listed([])), undefined);
});

test('coinbase venue: what is not its list changes nothing', async () => {
  const btc = row('BTC', 'USD');
  const wrongly = await taken(coinbase, GOOD, PRODUCTS, [
    { message: 'rate limited' },
    [],
    [btc, btc],
    [[btc]],
    [{ ...btc, id: 1 }],
    [{ ...btc, status: ['online'] }],
    [{ ...btc, trading_disabled: 'false' }],
    [{ ...btc, base_currency: undefined }],
  ]);
  assert.deepEqual(wrongly, []);
});
