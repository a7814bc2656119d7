import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '@assay/node/production/config';
import { VENUE_IDS } from '@assay/node/terminal/venue/venue';
import { venuesOf } from '@assay/node/terminal/venue/venue-config';

const parse = (venues: unknown) =>
  parseConfig(
    { data: 'd', contact: 'a@example.org', terminal: { assets: 'assets.json', venues } },
    {},
    '/',
  ).terminal?.venues;

test('venue config: nothing is checked without, and the defaults', () => {
  assert.equal(parse(null), null);
  assert.equal(parse(undefined), null);
  const least = parse({});
  assert.deepEqual(least, { not_us: ['binance', 'bybit'], kalshi: {}, polymarket: {} });
  assert.deepEqual(
    venuesOf({ not_us: [], kalshi: {}, polymarket: {} }).map(({ id }) => id),
    VENUE_IDS,
  );
});

test('venue config: what does not fit is refused', () => {
  const good = { kalshi: { BTC: ['KXBTC'] }, polymarket: { BTC: ['up-or-down'] }, not_us: [] };
  assert.deepEqual(parse(good), good);
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`A${i}`, ['X']]));
  for (const wrong of [
    { not_us: ['nowhere'] },
    { kalshi: { btc: ['KXBTC'] } },
    { kalshi: { BTC: ['kxbtc'] } },
    { kalshi: { BTC: ['KXBTC&limit=1000'] } },
    { kalshi: { BTC: ['KXBTC', 'KXBTC'] } },
    { kalshi: { BTC: Array.from({ length: 9 }, (_, i) => `K${i}`) } },
    { kalshi: many },
    { polymarket: { BTC: ['a/b'] } },
    { polymarket: { BTC: 'a' } },
    { binance: {} },
  ]) {
    assert.throws(() => parse(wrong), { code: 'bad_config' }, JSON.stringify(wrong));
  }
});
