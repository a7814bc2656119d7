import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { tiingo } from '@assay/node/terminal/vendor/tiingo';
import { never, NO_ANSWERS, vendor } from '../vendor-fixture.ts';

const TS = parseTime('2026-10-08T15:00:00Z');
const NAMES = { SPY: 'SPY', BRKB: 'BRK-B' };

/** A row as the vendor writes it, made up. */
const row = (
  ticker: string,
  price: string,
  stamp = '"2026-10-08T10:59:58.186520297-04:00"',
): string =>
  `{"ticker":"${ticker}","timestamp":${stamp},"quoteTimestamp":null,"lastSaleTimeStamp":null,` +
  `"last":null,"lastSize":null,"tngoLast":${price},"prevClose":1,"open":1,"high":1,"low":1,` +
  `"mid":null,"volume":5000,"bidSize":null,"bidPrice":null,"askSize":null,"askPrice":null}`;

test('tiingo: the newest price, without a volume; the token stays a name', async () => {
  const source = vendor(`[${row('BRK-B', '480.120')},${row('SPY', '671.5')}]`);
  const reads = await tiingo({ source, names: NAMES, token: 'TIINGO' }).read(
    TS,
    ['BRKB', 'SPY'],
    never,
  );
  assert.deepEqual(
    reads.map(({ symbol, said }) => [symbol, said.price, said.volume_24h, said.stamped_at]),
    [
      ['BRKB', '480.120', null, '2026-10-08T14:59:58Z'],
      ['SPY', '671.5', null, '2026-10-08T14:59:58Z'],
    ],
  );
  const [request] = source.asked;
  assert.equal(request?.url, 'https://api.tiingo.com/iex/?tickers=BRK-B,SPY');
  assert.deepEqual(request?.headers, [{ name: 'authorization', value: 'Token {secret:TIINGO}' }]);
});

test('tiingo: whatever it answers, it is a price or a reason', async () => {
  const rows: readonly (readonly [string, string])[] = [
    [row('SPY', 'null'), 'no price'],
    [row('SPY', '-3'), 'no price'],
    [row('SPY', '1e99'), 'no price'],
    [row('SPY', '3', '"10:59"'), 'no time of the price'],
    [row('spx', '3'), 'not in the answer, or twice'],
  ];
  const read = (source: ReturnType<typeof vendor>) =>
    tiingo({ source, names: NAMES, token: 'TIINGO' }).read(TS, ['SPY'], never);
  for (const [text, reason] of rows) {
    const reads = await read(vendor(`[${text}]`));
    assert.deepEqual(
      reads.map((each) => [each.said.price, each.reason]),
      [[null, reason]],
    );
  }
  for (const [answer, reason] of NO_ANSWERS) {
    const reads = await read(vendor(() => answer));
    assert.deepEqual(
      reads.map((each) => [each.said.price, each.reason]),
      [[null, reason]],
    );
  }
});
