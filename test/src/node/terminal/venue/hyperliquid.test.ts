import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hyperliquid } from '@assay/node/terminal/venue/hyperliquid';
import { answering, checked, listed, taken } from './venue-fixture.ts';

const META = '"meta"';
const SPOT = '"spotMeta"';

const token = (name: string, index: number, isCanonical = true): object => ({
  name,
  szDecimals: 2,
  weiDecimals: 8,
  index,
  tokenId: '0x00',
  isCanonical,
  evmContract: null,
});

const TOKENS = [
  token('USDC', 0),
  token('DOGE', 7),
  token('UBTC', 9),
  token('ETH', 12, false),
  token('EURO', 13),
];
const PAIRS = [
  { name: '@1', tokens: [7, 0], index: 1, isCanonical: false },
  { name: '@2', tokens: [9, 0], index: 2, isCanonical: false },
  { name: '@3', tokens: [12, 0], index: 3, isCanonical: false },
  { name: '@4', tokens: [7, 13], index: 4, isCanonical: false },
];

const GOOD = {
  [META]: {
    universe: [
      { name: 'BTC', szDecimals: 5, maxLeverage: 40 },
      { name: 'ETH', szDecimals: 4, maxLeverage: 25, isDelisted: true },
      { name: 'kDOGE', szDecimals: 0, maxLeverage: 10 },
    ],
  },
  [SPOT]: { tokens: TOKENS, universe: PAIRS },
};

test('hyperliquid venue: perpetuals and canonical tokens, with plain links', async () => {
  const source = answering(GOOD);
  const kept = await checked(hyperliquid, source);
  assert.equal(kept?.note, null);
  assert.deepEqual(kept?.offers, [
    { kind: 'perpetuals', symbol: 'BTC', url: 'https://app.hyperliquid.xyz/trade/BTC' },
    { kind: 'spot', symbol: 'DOGE', url: 'https://app.hyperliquid.xyz/trade/DOGE/USDC' },
  ]);
  assert.deepEqual(
    source.asked.map(({ method, url, body }) => [method, url, body]),
    [
      ['POST', 'https://api.hyperliquid.xyz/info', '{"type":"meta"}'],
      ['POST', 'https://api.hyperliquid.xyz/info', '{"type":"spotMeta"}'],
    ],
  );
  assert.equal(await checked(hyperliquid, answering(GOOD), listed([])), undefined);
});

test('hyperliquid venue: what is not its list changes nothing', async () => {
  const [usdc, doge] = TOKENS;
  const [pair] = PAIRS;
  const lists: readonly (readonly [string, readonly unknown[]])[] = [
    [
      META,
      [
        null,
        { universe: {} },
        { universe: [{ name: 'BTC' }, { name: 'BTC' }] },
        { universe: [{ name: 'BTC', isDelisted: 0 }] },
      ],
    ],
    [
      SPOT,
      [
        { tokens: TOKENS },
        { tokens: [usdc, token('DOGE', 0)], universe: PAIRS },
        { tokens: [usdc, { ...doge, index: 1.5 }], universe: PAIRS },
        { tokens: [usdc, { ...doge, isCanonical: 'true' }], universe: PAIRS },
        { tokens: TOKENS, universe: [pair, pair] },
        { tokens: TOKENS, universe: [{ ...pair, tokens: [7] }] },
        { tokens: TOKENS, universe: [{ ...pair, tokens: [7, '0'] }] },
        { tokens: TOKENS, universe: [{ ...pair, tokens: 7 }] },
      ],
    ],
  ];
  for (const [part, hostile] of lists) {
    assert.deepEqual(await taken(hyperliquid, GOOD, part, hostile), []);
  }
});
