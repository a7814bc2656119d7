import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kalshiSite, polymarketSite } from '@assay/node/dev/site/markets-site';
import { NOT_FOUND } from '@assay/node/dev/site/site';
import { parseTime } from '@assay/core/time/time';
import { readAt, ruleOf, said } from '../network.ts';

test('markets site: the same for the same day, always', async () => {
  // Written down once: a demo that is started again must not change its past.
  const expected = ['kalshi-trades ok 16706053', 'polymarket-trades ok 11251239'];
  assert.deepEqual(await said('YESNO', 1, '2026-07-30', '2026-07-31T06:00:00Z'), expected);
  assert.deepEqual(await said('YESNO', 1, '2026-07-30', '2026-07-31T18:00:00Z'), expected);
  // After the deadline of the rule, too: what is read then counts for nothing, and must be readable.
  assert.deepEqual(await said('YESNO', 1, '2026-07-30', '2026-08-04T06:00:00Z'), expected);
});

test('markets site: pages by cursor, what takers paid on either side', async () => {
  const [kalshi, polymarket] = await readAt(
    ruleOf('YESNO', 1),
    '2026-07-30',
    '2026-07-31T06:00:00Z',
  );
  const trades = (kalshi?.pages ?? []).flatMap(
    ({ bytes }) => (JSON.parse(Buffer.from(bytes).toString()) as { trades: Trade[] }).trades,
  );
  assert.ok((kalshi?.pages.length ?? 0) > 1);
  let paid = 0;
  for (const trade of trades) {
    const { count_fp: count, yes_price_dollars: yes, no_price_dollars: no } = trade;
    assert.equal(Number(yes) + Number(no), 1);
    paid += Number(count) * Number(trade.taker_side === 'yes' ? yes : no);
  }
  assert.equal(`${Math.round(paid)}`, kalshi?.read.value);
  assert.equal(polymarket?.pages.length, 1);
});

interface Trade {
  readonly count_fp: string;
  readonly yes_price_dollars: string;
  readonly no_price_dollars: string;
  readonly taker_side: string;
}

test('markets site: no trade of the future, and no other page', () => {
  const now = parseTime('2026-07-30T12:00:00Z');
  const ask = (url: string): never => ({ url: `https://a.invalid${url}` }) as never;
  const { body } = polymarketSite(ask('/trades?limit=500&offset=0'), now);
  const rows = JSON.parse(String(body)) as { timestamp: number }[];
  assert.ok(rows.length > 0 && rows.every(({ timestamp }) => timestamp <= now));
  assert.equal(polymarketSite(ask('/positions'), now), NOT_FOUND);
  assert.equal(kalshiSite(ask('/trade-api/v2/events'), now), NOT_FOUND);
  const year = '/trade-api/v2/markets/trades?min_ts=0&max_ts=1785400000';
  assert.equal(kalshiSite(ask(year), now), NOT_FOUND);
});
