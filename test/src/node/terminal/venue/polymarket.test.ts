import assert from 'node:assert/strict';
import { test } from 'node:test';
import { polymarket } from '@assay/node/terminal/venue/polymarket';
import { answering, checked, listed, taken } from './venue-fixture.ts';

const UP = 'slug=bitcoin-above-a-line';
const OLD = 'slug=bitcoin-last-year';

const market = (slug: string, more: object = {}): object => ({
  id: '1',
  slug,
  question: 'Above a line?',
  outcomePrices: '["0.4321","0.5679"]',
  active: true,
  closed: false,
  ...more,
});

const GOOD = {
  [UP]: [market('bitcoin-above-a-line')],
  [OLD]: [market('bitcoin-last-year', { closed: true })],
};
const venue = polymarket({ BTC: ['bitcoin-above-a-line', 'bitcoin-last-year'], SOL: ['sol'] });

test('polymarket venue: markets of the map that are open', async () => {
  const source = answering(GOOD);
  const kept = await checked(venue, source);
  assert.equal(kept?.note, null);
  assert.deepEqual(kept?.offers, [
    {
      kind: 'prediction_markets',
      symbol: 'BTC',
      url: 'https://polymarket.com/market/bitcoin-above-a-line',
    },
  ]);
  const markets = 'https://gamma-api.polymarket.com/markets?';
  assert.deepEqual(
    source.asked.map(({ url }) => url),
    [`${markets}${UP}`, `${markets}${OLD}`],
  );
  assert.deepEqual((await checked(venue, answering({ ...GOOD, [UP]: [] })))?.offers, []);
  const idle = [market('bitcoin-above-a-line', { active: false })];
  assert.deepEqual((await checked(venue, answering({ ...GOOD, [UP]: idle })))?.offers, []);
  assert.equal(await checked(venue, answering(GOOD), listed(['ETH'])), undefined);
});

test('polymarket venue: what is not its list changes nothing', async () => {
  const old = market('bitcoin-last-year');
  const wrongly = await taken(venue, GOOD, OLD, [
    [market('another')],
    [old, old],
    [{ ...old, active: 'true' }],
    [{ ...old, closed: undefined }],
    [null],
    { type: 'validation error' },
    '[]',
  ]);
  assert.deepEqual(wrongly, []);
});
