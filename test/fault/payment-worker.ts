// What sells answers, and what settles payments for them, each a process that is killed.
//
//     payment-worker.js shop FOLDER PORT RPC FACILITATOR SELLER   sells, until it is killed
//     payment-worker.js facilitator PORT RPC                      verifies and settles, until it is killed
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  DEVELOPMENT_ASSET,
  DEVELOPMENT_NETWORK,
} from '@assay/chain/development/payment/payment-accounts';
import { tierRoutes } from '@assay/node/api/tier-routes';
import { getPastBoard } from '@assay/node/api/operation/tier-operations';
import { startDevelopmentFacilitator } from '@assay/node/dev/development-facilitator';
import { nodeServer } from '@assay/node/http/node-server';
import { pipeline } from '@assay/node/http/pipeline';
import { whole } from '@assay/node/http/reply';
import { openTier } from '@assay/node/payment/open-tier';
import type { PaidResource } from '@assay/node/payment/paid-resource';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { tierField } from '@assay/node/payment/tier-config';
import { tierService } from '@assay/node/payment/tier-service';
import { makeLogger } from '@assay/node/production/logger';
import { ed25519Key } from '../src/node/payment/fixture/payment-world.ts';

const [mode, ...rest] = process.argv.slice(2);

/** Every answer is another, so that those that were served can be counted. */
const RESOURCE: PaidResource = {
  path: '/board/at',
  operation: getPastBoard,
  check: () => Promise.resolve(undefined),
  prepare: ({ query }) =>
    Promise.resolve({
      kind: 'paid',
      body: Buffer.from(JSON.stringify({ of: query, answer: randomUUID() })),
      contentType: 'application/json; charset=utf-8',
      leafHash: null,
      seq: null,
    }),
  sample: () => whole('application/json', '{}'),
};

async function shop(
  folder: string,
  port: number,
  rpc: string,
  facilitator: string,
  seller: string,
): Promise<void> {
  const config = tierField.parse({
    prices: { '/board/at': '10000' },
    network: DEVELOPMENT_NETWORK,
    asset: DEVELOPMENT_ASSET,
    pay_to: seller,
    facilitator,
    facilitator_timeout_s: 1,
    confirm_timeout_s: 1,
    reconcile_s: 1,
    origin: `http://127.0.0.1:${port}`,
    rpc,
  });
  const store = await PaymentStore.at(join(folder, 'payments'));
  const log = makeLogger('silent');
  const signer = ed25519Key('shop');
  const tier = await openTier({ config, store, signer, isDevelopment: true, log });
  const served = pipeline(tierRoutes(tier, [RESOURCE]), {
    requestId: () => '1',
    now: () => performance.now() / 1000,
    onError: (error) => writeSync(2, `${String(error)}\n`),
  });
  await nodeServer(served).listen({ host: '127.0.0.1', port });
  tierService(tier).start?.();
  writeSync(1, 'ready\n');
}

const [first = '', second = '', third = '', fourth = '', fifth = ''] = rest;
if (mode === 'shop') await shop(first, Number(second), third, fourth, fifth);
else {
  await startDevelopmentFacilitator({ rpcUrl: second, port: Number(first) });
  writeSync(1, 'ready\n');
}
