import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kraken } from '@assay/node/terminal/venue/kraken';
import { answering, checked, listed, taken } from './venue-fixture.ts';

const PAIRS = '/0/public/AssetPairs';

const pair = (wsname: string | undefined, status = 'online'): object => ({
  altname: 'made up',
  wsname,
  aclass_base: 'currency',
  base: 'made up',
  quote: 'made up',
  fees: [[0, 0.4]],
  status,
});

const GOOD = {
  [PAIRS]: {
    error: [],
    result: {
      XXBTZEUR: pair('XBT/EUR'),
      XXBTZUSD: pair('XBT/USD'),
      XBTUSDT: pair('XBT/USDT'),
      XETHZUSD: pair('ETH/USD', 'cancel_only'),
      XDGUSD: pair('XDG/USD'),
      'XETHZUSD.d': pair(undefined),
      odd: pair('ETH/USD/x'),
      inherited: pair('constructor/USD'),
    },
  },
};

test('kraken venue: what trades in dollars, with plain links', async () => {
  const source = answering(GOOD);
  const kept = await checked(kraken, source);
  assert.equal(kept?.note, null);
  assert.deepEqual(kept?.offers, [
    { kind: 'spot', symbol: 'BTC', url: 'https://pro.kraken.com/app/trade/btc-usd' },
    { kind: 'spot', symbol: 'DOGE', url: 'https://pro.kraken.com/app/trade/doge-usd' },
  ]);
  assert.deepEqual(
    source.asked.map(({ url }) => url),
    ['https://api.kraken.com/0/public/AssetPairs'],
  );
  assert.equal(await checked(kraken, answering(GOOD), listed([])), undefined);
});

test('kraken venue: what is not its list changes nothing', async () => {
  const a = pair('XBT/USD');
  const wrongly = await taken(kraken, GOOD, PAIRS, [
    { error: ['EGeneral:Internal error'], result: { a } },
    { error: ['EService:Unavailable'] },
    { result: { a } },
    { error: [], result: [a] },
    { error: [], result: {} },
    { error: [], result: { a: [] } },
    { error: [], result: { a, b: a } },
    { error: [], result: { a: { ...a, wsname: 5 } } },
    { error: [], result: { a: { ...a, status: undefined } } },
  ]);
  assert.deepEqual(wrongly, []);
});
