import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketEvent } from '../../core/terminal/terminal-log.ts';
import { terminalWorld } from './terminal-world.ts';

/** Keys of what a vendor gave: none of them stands in a free answer. */
const FORBIDDEN =
  /^(price|price_.*|.*_price|open_price|volume|volume_.*|vol_24h|market_cap|mcap|cap|fdv|spark|price_spark|sparkline|open_interest|funding|funding_rate|derivatives|high_24h|low_24h)$/;

/** Digits from which on a number is taken for a vendor's, wherever it stands. */
const DIGITS = 6;

function* keysOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (!Array.isArray(value)) yield key;
    yield* keysOf(each);
  }
}

/** Every number of a text, without its point. */
function numbersOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => digits(number)));
}

function digits(number: string): string {
  return number.replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
}

test('vendor values: no free answer of a filled log has a key or a number of a vendor', async (t) => {
  const world = await terminalWorld(t, 'node', 9);
  const { newest } = world.market;
  for (const symbol of ['BTC', 'ETH', 'SOL']) {
    world.readings.set(symbol, { ts: newest, move: 842, volMult: 315 });
  }
  const vendor = new Set(
    world.market.values.flatMap(({ price, volume_24h: volume, sources }) =>
      [price, volume, ...sources.flatMap((each) => [each.price, each.volume_24h])].flatMap((text) =>
        text !== null && digits(text).length >= DIGITS ? [digits(text)] : [],
      ),
    ),
  );
  assert.ok(vendor.size > 2000, `${vendor.size} values`);
  const proof = `event_id=${marketEvent('ETH', 8)}`;
  const targets = [
    '/board',
    ...['BTC', 'ETH', 'HID', 'SOL'].flatMap((symbol) => [
      `/asset/${symbol}`,
      `/base-rate/${symbol}`,
    ]),
    '/receipts',
    '/receipts?limit=100',
    '/receipts/dataset?limit=5000',
    '/receipts/dataset?limit=5000&format=csv',
    ...['open', '24h', '7d', '30d'].map((horizon) => `/receipts/proof?${proof}&horizon=${horizon}`),
    '/changelog',
    '/status',
    '/indices',
    '/anchors',
  ];
  let numbers = 0;
  for (const target of targets) {
    const { text, header } = await world.ask(target);
    const csv = header('content-type')?.startsWith('text/csv') === true;
    const keys = csv ? (text.split('\n')[0] ?? '').split(',') : [...keysOf(JSON.parse(text))];
    assert.deepEqual(
      keys.filter((key) => FORBIDDEN.test(key)),
      [],
      target,
    );
    for (const number of numbersOf(text)) {
      numbers += 1;
      assert.ok(!vendor.has(number), `${target}: ${number}`);
    }
  }
  assert.ok(numbers > 100, `${numbers} numbers`);
});

test('vendor values: the search finds what it is for', () => {
  assert.deepEqual([...numbersOf('{"a":68012.01,"b":"0.00123400"}')], ['6801201', '1234']);
  assert.deepEqual(
    [...keysOf({ assets: [{ price: 1, scores_30d: [] }] })].filter((key) => FORBIDDEN.test(key)),
    ['price'],
  );
});
