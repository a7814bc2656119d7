import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { Fault } from '@assay/core/fault';
import { parseConfig } from '@assay/node/production/config';
import { configuredTier } from '@assay/node/production/configured-tier';

const TIER = {
  prices: { '/board/at': '10000' },
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  pay_to: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
  facilitator: 'http://127.0.0.1:1',
  facilitator_token: 'SHOP',
  origin: 'https://assay.example',
  rpc: 'http://127.0.0.1:1',
};
const log = pino({ level: 'silent' });
const PRODUCTION = { network: 'production' } as const;
const SECRET = { ASSAY_SECRET_SHOP: 'token' };

test('configured tier: closed without a section, and open while nothing else answers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tier-'));
  t.after(() => rm(folder, { recursive: true }));
  const base = { data: folder, contact: 'a@example.org' };
  const closed = parseConfig(base, {}, folder);
  assert.equal(await configuredTier(closed, {}, PRODUCTION, log), undefined);
  const config = parseConfig({ ...base, tier: TIER }, {}, folder);
  const tier = await configuredTier(config, SECRET, PRODUCTION, log);
  assert.equal(tier?.terms.isDevelopment, false);
  assert.equal(tier.key.kid, 'did:web:assay.example#x402');
  await tier.store.close();
  const file = await readFile(join(folder, 'keys', 'payment.json'), 'utf8');
  assert.ok(file.includes(Buffer.from(tier.key.publicKey).toString('hex')));
  const again = await configuredTier(config, SECRET, PRODUCTION, log);
  assert.deepEqual(again?.key.publicKey, tier.key.publicKey, 'the key stays');
  await again.store.close();
});

test('configured tier: a development log sells for no money, and a token that is missing is said', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tier-'));
  t.after(() => rm(folder, { recursive: true }));
  const config = parseConfig({ data: folder, contact: 'a@example.org', tier: TIER }, {}, folder);
  const isAt = (at: string) => (error: unknown) =>
    error instanceof Fault && error.code === 'bad_config' && error.at === at;
  await assert.rejects(
    configuredTier(config, SECRET, { network: 'development' }, log),
    isAt('tier.network'),
  );
  await assert.rejects(configuredTier(config, {}, PRODUCTION, log), isAt('ASSAY_SECRET_SHOP'));
});
