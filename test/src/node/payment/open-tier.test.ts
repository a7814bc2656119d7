// An open tier over HTTP, from its configuration to the last receipt, on a development chain.
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { nodeServer } from '@assay/node/http/node-server';
import { pipeline } from '@assay/node/http/pipeline';
import { openApiDocument } from '@assay/node/api/document/openapi';
import { tierRoutes } from '@assay/node/api/tier-routes';
import { openTier, type Tier } from '@assay/node/payment/open-tier';
import { discoveryRoutes, paymentInfo } from '@assay/node/payment/paid-routes';
import type { PaidResource } from '@assay/node/payment/paid-resource';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { tierField } from '@assay/node/payment/tier-config';
import { tierService } from '@assay/node/payment/tier-service';
import { whole } from '@assay/node/http/reply';
import { getPastBoard } from '@assay/node/api/operation/tier-operations';
import { SKIP } from '../../chain/development/world.ts';
import { openPaidChain, type PaidChain } from './fixture/paid-chain.ts';
import { ed25519Key } from './fixture/payment-world.ts';

const BOARD: PaidResource = {
  path: '/board/at',
  operation: getPastBoard,
  check: () => Promise.resolve(undefined),
  prepare: ({ query }) =>
    Promise.resolve({
      kind: 'paid',
      body: Buffer.from(JSON.stringify({ at: query })),
      contentType: 'application/json; charset=utf-8',
      leafHash: '00'.repeat(32),
      seq: 3,
    }),
  sample: () => whole('application/json', '{"sample":true}'),
};

const report = ed25519Key('report');

interface Shop {
  readonly tier: Tier;
  get(path: string, header?: string): Promise<Response>;
}

async function openShop(t: TestContext, chain: PaidChain, store: PaymentStore): Promise<Shop> {
  const config = tierField.parse({
    prices: { '/board/at': '10000' },
    network: chain.terms.network,
    asset: chain.terms.asset,
    pay_to: chain.terms.payTo,
    facilitator: chain.facilitatorUrl,
    origin: 'https://tier.example',
    rpc: chain.started.rpc,
    reconcile_s: 1,
  });
  const ignore = (): void => undefined;
  const log = { info: ignore, warn: ignore, error: ignore };
  const signer = ed25519Key('payment');
  const tier = await openTier({ config, store, signer, isDevelopment: true, log });
  const service = tierService(tier);
  service.start?.();
  let ids = 0;
  const routes = [
    ...tierRoutes(tier, [BOARD]),
    ...(await discoveryRoutes({ tier, log: 'abc', report })),
  ];
  const served = pipeline(routes, {
    requestId: () => String((ids += 1)),
    now: () => performance.now() / 1000,
    onError: (error) => assert.fail(String(error)),
  });
  const listening = await nodeServer(served).listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await listening.close();
    await service.stop?.();
  });
  return {
    tier,
    get: (path, header) =>
      fetch(`http://127.0.0.1:${listening.port}${path}`, {
        headers: header === undefined ? {} : { 'payment-signature': header },
      }),
  };
}

