import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeTick } from '@assay/core/terminal/score/good';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { marketSources } from '@assay/node/dev/market/market-source';
import {
  MARKET_FROM,
  SYNTHETIC_ASSETS,
  SyntheticMarket,
} from '@assay/node/dev/market/synthetic-market';

test('market source: two vendors that differ, and agree as the rule wants', async () => {
  const sources = marketSources(new SyntheticMarket());
  assert.equal(new Set(sources.map(({ provider }) => provider)).size, CRYPTO_RULE.sources.required);
  const { signal } = new AbortController();
  const ts = MARKET_FROM + 900;
  for (const { symbol, decimals } of SYNTHETIC_ASSETS) {
    const reads = await Promise.all(sources.map(({ read }) => read(ts, [symbol], signal)));
    const said = reads.flat().map((read) => read.said);
    const [first, second] = said;
    assert.ok(first !== undefined && second !== undefined && first.price !== second.price, symbol);
    const input = { price: first.price, volume24h: first.volume_24h, sources: said };
    const reading = judgeTick(CRYPTO_RULE.sources, ts, decimals, input);
    assert.equal(reading?.price, Number(first.price?.replace('.', '')), symbol);
  }
});

test('market source: a reason for what is not in the market, and nothing once it is aborted', async () => {
  const [source] = marketSources(new SyntheticMarket());
  assert.ok(source !== undefined);
  const controller = new AbortController();
  const [read] = await source.read(MARKET_FROM, ['ETH'], controller.signal);
  assert.deepEqual([read?.said.price, read?.reason], [null, 'not in this market']);
  controller.abort(new Error('over'));
  await assert.rejects(source.read(MARKET_FROM, ['BTC'], controller.signal), /over/);
});
