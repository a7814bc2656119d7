import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { judgeTick } from '@assay/core/terminal/score/good';
import type { Source } from '@assay/node/source/source';
import { coinGecko } from '@assay/node/terminal/vendor/coingecko';
import { never, NO_ANSWERS, vendor } from '../vendor-fixture.ts';

const TS = parseTime('2026-10-10T12:00:00Z');
const NAMES = { BTC: 'bitcoin', PEPE: 'pepe' };

/** A row as the vendor writes it, made up. */
const row = (id: string, price: string, stamp = '"2026-10-10T12:00:03.123Z"'): string =>
  `{"id":"${id}","symbol":"x","name":"X","current_price":${price},"market_cap":1,"market_cap_rank":1,` +
  `"total_volume":1234567890,"high_24h":1,"low_24h":1,"price_change_percentage_24h":-1.2,` +
  `"last_updated":${stamp},"price_change_percentage_1h_in_currency":null}`;

test('coingecko: prices as they are written, by the ids that are configured', async () => {
  const source = vendor(`[${row('pepe', '8.73e-06')},${row('bitcoin', '68000.10')}]`);
  const reads = await coinGecko({ source, names: NAMES }).read(TS, ['BTC', 'ETH', 'PEPE'], never);
  assert.deepEqual(
    reads.map(({ symbol, said, reason }) => [symbol, said.price, said.volume_24h, reason]),
    [
      ['BTC', '68000.10', '1234567890', null],
      ['PEPE', '0.00000873', '1234567890', null],
    ],
  );
  assert.equal(reads[0]?.said.stamped_at, '2026-10-10T12:00:03Z');
  const [request] = source.asked;
  assert.equal(source.asked.length, 1);
  assert.match(request?.url ?? '', /^https:\/\/api\.coingecko\.com\/api\/v3\/coins\/markets\?/);
  assert.match(request?.url ?? '', /vs_currency=usd&per_page=250&page=1&ids=bitcoin,pepe$/);
  assert.deepEqual(request?.headers, []);
});

test('coingecko: 250 coins a request, and a key in a header by name alone', async () => {
  const names = Object.fromEntries(Array.from({ length: 251 }, (_, i) => [`A${i}`, `coin-${i}`]));
  const source = vendor('[]');
  const key = { plan: 'pro', secret: 'COINGECKO' } as const;
  const reads = await coinGecko({ source, names, key }).read(TS, Object.keys(names), never);
  assert.equal(reads.length, 251);
  assert.ok(reads.every(({ said, reason }) => said.price === null && reason !== null));
  assert.deepEqual(
    source.asked.map(({ url }) => url.split('ids=')[1]?.split(',').length),
    [250, 1],
  );
  for (const { url, headers } of source.asked) {
    assert.match(url, /^https:\/\/pro-api\./);
    assert.deepEqual(headers, [{ name: 'x-cg-pro-api-key', value: '{secret:COINGECKO}' }]);
  }
});

test('coingecko: whatever it answers, it is a price or a reason', async () => {
  const rows: readonly (readonly [string, string])[] = [
    [row('bitcoin', 'null'), 'no price'],
    [row('bitcoin', '-1'), 'no price'],
    [row('bitcoin', '0'), 'no price'],
    [row('bitcoin', '1e300'), 'no price'],
    [row('bitcoin', '9'.repeat(300)), 'no price'],
    [row('bitcoin', '"<b>"'), 'no price'],
    [row('bitcoin', '5', 'null'), 'no time of the price'],
    [row('bitcoin', '5', '"yesterday"'), 'no time of the price'],
    [row('other', '5'), 'not in the answer, or twice'],
    [`${row('bitcoin', '5')},${row('bitcoin', '6')}`, 'not in the answer, or twice'],
    ['null,7,"x",[]', 'not in the answer, or twice'],
  ];
  for (const [text, reason] of rows) {
    const names = { BTC: 'bitcoin' };
    const reads = await coinGecko({ source: vendor(`[${text}]`), names }).read(TS, ['BTC'], never);
    assert.deepEqual(
      reads.map((each) => [each.said.price, each.said.stamped_at, each.reason]),
      [[null, null, reason]],
    );
  }
  for (const [answer, reason] of NO_ANSWERS) {
    const source = vendor(() => answer);
    const reads = await coinGecko({ source, names: NAMES }).read(TS, ['BTC', 'PEPE'], never);
    assert.deepEqual(
      reads.map((each) => [each.symbol, each.said.price, each.reason]),
      [
        ['BTC', null, reason],
        ['PEPE', null, reason],
      ],
    );
  }
});

test('coingecko: a volume that cannot be read leaves the price', async () => {
  const text = row('bitcoin', '5').replace('1234567890', '-3');
  const reads = await coinGecko({ source: vendor(`[${text}]`), names: NAMES }).read(
    TS,
    ['BTC'],
    never,
  );
  assert.deepEqual([reads[0]?.said.price, reads[0]?.said.volume_24h], ['5', null]);
});

test('coingecko: a price of another time stays what it is, and is not good', async () => {
  const rule = { ...CRYPTO_RULE.sources, required: 1 };
  const good = async (stamp: string): Promise<boolean> => {
    const source = vendor(`[${row('bitcoin', '5', stamp)}]`);
    const [read] = await coinGecko({ source, names: NAMES }).read(TS, ['BTC'], never);
    assert.ok(read !== undefined && read.said.price === '5');
    const input = { price: '5', volume24h: null, sources: [read.said] };
    return judgeTick(rule, TS, 2, input) !== undefined;
  };
  assert.equal(await good('"2026-10-10T11:40:00.999Z"'), true);
  assert.equal(await good('"2026-10-10T11:39:59.999Z"'), false);
  assert.equal(await good('"2026-10-11T12:00:00Z"'), false);
});

test('coingecko: who gives up has what was answered before', async () => {
  const controller = new AbortController();
  const names = Object.fromEntries(Array.from({ length: 251 }, (_, i) => [`A${i}`, `a${i}`]));
  const first = vendor(`[${row('a7', '5')}]`);
  const source: Source = {
    read(request, { signal } = {}) {
      if (!request.url.includes('ids=a250')) return first.read(request);
      setTimeout(() => controller.abort(new Error('enough')), 5);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  };
  const reads = await coinGecko({ source, names }).read(TS, Object.keys(names), controller.signal);
  assert.equal(reads.length, 251);
  assert.deepEqual(
    reads.flatMap(({ symbol, said }) => (said.price === null ? [] : [symbol])),
    ['A7'],
  );
  const [after] = await coinGecko({ source, names: NAMES }).read(TS, ['BTC'], controller.signal);
  assert.equal(after?.reason, 'timeout');
});
