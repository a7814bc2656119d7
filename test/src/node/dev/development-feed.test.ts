import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { httpRpc, chainId } from '@assay/chain/client/rpc';
import { finalOf } from '@assay/chain/venue';
import { cosignersAt } from '@assay/core/view/cosigner-sets';
import { logRow } from '@assay/core/view/log';
import { onchainBack } from '@assay/core/view/onchain';
import { reportsOf } from '@assay/core/view/reports';
import type { Ticker } from '@assay/core/rule/ticker';
import { toDate } from '@assay/core/time/time';
import { type RunningDemo, startDemo } from '@assay/node/dev/demo';
import { developmentFeed, developmentOnchain } from '@assay/node/dev/development-feed';
import { makeLogger } from '@assay/node/production/logger';
import { SKIP } from '../../chain/development/world.ts';

const WEEK = '2026-07-25';

test(
  'development feed: a week of the demo can be settled on, and a restart posts nothing again',
  { skip: SKIP },
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'assay-test-'));
    const start = (): Promise<RunningDemo> =>
      startDemo({
        data: join(data, 'log'),
        environment: { ASSAY_PORT: '0' },
        log: makeLogger('silent'),
        weekSeconds: 3600,
        indices: ['LAYOFFS'],
      });
    try {
      const demo = await start();
      let slots: readonly number[];
      let id: string | null | undefined;
      try {
        const { shown } = demo.ledger;
        id = logRow(shown)?.chain;
        const set = cosignersAt(shown, Number.MAX_SAFE_INTEGER);
        const report = reportsOf(shown, 'LAYOFFS' as Ticker, toDate(WEEK)).findLast(
          (each) => each.report.status === 'final',
        );
        assert.ok(demo.chain !== null && set !== undefined && report !== undefined);
        const rpc = httpRpc(demo.chain.rpc, { timeoutMs: 5000 });
        assert.equal(await chainId(rpc), id);
        const final = await finalOf(rpc, {
          program: demo.chain.program as never,
          publisher: demo.chain.publisher,
          ticker: 'LAYOFFS',
          period: WEEK,
          ruleHash: report.report.rule.hash,
          cosigners: set.cosigners.map(({ key }) => key),
          required: 2,
          maxAge: 30 * 86_400,
          now: Date.parse(report.report.published_at) / 1000,
        } as never);
        assert.equal(String(final.value), report.report.value);
        slots = [...onchainBack(shown)].map(({ slot }) => slot);
        assert.ok(slots.length >= 2);
      } finally {
        await demo.close();
      }
      const again = await start();
      try {
        const { shown } = again.ledger;
        const kept = [...onchainBack(shown)].map(({ slot }) => slot);
        assert.deepEqual(kept.slice(-slots.length), slots);
        assert.ok(again.chain !== null);
        assert.equal(await chainId(httpRpc(again.chain.rpc, { timeoutMs: 5000 })), id);
        const status = (await (await fetch(`http://127.0.0.1:${again.port}/status`)).json()) as {
          reasons: readonly string[];
          feeds: { chain: string; newest_posted: { ticker: string } };
        };
        assert.deepEqual(status.reasons, []);
        assert.equal(status.feeds.chain, id);
        assert.equal(status.feeds.newest_posted.ticker, 'LAYOFFS');
      } finally {
        await again.close();
      }
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  },
);

test('development feed: without a payer there is none', { skip: SKIP }, async () => {
  assert.match((await developmentOnchain(1_700_000_000))?.chain ?? '', /^solana:\w{32}$/);
  const folder = { root: '/nowhere', keys: '/nowhere/keys', outgoing: '/nowhere/o' } as never;
  const world = { folder, now: () => 0, speed: 1, port: 0, everyMs: 100, behindAfterS: 1 };
  await assert.rejects(developmentFeed(world), { code: 'key_missing' });
});