test('open tier: it sells what has a price, over HTTP', { skip: SKIP }, async (t) => {
  const chain = await openPaidChain();
  t.after(() => chain.close());
  const folder = await mkdtemp(join(tmpdir(), 'tier-'));
  t.after(() => rm(folder, { recursive: true }));
  const shop = await openShop(t, chain, await PaymentStore.at(folder));
  assert.equal((await shop.get('/history/ETH')).status, 503, 'it has no price');
  const unpaid = await shop.get('/v1/board/at?ts=1');
  assert.equal(unpaid.status, 402);
  const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  assert.deepEqual(await unpaid.json(), required);
  assert.equal(required.accepts[0]?.extra['environment'], 'development');
  assert.equal(required.resource.url, 'https://tier.example/board/at?ts=1');
  const header = await chain.sign(required, 'purchase-0000000001');
  const paid = await shop.get('/board/at?ts=1', header);
  assert.equal(paid.status, 200);
  assert.deepEqual(await paid.json(), { at: 'ts=1' });
  const response = decodePaymentResponseHeader(paid.headers.get('payment-response') ?? '');
  assert.equal(response.success, true);
  assert.equal(chain.balance(chain.seller), 10_000n);
  const sample = await shop.get('/board/at?sample=true');
  assert.deepEqual(await sample.json(), { sample: true });
  // In the background it becomes final.
  const stateOf = async (): Promise<string | undefined> =>
    (await shop.tier.store.byIdentifier('purchase-0000000001'))?.state;
  for (let i = 0; i < 200 && (await stateOf()) !== 'final'; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal(await stateOf(), 'final');
});

test('open tier: its key is found by its name, and the report key vouches for it', async (t) => {
  const chain = { terms: TERMS, facilitatorUrl: NOWHERE, started: { rpc: NOWHERE } };
  const store = await PaymentStore.inMemory();
  const shop = await openShop(t, chain as unknown as PaidChain, store);
  const did = (await (await shop.get('/.well-known/did.json')).json()) as {
    readonly id: string;
    readonly verificationMethod: readonly {
      readonly id: string;
      readonly publicKeyJwk: { readonly x: string };
    }[];
    readonly 'assay:endorsement': string;
  };
  assert.equal(did.id, 'did:web:tier.example');
  const [method] = did.verificationMethod;
  assert.equal(method?.id, 'did:web:tier.example#x402');
  const [head = '', body = '', signature = ''] = did['assay:endorsement'].split('.');
  const x = Buffer.from(report.publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  assert.ok(verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')));
  assert.deepEqual(JSON.parse(Buffer.from(body, 'base64url').toString()), {
    kid: 'did:web:tier.example#x402',
    log_id: 'abc',
    public_key: Buffer.from(method?.publicKeyJwk.x ?? '', 'base64url').toString('hex'),
    type: 'assay-payment-key/1',
  });
  const found = (await (await shop.get('/.well-known/x402')).json()) as {
    readonly resources: readonly string[];
    readonly environment: string;
  };
  assert.deepEqual(found.resources, ['https://tier.example/board/at']);
  assert.equal(found.environment, 'development');
  assert.equal((await shop.get('/v1/.well-known/x402')).status, 404);
  assert.equal((await shop.get('/board/at')).status, 503, 'nobody can say who pays the fees');
});

test('open tier: the OpenAPI document names the price, and of a closed tier none', async () => {
  const tier = {
    terms: { ...TERMS, origin: 'https://tier.example', prices: { '/board/at': '12345' } },
  } as unknown as Tier;
  const document = openApiDocument(tierRoutes(tier, [BOARD]));
  const of = (path: string): Record<string, unknown> =>
    document.paths[path]?.get as unknown as Record<string, unknown>;
  assert.deepEqual(of('/board/at')['x-payment-info'], {
    price: {
      mode: 'fixed',
      currency: `${TERMS.network}/token:${TERMS.asset}`,
      amount: '12345',
      unit: 'smallest',
    },
    protocols: [
      {
        x402: {
          version: 2,
          scheme: 'exact',
          network: TERMS.network,
          asset: TERMS.asset,
          amount: '12345',
          payTo: TERMS.payTo,
        },
      },
    ],
    environment: 'development',
  });
  assert.equal(of('/history/{symbol}')['x-payment-info'], undefined);
  // Only USDC of the main network is worth dollars, and has six decimals for certain.
  const main = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const priceOf = (network: string, asset: string): unknown => {
    const terms = { ...tier.terms, network, asset };
    const info = paymentInfo('/board/at', { ...tier, terms });
    return (info as { readonly price: unknown }).price;
  };
  assert.deepEqual(priceOf(main, usdc), { mode: 'fixed', currency: 'USD', amount: '0.012345' });
  for (const [network, asset] of [
    [main, TERMS.asset],
    [TERMS.network, usdc],
  ] as const) {
    const currency = `${network}/token:${asset}`;
    const price = { mode: 'fixed', currency, amount: '12345', unit: 'smallest' };
    assert.deepEqual(priceOf(network, asset), price);
  }
  assert.doesNotMatch(JSON.stringify(openApiDocument(tierRoutes())), /x-payment-info/);
});

const NOWHERE = 'http://127.0.0.1:1';
const TERMS = {
  network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  payTo: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
  validS: 60,
  isDevelopment: true,
};
