import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matched, type Product } from '@assay/node/terminal/venue/product';

const product = (base: string, quote: string, more: Partial<Product> = {}): Product => ({
  kind: 'spot',
  base,
  quote,
  ends: 0,
  url: `${base}-${quote}-${more.ends ?? 0}`,
  ...more,
});

test('product: an exact base, one of three quotes, one link of a kind', () => {
  const products = [
    product('BTC', 'USDC'),
    product('BTC', 'USDT'),
    product('BTC', 'USD'),
    product('BTC', 'USDT'),
    product('btc', 'USD'),
    product('BTC2', 'USD'),
    product('ETH', 'EUR'),
    product('ETH', 'USDC', { kind: 'perpetuals' }),
    product('ETH', 'USD', { kind: 'futures', ends: 9 }),
    product('ETH', 'USDC', { kind: 'futures', ends: 8 }),
  ];
  assert.deepEqual(matched(products, new Set(['BTC', 'ETH'])), [
    { kind: 'spot', symbol: 'BTC', url: 'BTC-USD-0' },
    { kind: 'perpetuals', symbol: 'ETH', url: 'ETH-USDC-0' },
    { kind: 'futures', symbol: 'ETH', url: 'ETH-USDC-8' },
  ]);
  assert.deepEqual(matched(products, new Set()), []);
});
