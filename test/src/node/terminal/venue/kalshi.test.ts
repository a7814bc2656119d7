import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kalshi } from '@assay/node/terminal/venue/kalshi';
import { answering, checked, listed, taken } from './venue-fixture.ts';

const BTC = 'series_ticker=KXBTC&';
const DAILY = 'series_ticker=KXBTCD&';

const answer = (...series: readonly string[]): object => ({
  events: series.map((series_ticker, i) => ({
    event_ticker: `${series_ticker}-${i}`,
    series_ticker,
    title: 'Bitcoin price',
    category: 'Crypto',
  })),
  cursor: '',
});

const GOOD = { [BTC]: answer('KXBTC'), [DAILY]: answer() };
const venue = kalshi({ BTC: ['KXBTC', 'KXBTCD'], SOL: ['KXSOL'] });

test('kalshi venue: series of the map that have an open event', async () => {
  const source = answering(GOOD);
  const kept = await checked(venue, source);
  assert.equal(kept?.note, null);
  assert.deepEqual(kept?.offers, [
    { kind: 'prediction_markets', symbol: 'BTC', url: 'https://kalshi.com/markets/kxbtc' },
  ]);
  const events = 'https://api.elections.kalshi.com/trade-api/v2/events?series_ticker=';
  assert.deepEqual(
    source.asked.map(({ url }) => url),
    [`${events}KXBTC&status=open&limit=1`, `${events}KXBTCD&status=open&limit=1`],
  );
});

test('kalshi venue: of a share too, and nobody is asked for what is not listed or not in the map', async () => {
  const share = kalshi({ META: ['KXMETA'] });
  const kept = await checked(share, answering({ KXMETA: answer('KXMETA') }), listed([], ['META']));
  assert.deepEqual(
    kept?.offers.map(({ symbol }) => symbol),
    ['META'],
  );
  assert.equal(await checked(venue, answering(GOOD), listed(['ETH'])), undefined);
  assert.equal(await checked(kalshi({}), answering(GOOD)), undefined);
});

test('kalshi venue: what is not its list changes nothing', async () => {
  const wrongly = await taken(venue, GOOD, DAILY, [
    answer('KXBTC'),
    { events: null },
    { events: ['KXBTCD'] },
    { events: [{ series_ticker: 9 }] },
    { error: { code: 'not_found' } },
    [],
  ]);
  assert.deepEqual(wrongly, []);
});
