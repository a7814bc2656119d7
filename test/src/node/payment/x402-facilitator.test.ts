import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { Facilitator, PaymentPayload } from '@assay/node/payment/facilitator';
import type { PaymentTerms } from '@assay/node/payment/payment';
import { httpFacilitator } from '@assay/node/payment/x402-facilitator';

const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const TERMS: PaymentTerms = {
  scheme: 'exact',
  network: NETWORK,
  amount: '1',
  asset: 'mint',
  payTo: 'seller',
  maxTimeoutSeconds: 60,
  extra: {},
};
const PAYLOAD: PaymentPayload = {
  x402Version: 2,
  accepted: TERMS,
  payload: { transaction: 'AA==' },
};

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function openFacilitator(
  t: TestContext,
  answer: (request: IncomingMessage) => Answer,
): Promise<{ readonly facilitator: Facilitator; readonly elapse: (seconds: number) => void }> {
  const server = createServer((request, response) => {
    request.resume();
    const { status, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  let now = 0;
  const facilitator = await httpFacilitator({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    timeoutMs: 2000,
    elapsed: () => now,
    token: 'the-token',
  });
  return {
    facilitator,
    elapse: (seconds) => {
      now += seconds;
    },
  };
}

const settled = { success: true, transaction: 'sig', network: NETWORK, payer: 'p' };

test('x402 facilitator: only what is said in its form is said', async (t) => {
  let next: Answer = { status: 200, body: {} };
  const { facilitator } = await openFacilitator(t, ({ headers }) => {
    assert.equal(headers.authorization, 'Bearer the-token');
    return next;
  });
  const verify = async (status: number, body: unknown): Promise<string> => {
    next = { status, body };
    const verification = await facilitator.verify(PAYLOAD, TERMS);
    return verification.kind === 'invalid' ? `invalid ${verification.reason}` : verification.kind;
  };
  assert.equal(await verify(200, { isValid: true }), 'valid');
  assert.equal(
    await verify(200, { isValid: false, invalidReason: 'no_funds' }),
    'invalid no_funds',
  );
  assert.equal(
    await verify(400, { isValid: false, invalidReason: 'no_funds' }),
    'invalid no_funds',
  );
  assert.equal(await verify(200, { isValid: false, invalidReason: '<b>' }), 'invalid invalid');
  assert.equal(await verify(500, { isValid: false, invalidReason: 'x' }), 'unavailable');
  assert.equal(await verify(429, { error: 'slow down' }), 'unavailable');
  assert.equal(await verify(200, { ok: true }), 'unavailable');
  const settle = async (status: number, body: unknown): Promise<string> => {
    next = { status, body };
    const settlement = await facilitator.settle(PAYLOAD, TERMS);
    return settlement.kind === 'settled' ? `settled ${settlement.signature}` : settlement.kind;
  };
  assert.equal(await settle(200, settled), 'settled sig');
  const failed = { success: false, errorReason: 'x', transaction: '', network: NETWORK };
  assert.equal(await settle(200, failed), 'refused');
  assert.equal(await settle(402, failed), 'refused');
  assert.equal(await settle(500, failed), 'unknown');
  assert.equal(await settle(502, { error: 'gateway' }), 'unknown');
  assert.equal(await settle(200, { success: 'yes' }), 'unknown');
});

test('x402 facilitator: who pays the fees is asked again now and then, and kept while it is down', async (t) => {
  let feePayer = 'first';
  let status = 200;
  const { facilitator, elapse } = await openFacilitator(t, () => ({
    status,
    body: {
      kinds: [
        { x402Version: 1, scheme: 'exact', network: 'solana-devnet', extra: { feePayer: 'old' } },
        { x402Version: 2, scheme: 'exact', network: NETWORK, extra: { feePayer } },
      ],
    },
  }));
  assert.equal(await facilitator.feePayer(NETWORK), 'first');
  feePayer = 'second';
  assert.equal(await facilitator.feePayer(NETWORK), 'first');
  elapse(601);
  assert.equal(await facilitator.feePayer(NETWORK), 'second');
  elapse(601);
  status = 500;
  assert.equal(await facilitator.feePayer(NETWORK), 'second');
  assert.equal(await facilitator.feePayer('solana:other'), undefined);
});
