// The whole way over the development chain: the official client signs, the official facilitator settles, and our engine sells.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { whole } from '@assay/node/http/reply';
import type { WholeReply } from '@assay/node/http/request';
import { Exposure } from '@assay/node/payment/exposure';
import { KeyedLock } from '@assay/node/payment/record/keyed-lock';
import type { PaidResource } from '@assay/node/payment/paid-resource';
import { httpPaymentReader, loadTransferFormat } from '@assay/node/payment/payment-chain';
import { PaymentEngine } from '@assay/node/payment/payment-engine';
import { PaymentResolver } from '@assay/node/payment/payment-resolver';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { httpFacilitator } from '@assay/node/payment/x402-facilitator';
import { loadX402Wire } from '@assay/node/payment/x402-wire';
import { SKIP } from '../../chain/development/world.ts';
import { openPaidChain, type PaidChain } from '../payment/fixture/paid-chain.ts';
import { ed25519Key, requestOf } from '../payment/fixture/payment-world.ts';

const PRICE = 10_000n;
const ID = 'purchase-0000000001';

const RESOURCE: PaidResource = {
  path: '/board/at',
  operation: { summary: 'The board as it was' } as PaidResource['operation'],
  check: () => Promise.resolve(undefined),
  prepare: () =>
    Promise.resolve({
      kind: 'paid',
      body: Buffer.from('{"sold":true}'),
      contentType: 'application/json; charset=utf-8',
      leafHash: null,
      seq: null,
    }),
  sample: () => whole('application/json', '{}'),
};

type Get = (header?: string) => Promise<WholeReply>;

async function openTier(
  { terms, started }: PaidChain,
  facilitatorUrl: string,
  timeoutMs = 5000,
): Promise<{ readonly get: Get; readonly store: PaymentStore }> {
  const elapsed = (): number => performance.now() / 1000;
  const store = await PaymentStore.inMemory();
  const parts = {
    store,
    reader: await httpPaymentReader(started.rpc, 5000),
    format: await loadTransferFormat(),
    wire: await loadX402Wire(),
    key: ed25519Key('did:web:tier.example#x402'),
    exposure: new Exposure(0n),
    nowMs: Date.now,
  };
  const ignore = (): void => undefined;
  const engine = new PaymentEngine(
    {
      ...parts,
      terms: { ...terms, origin: 'https://tier.example', prices: { '/board/at': String(PRICE) } },
      facilitator: await httpFacilitator({ url: facilitatorUrl, timeoutMs, elapsed }),
      resolver: new PaymentResolver({ ...parts, network: null }),
      confirmMs: 2000,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      log: { info: ignore, warn: ignore, error: ignore },
    },
    new KeyedLock(),
  );
  return {
    store,
    get: async (header) =>
      (await engine.answer(RESOURCE, requestOf('/board/at', header))) as WholeReply,
  };
}

async function requiredOf(get: Get): Promise<unknown> {
  const { status, body } = await get();
  assert.equal(status, 402);
  return JSON.parse(Buffer.from(body).toString());
}

test(
  'development facilitator: a purchase over the development chain',
  { skip: SKIP },
  async (t) => {
    const chain = await openPaidChain();
    t.after(() => chain.close());
    const { get, store } = await openTier(chain, chain.facilitatorUrl);
    const before = chain.balance(chain.buyer.address);
    const header = await chain.sign(await requiredOf(get), ID);
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(header)));
    for (const { status, body } of answers) {
      assert.equal(status, 200, Buffer.from(body).toString());
      assert.deepEqual(body, answers[0]?.body);
    }
    const headers = Object.fromEntries(answers[0]?.headers ?? []);
    const response = decodePaymentResponseHeader(headers['payment-response'] ?? '');
    assert.equal(response.payer, chain.buyer.address);
    assert.ok(chain.started.ledger.history.get(response.transaction as never));
    assert.equal(before - chain.balance(chain.buyer.address), PRICE);
    assert.equal(chain.balance(chain.seller), PRICE);
    assert.equal((await store.byIdentifier(ID))?.state, 'confirmed');
    // A new signature for the same purchase is answered from the first.
    const again = await get(await chain.sign(await requiredOf(get), ID));
    assert.deepEqual(again.body, answers[0]?.body);
    assert.equal(chain.balance(chain.seller), PRICE);
  },
);

