import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { parseConfig } from '@assay/node/production/config';
import { feedWorld } from '@assay/node/production/feed-config';
import { testSigner } from '../ledger/ledger-fixture.ts';

const LEAST = { data: 'd', contact: 'a@example.org' };
const PLACES = {
  chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  outgoing: '/nowhere/outgoing.json',
  payer: () => Promise.resolve(testSigner(1)),
};

test('feed config: without an RPC nothing is posted, and no payer is asked for', async () => {
  const payer = (): never => {
    throw new TypeError('nobody pays');
  };
  assert.equal(await feedWorld(parseConfig(LEAST, {}, '/'), { ...PLACES, payer }), undefined);
});

test('feed config: what it may cost', async () => {
  const config = parseConfig(
    { ...LEAST, solana_priority_cap: 5, solana_daily_lamports: 7, solana_compare_s: 60 },
    { ASSAY_SOLANA_RPC: 'https://rpc.example/?api-key=k' },
    '/',
  );
  const feed = await feedWorld(config, PLACES);
  assert.equal(feed?.limits.sender.cap, 5n);
  assert.equal(feed.limits.dailyLamports, 7n);
  assert.equal(feed.limits.compareEveryS, 60);
  assert.equal(feed.limits.behindAfterS, 1800);
  const stop = new AbortController();
  const sleeping = feed.sleep(60_000, stop.signal);
  stop.abort();
  await assert.rejects(sleeping, { name: 'AbortError' });
});

test('feed config: a log without a chain, a missing payer, and an address with a password', async () => {
  const config = parseConfig({ ...LEAST, solana_rpc: 'https://rpc.example' }, {}, '/');
  await assert.rejects(feedWorld(config, { ...PLACES, chain: null }), {
    code: 'bad_config',
    at: 'solana_rpc',
  });
  const payer = (): Promise<never> => Promise.reject(new Fault('key_missing', 'key file'));
  await assert.rejects(feedWorld(config, { ...PLACES, payer }), { code: 'key_missing' });
  for (const solana_rpc of ['https://user:word@rpc.example', 'ftp://rpc.example', '']) {
    assert.throws(() => parseConfig({ ...LEAST, solana_rpc }, {}, '/'), { code: 'bad_config' });
  }
});
