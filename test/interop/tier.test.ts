// The official client buys each answer of a running demo, and the script of docs/tier-buyers.md pays.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { formatHashTile } from '@assay/core/log/tile';
import { leafHash } from '@assay/core/hash/hash';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import {
  DEVELOPMENT_NETWORK,
  developmentPayer,
} from '@assay/chain/development/payment/payment-accounts';
import { type RunningDemo, startDemo } from '@assay/node/dev/demo';
import { BUYER } from '@assay/node/dev/development-tier';
import { makeLogger } from '@assay/node/production/logger';
import { paidResources } from '@assay/node/api/tier/paid-resources';
import { tierRoutes } from '@assay/node/api/tier-routes';
import { nodeServer } from '@assay/node/http/node-server';
import { pipeline } from '@assay/node/http/pipeline';
import { openTier } from '@assay/node/payment/open-tier';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { tierField } from '@assay/node/payment/tier-config';
import { ROOT, sha256 } from '../src/core/fixture/fixture.ts';
import { shownRecord } from '../src/node/api/terminal-world.ts';
import { openPaidChain, type PaidChain } from '../src/node/payment/fixture/paid-chain.ts';
import { changed, ed25519Key } from '../src/node/payment/fixture/payment-world.ts';
import { tierWorld } from '../src/node/tier/tier-world.ts';
import { SKIP } from '../src/chain/development/world.ts';
import { x402FetchPeer } from './chain-peers.ts';

const run = promisify(execFile);

interface Client {
  onBeforePaymentCreation(
    hook: (context: {
      readonly paymentRequired: { readonly extensions: Readonly<Record<string, { info: object }>> };
    }) => Promise<void>,
  ): Client;
}

interface FetchModule {
  readonly wrapFetchWithPayment: (
    call: typeof fetch,
    client: Client,
  ) => (address: string) => Promise<Response>;
  readonly x402Client: { fromConfig(config: object): Client };
}

/** The tokens of an owner, by the JSON-RPC of the chain. */
async function balance(rpc: string, owner: string): Promise<bigint> {
  const answer = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getTokenAccountsByOwner',
      params: [
        owner,
        { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
        { encoding: 'jsonParsed' },
      ],
    }),
  });
  const { result } = (await answer.json()) as {
    readonly result: {
      readonly value: readonly {
        readonly account: {
          readonly data: {
            readonly parsed: {
              readonly info: { readonly tokenAmount: { readonly amount: string } };
            };
          };
        };
      }[];
    };
  };
  return result.value.reduce(
    (sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount),
    0n,
  );
}

const OPTIONS = { timeout: 400_000, skip: SKIP };

/** A tier over two recorded days, with closed events, which sells all three answers. */
async function openShop(t: TestContext, chain: PaidChain): Promise<string> {
  const { log, market, blobs, openings } = await tierWorld(t, 2);
  const leaves = log.entries.map((bytes) => leafHash(sha256, bytes));
  const record = {
    ...shownRecord(log),
    published: shownRecord(log).published,
    tile: ({ index, width }: { readonly index: number; readonly width: number }) =>
      Promise.resolve(formatHashTile(leaves.slice(index * 256, index * 256 + width))),
  };
  const quiet = { info: ignore, warn: ignore, error: ignore };
  const tier = await openTier({
    config: tierField.parse({
      prices: { '/history/{symbol}': '10000', '/board/at': '10000', '/receipts/full': '50000' },
      network: chain.terms.network,
      asset: chain.terms.asset,
      pay_to: chain.terms.payTo,
      facilitator: chain.facilitatorUrl,
      origin: 'http://127.0.0.1',
      rpc: chain.started.rpc,
      shown_sources: ['sample'],
    }),
    store: await PaymentStore.inMemory(),
    signer: ed25519Key('shop'),
    isDevelopment: true,
    log: quiet,
  });
  const resources = paidResources({
    record,
    blobs,
    sha256,
    now: () => market.newest + 60,
    grids: { crypto: utcGrid, stock: utcGrid },
    openings: { crypto: openings },
    shownSources: tier.shownSources,
    proofOf: () => Promise.resolve(undefined),
    onError: (path, reason) => assert.fail(`${path}: ${reason}`),
  });
  const served = pipeline(tierRoutes(tier, resources), {
    requestId: () => '1',
    now: () => performance.now() / 1000,
    onError: (error) => assert.fail(String(error)),
  });
  const listening = await nodeServer(served).listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  return `http://127.0.0.1:${listening.port}`;
}

const ignore = (): void => undefined;

