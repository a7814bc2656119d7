import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { binance } from '@assay/node/terminal/vendor/binance';
import { never, NO_ANSWERS, page, vendor } from '../vendor-fixture.ts';

const TS = parseTime('2026-10-09T21:30:00Z');
const NAMES = { BTC: 'BTCUSDT', ETH: 'ETHUSDT' };

/** A row as the exchange writes it, made up. */
const row = (pair: string, price: string, closes = '1791586400000'): string =>
  `{"symbol":"${pair}","priceChange":"-94.99","priceChangePercent":"-0.139","weightedAvgPrice":"1",` +
  `"lastPrice":${price},"openPrice":"1","volume":"8913.30000000","quoteVolume":"15.30000000",` +
  `"openTime":1791500000000,"closeTime":${closes},"firstId":1,"lastId":2,"count":3}`;

test('binance: strings stay as they are, and pairs are asked for by name', async () => {
  const source = vendor(`[${row('BTCUSDT', '"68012.01000000"')}]`);
  const reads = await binance({ source, names: NAMES }).read(TS, ['BTC', 'DOGE'], never);
  const said = {
    provider: 'binance',
    price: '68012.01000000',
    volume_24h: '15.30000000',
    stamped_at: '2026-10-09T22:53:20Z',
  };
  assert.deepEqual(reads, [{ symbol: 'BTC', said, reason: null }]);
  assert.deepEqual(
    source.asked.map(({ url }) => url),
    ['https://data-api.binance.vision/api/v3/ticker/24hr?symbols=%5B%22BTCUSDT%22%5D'],
  );
});

test('binance: a hundred pairs a request; one that is refused leaves the others', async () => {
  const names = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`A${i}`, `A${i}USDT`]));
  const source = vendor(({ url }) =>
    url.includes('A100USDT')
      ? `[${row('A100USDT', '"2.5"')}]`
      : { kind: 'failed', reason: 'unreachable', detail: '' },
  );
  const reads = await binance({ source, names }).read(TS, Object.keys(names), never);
  assert.equal(source.asked.length, 2);
  assert.equal(reads.length, 101);
  assert.deepEqual(
    reads.filter(({ reason }) => reason === null).map(({ symbol }) => symbol),
    ['A100'],
  );
  assert.ok(reads.slice(0, 100).every(({ reason }) => reason === 'unreachable'));
});

test('binance: whatever it answers, it is a price or a reason', async () => {
  const rows: readonly (readonly [string, string])[] = [
    [row('BTCUSDT', '"-1.0"'), 'no price'],
    [row('BTCUSDT', '"1e5"'), 'no price'],
    [row('BTCUSDT', '"0.00000000"'), 'no price'],
    [row('BTCUSDT', 'null'), 'no price'],
    [row('BTCUSDT', `"${'9'.repeat(65)}"`), 'no price'],
    [row('BTCUSDT', '"5"', '"soon"'), 'no time of the price'],
    [row('BTCUSDT', '"5"', '5'), 'no time of the price'],
    [row('XUSDT', '"5"'), 'not in the answer, or twice'],
  ];
  for (const [text, reason] of rows) {
    const reads = await binance({ source: vendor(`[${text}]`), names: NAMES }).read(
      TS,
      ['BTC'],
      never,
    );
    assert.deepEqual(
      reads.map((each) => [each.said.price, each.reason]),
      [[null, reason]],
    );
  }
  for (const [answer, reason] of NO_ANSWERS) {
    const reads = await binance({ source: vendor(() => answer), names: NAMES }).read(
      TS,
      ['ETH'],
      never,
    );
    assert.deepEqual(
      reads.map((each) => [each.said.price, each.reason]),
      [[null, reason]],
    );
  }
});

test('binance: a pair that is not there any more costs itself alone', async () => {
  const names = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`A${i}`, `A${i}USDT`]));
  const source = vendor(({ url }) => {
    const pairs = JSON.parse(new URL(url).searchParams.get('symbols') ?? '[]') as string[];
    if (pairs.includes('A7USDT')) return page('{"code":-1121,"msg":"Invalid symbol."}', 400);
    return `[${pairs.map((pair) => row(pair, '"2.5"')).join(',')}]`;
  });
  const reader = binance({ source, names });
  for (const requests of [undefined, 2]) {
    source.asked.length = 0;
    const reads = await reader.read(TS, Object.keys(names), never);
    assert.deepEqual(
      reads.flatMap(({ symbol, reason }) => (reason === null ? [] : [[symbol, reason]])),
      [['A7', 'refused alone']],
    );
    assert.equal(reads.length, 100);
    assert.ok(source.asked.length <= (requests ?? 20), `${source.asked.length} requests`);
  }
});