test(
  'development facilitator: a payer without funds is told so and not charged',
  { skip: SKIP },
  async (t) => {
    const chain = await openPaidChain();
    t.after(() => chain.close());
    const { get, store } = await openTier(chain, chain.facilitatorUrl);
    const reply = await get(await chain.sign(await requiredOf(get), ID, chain.poor));
    assert.equal(reply.status, 402);
    assert.match(Buffer.from(reply.body).toString(), /simulation/);
    assert.equal(chain.balance(chain.poor.address), 1n);
    assert.equal(await store.byIdentifier(ID), undefined);
  },
);

type Passing = 'pass' | 'drop' | 'error' | 'lose' | 'garbage' | 'slow';

/** In front of a facilitator: passes on what it is told to, and loses the rest. */
async function proxyOf(
  t: TestContext,
  target: string,
): Promise<{ readonly url: string; readonly does: Record<string, Passing> }> {
  const does: Record<string, Passing> = {};
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void (async (): Promise<void> => {
      const doing = does[request.url ?? ''] ?? 'pass';
      if (doing === 'drop') return void request.socket.destroy();
      if (doing === 'error') return void response.writeHead(500).end('{"isValid":false}');
      if (doing === 'garbage') return void response.writeHead(200).end('<html>');
      let body = '';
      for await (const part of request) body += String(part);
      const passed = await fetch(`${target}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(body === '' ? {} : { body }),
      });
      const text = await passed.text();
      if (doing === 'lose') return void request.socket.destroy();
      if (doing === 'slow') await new Promise((resolve) => setTimeout(resolve, 600));
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, does };
}

test(
  'development facilitator: no answer of it is taken for a refusal',
  { skip: SKIP },
  async (t) => {
    const chain = await openPaidChain();
    t.after(() => chain.close());
    const proxy = await proxyOf(t, chain.facilitatorUrl);
    const { get } = await openTier(chain, proxy.url, 300);
    // The first request loads what the facilitator is made of.
    for (let i = 0; i < 200 && (await get()).status !== 402; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const doing of ['drop', 'error', 'garbage', 'slow'] as const) {
      proxy.does['/verify'] = doing;
      const header = await chain.sign(await requiredOf(get), `${ID}-${doing}`);
      const reply = await get(header);
      assert.equal(reply.status, 503, doing);
      assert.match(Buffer.from(reply.body).toString(), /facilitator_unavailable/);
    }
    assert.equal(chain.balance(chain.seller), 0n);
    delete proxy.does['/verify'];
    let sold = 0n;
    for (const doing of ['drop', 'error', 'garbage', 'lose', 'slow'] as const) {
      proxy.does['/settle'] = doing;
      const header = await chain.sign(await requiredOf(get), `${ID}-settle-${doing}`);
      const first = await get(header);
      delete proxy.does['/settle'];
      const second = await get(header);
      assert.equal(second.status, 200, `${doing}: ${Buffer.from(second.body).toString()}`);
      if (doing === 'lose' || doing === 'slow')
        assert.equal(first.status, 200, 'the chain says it');
      else assert.equal(first.status, 503);
      sold += PRICE;
      assert.equal(chain.balance(chain.seller), sold, doing);
    }
  },
);

test(
  'development facilitator: what it does not serve, and what is too much',
  { skip: SKIP },
  async (t) => {
    const chain = await openPaidChain();
    t.after(() => chain.close());
    const post = (path: string, body: string): Promise<Response> =>
      fetch(`${chain.facilitatorUrl}${path}`, { method: 'POST', body });
    assert.equal((await fetch(`${chain.facilitatorUrl}/nothing`)).status, 404);
    assert.equal((await post('/verify', 'x'.repeat(70_000))).status, 413);
    assert.equal((await post('/verify', '{')).status, 500);
  },
);