test('tier: @x402/fetch buys each of the three answers', OPTIONS, async (t) => {
  const load = await x402FetchPeer();
  if (load === undefined) {
    t.skip('@x402/fetch 2.27.0 could not be installed');
    return;
  }
  const { wrapFetchWithPayment, x402Client } = (await load('@x402/fetch')) as FetchModule;
  const chain = await openPaidChain();
  t.after(() => chain.close());
  const base = await openShop(t, chain);
  const { rpc } = chain.started;
  const { buyer } = chain;
  let identifier = '';
  const client = x402Client.fromConfig({
    schemes: [{ network: DEVELOPMENT_NETWORK, client: new ExactSvmScheme(buyer, { rpcUrl: rpc }) }],
    spendControls: false,
  });
  client.onBeforePaymentCreation(({ paymentRequired }) => {
    Object.assign(paymentRequired.extensions['payment-identifier']?.info ?? {}, { id: identifier });
    return Promise.resolve();
  });
  const pay = wrapFetchWithPayment(fetch, client);
  for (const [path, price] of [
    ['/v1/history/ETH?days=2', 10_000n],
    ['/v1/board/at', 10_000n],
    ['/v1/receipts/full?limit=3', 50_000n],
  ] as const) {
    identifier = `interop-${path.replaceAll(/[^a-z]/gi, '-')}-0001`;
    const unpaid = await fetch(base + path);
    assert.equal(unpaid.status, 402, path);
    const header = unpaid.headers.get('payment-required') ?? '';
    assert.ok(header.length < 3000, `${path}: ${header.length} characters`);
    const required = PaymentRequiredV2Schema.parse(decodePaymentRequiredHeader(header));
    assert.match(required.resource.description ?? '', /^development: /);
    const before = chain.balance(buyer.address);
    const first = await pay(base + path);
    const text = await first.text();
    assert.equal(first.status, 200, text);
    assert.equal(before - chain.balance(buyer.address), price, path);
    const receipt = decodePaymentResponseHeader(first.headers.get('payment-response') ?? '');
    assert.equal(receipt.success, true);
    const again = await pay(base + path);
    assert.equal(await again.text(), text, 'the same purchase is the same answer');
    assert.equal(before - chain.balance(buyer.address), price, 'and is not charged again');
  }
  assert.equal((await pay(`${base}/v1/history/NOPE`)).status, 404);
  assert.equal(chain.balance(chain.seller), 70_000n);

  // What it signs for one address is sent to another one first, as whoever sees it may do.
  identifier = 'interop-sent-elsewhere-1';
  let header = '';
  const keep = wrapFetchWithPayment(async (input, init) => {
    const request = new Request(input, init);
    header = request.headers.get('payment-signature') ?? '';
    return header === '' ? fetch(request) : new Response('kept');
  }, client);
  assert.equal(await (await keep(`${base}/v1/history/ETH`)).text(), 'kept');
  const send = (path: string, value: string): Promise<Response> =>
    fetch(base + path, { headers: { 'payment-signature': value } });
  assert.equal((await send('/v1/board/at', header)).status, 409);
  const unnamed = changed(header, (payload) => ({ ...payload, resource: undefined }));
  assert.equal((await send('/v1/board/at', unnamed)).status, 402);
  assert.equal(chain.balance(chain.seller), 70_000n);
  assert.equal((await send('/v1/history/ETH', header)).status, 200);
  assert.equal(chain.balance(chain.seller), 80_000n);
});

/** An asset that has a tick, so that its history has a row: an answer without one is free. */
async function tickedAsset(base: string): Promise<string> {
  for (let tries = 0; tries < 240; tries += 1) {
    const { assets } = (await (await fetch(`${base}/board`)).json()) as {
      readonly assets: readonly { readonly symbol: string; readonly ts: string | null }[];
    };
    const ticked = assets.find(({ ts }) => ts !== null);
    if (ticked !== undefined) return ticked.symbol;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('no asset had a tick');
}

test('tier: the script of docs/tier-buyers.md pays in the demo', OPTIONS, async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'assay-tier-'));
  const demo: RunningDemo = await startDemo({
    data: join(data, 'log'),
    environment: { ASSAY_PORT: '0' },
    log: makeLogger('silent'),
    indices: ['LAYOFFS'],
    market: true,
  });
  t.after(async () => {
    // A folder that is still written to cannot be removed, and a hook that fails would leave the demo running.
    await demo.close();
    await rm(data, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${demo.port}`;
  const rpc = demo.chain?.rpc ?? '';
  const { address } = await developmentPayer(BUYER);
  const before = await balance(rpc, address);
  const script = join(ROOT, 'samples', 'tier', 'buy.mjs');
  const path = `/history/${await tickedAsset(base)}?days=1`;
  const args = [script, path, '--base', base, '--rpc', rpc, '--id', 'script-purchase-0001'];
  const bought = await run(process.execPath, args, { cwd: ROOT });
  assert.ok(Array.isArray((JSON.parse(bought.stdout) as { readonly points: unknown }).points));
  assert.match(bought.stderr, /paid by transaction/);
  const again = await run(process.execPath, args, { cwd: ROOT });
  assert.equal(again.stdout, bought.stdout);
  assert.equal(before - (await balance(rpc, address)), 10_000n);
});
