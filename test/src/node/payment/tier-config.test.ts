import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { configuredTerms, keyId } from '@assay/node/payment/open-tier';
import { parseConfig } from '@assay/node/production/config';
import type { TierConfig } from '@assay/node/payment/tier-config';

const TIER = {
  prices: { '/history/{symbol}': '10000', '/receipts/full': '50000' },
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  pay_to: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
  facilitator: 'https://facilitator.example/x402/',
  origin: 'https://assay.example:8443',
  rpc: 'https://solana.example/?key=1',
};

function tierOf(change: object = {}): TierConfig {
  const value = { data: 'd', contact: 'a@example.org', tier: { ...TIER, ...change } };
  const { tier } = parseConfig(value, {}, '/base');
  assert.ok(tier);
  return tier;
}

test('tier config: the least one, with every default', () => {
  assert.deepEqual(tierOf(), {
    ...TIER,
    facilitator: 'https://facilitator.example/x402',
    facilitator_token: null,
    facilitator_timeout_s: 20,
    valid_s: 60,
    trusted_amount: '0',
    confirm_timeout_s: 15,
    answer_kept_s: 86_400,
    reconcile_s: 30,
    shown_sources: [],
  });
});

test('tier config: terms are by the pattern of a path, and what has no price is not sold', () => {
  const { prices, payTo, isDevelopment } = configuredTerms(tierOf(), false);
  assert.deepEqual(prices, { '/history/:symbol': '10000', '/receipts/full': '50000' });
  assert.equal(payTo, TIER.pay_to);
  assert.equal(isDevelopment, false);
  assert.equal(keyId('https://assay.example:8443'), 'did:web:assay.example%3A8443#x402');
  assert.equal(keyId('https://assay.example'), 'did:web:assay.example#x402');
});

test('tier config: what money depends on is not guessed', () => {
  for (const [field, value] of [
    ['prices', undefined],
    ['prices', { '/board/at': 10_000 }],
    ['prices', { '/board/at': '0' }],
    ['prices', { '/board/at': '01' }],
    ['prices', { '/board/at': '0.01' }],
    ['prices', { '/board/at': '-1' }],
    ['prices', { '/board': '1' }],
    ['network', 'eip155:8453'],
    ['network', 'solana'],
    ['asset', 'USDC'],
    ['pay_to', '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF'],
    ['facilitator', 'ftp://facilitator.example'],
    ['facilitator', 'https://user:secret@facilitator.example'],
    ['facilitator_token', 'the token itself'],
    ['origin', 'https://assay.example/v1'],
    ['origin', 'assay.example'],
    ['origin', `https://${'a'.repeat(61)}.example.org`],
    ['rpc', undefined],
    ['trusted_amount', 5],
    ['trusted_amount', '1e6'],
    ['valid_s', 5],
    ['answer_kept_s', 60],
    ['shown_sources', ['CoinGecko!']],
    ['currency', 'USD'],
  ] as const) {
    assert.throws(
      () => tierOf({ [field]: value }),
      (error) =>
        error instanceof Fault &&
        error.code === 'bad_config' &&
        (error.at ?? '').startsWith('tier') &&
        !error.message.includes('secret'),
      `${field}: ${JSON.stringify(value)}`,
    );
  }
});
