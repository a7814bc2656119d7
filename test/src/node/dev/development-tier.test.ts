import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { startDevelopmentChain, type StartedChain } from '@assay/chain/development/server';
import {
  developmentTier,
  type DevelopmentTier,
  tierAccounts,
} from '@assay/node/dev/development-tier';
import { dataFolder } from '@assay/node/platform/data-folder';
import { SKIP, TestClock } from '../../chain/development/world.ts';

async function open(
  t: TestContext,
  root: string,
): Promise<{ readonly tier: DevelopmentTier; readonly chain: StartedChain }> {
  const chain = await startDevelopmentChain({
    port: 0,
    now: new TestClock().now,
    accounts: await tierAccounts(),
  });
  t.after(() => chain.close());
  const tier = await developmentTier({
    folder: dataFolder(root),
    chain,
    origin: 'http://127.0.0.1:8787',
    log: pino({ level: 'silent' }),
  });
  t.after(() => tier.close());
  return { tier, chain };
}

test(
  'development tier: it is open on its chain, with a facilitator that can pay fees',
  { skip: SKIP },
  async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'tier-'));
    t.after(() => rm(root, { recursive: true }));
    const { tier, chain } = await open(t, root);
    const { terms, key, store } = tier.tier;
    assert.equal(terms.isDevelopment, true);
    assert.deepEqual(Object.keys(terms.prices).sort(), [
      '/board/at',
      '/history/:symbol',
      '/receipts/full',
    ]);
    const supported = (await (await fetch(`${tier.facilitator}/supported`)).json()) as {
      readonly kinds: readonly { readonly network: string; readonly extra: { feePayer: string } }[];
    };
    const kind = supported.kinds.find(({ network }) => network === terms.network);
    assert.ok(kind);
    assert.ok(chain.ledger.balance(kind.extra.feePayer as never) > 0n);
    await store.close();
    const again = await open(t, root);
    assert.deepEqual(again.tier.tier.key.publicKey, key.publicKey, 'the key stays');
    await again.tier.tier.store.close();
  },
);
