import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Facilitator, PaymentPayload } from '@assay/node/payment/facilitator';
import type { PaymentTerms } from '@assay/node/payment/record/payment';
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
  answer: (request: IncomingMessage, sent: string) => Answer,
): Promise<{ readonly facilitator: Facilitator; readonly elapse: (seconds: number) => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { status, body } = answer(request, Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
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

test('x402 facilitator: what proves a buyer, and whatever else is beside the transfer, is not sent', async (t) => {
  const bodies: string[] = [];
  const { facilitator } = await openFacilitator(t, ({ url }, sent) => {
    bodies.push(sent);
    return { status: 200, body: url === '/verify' ? { isValid: true } : settled };
  });
  const resource = { url: 'https://example.org/board/at' };
  const extensions = {
    'payment-identifier': { info: { required: true, id: 'the-identifier-of-a-buyer' } },
    'offer-receipt': { info: { offers: [{ format: 'jws', signature: 'of-an-offer' }] } },
  };
  const payment = { ...PAYLOAD, resource, extensions, more: 'of-a-stranger' };
  assert.deepEqual(await facilitator.verify(payment, TERMS), { kind: 'valid' });
  assert.deepEqual(await facilitator.settle(payment, TERMS), { kind: 'settled', signature: 'sig' });
  assert.equal(bodies.length, 2);
  for (const body of bodies) {
    const { paymentPayload, paymentRequirements } = JSON.parse(body) as Record<string, unknown>;
    assert.deepEqual(paymentPayload, { ...PAYLOAD, resource });
    assert.deepEqual(paymentRequirements, TERMS);
    assert.doesNotMatch(body, /identifier|of-an-offer|of-a-stranger/);
  }
});

function supporting(feePayer: string): object {
  return {
    kinds: [
      { x402Version: 1, scheme: 'exact', network: 'solana-devnet', extra: { feePayer: 'old' } },
      { x402Version: 2, scheme: 'exact', network: NETWORK, extra: { feePayer } },
    ],
  };
}

/** Waits until something is there, for a second at most. */
async function until(isThere: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 100 && !(await isThere()); i += 1) await sleep(10);
  assert.ok(await isThere());
}

test('x402 facilitator: who pays the fees is asked again now and then, and kept while it is down', async (t) => {
  let feePayer = 'first';
  let status = 200;
  let asked = 0;
  const { facilitator, elapse } = await openFacilitator(t, () => {
    asked += 1;
    return { status, body: supporting(feePayer) };
  });
  assert.equal(await facilitator.feePayer(NETWORK), 'first');
  feePayer = 'second';
  assert.equal(await facilitator.feePayer(NETWORK), 'first');
  assert.equal(asked, 1);
  elapse(601);
  assert.equal(await facilitator.feePayer(NETWORK), 'first', 'nobody waits for the answer');
  await until(async () => (await facilitator.feePayer(NETWORK)) === 'second');
  assert.equal(asked, 2);
  elapse(601);
  status = 500;
  assert.equal(await facilitator.feePayer(NETWORK), 'second');
  await until(() => asked === 3);
  assert.equal(await facilitator.feePayer(NETWORK), 'second');
  assert.equal(await facilitator.feePayer('solana:other'), undefined);
});

test('x402 facilitator: who pays the fees is asked again after a payment that is invalid', async (t) => {
  let feePayer = 'first';
  let asked = 0;
  let isRefusal = false;
  const { facilitator, elapse } = await openFacilitator(t, ({ url }) => {
    const verdict = { isValid: false, invalidReason: 'fee_payer_not_managed' };
    if (url === '/verify') return { status: isRefusal ? 400 : 200, body: verdict };
    asked += 1;
    return { status: 200, body: supporting(feePayer) };
  });
  assert.equal(await facilitator.feePayer(NETWORK), 'first');
  for (const [i, next] of ['second', 'third'].entries()) {
    feePayer = next;
    isRefusal = i === 1;
    assert.equal((await facilitator.verify(PAYLOAD, TERMS)).kind, 'invalid');
    await facilitator.feePayer(NETWORK);
    assert.equal(asked, i + 1, 'not within seconds of the last time');
    elapse(5);
    await until(async () => (await facilitator.feePayer(NETWORK)) === next);
    assert.equal(asked, i + 2);
  }
});

test('x402 facilitator: many 402s at once ask once, and a failure is remembered for seconds', async (t) => {
  let status = 500;
  let asked = 0;
  const { facilitator, elapse } = await openFacilitator(t, () => {
    asked += 1;
    return { status, body: supporting('payer') };
  });
  const all = (): Promise<readonly (string | undefined)[]> =>
    Promise.all(Array.from({ length: 20 }, () => facilitator.feePayer(NETWORK)));
  assert.deepEqual(new Set(await all()), new Set([undefined]));
  assert.equal(asked, 1);
  status = 200;
  assert.equal(await facilitator.feePayer(NETWORK), undefined, 'it is not asked again yet');
  elapse(4);
  assert.equal(await facilitator.feePayer(NETWORK), undefined);
  assert.equal(asked, 1);
  elapse(1);
  assert.deepEqual(new Set(await all()), new Set(['payer']));
  assert.equal(asked, 2);
});

test('x402 facilitator: one that hangs holds up nobody who has asked before', async (t) => {
  let isHanging = false;
  let hung = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (isHanging) {
      hung += 1;
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(supporting('payer')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let now = 0;
  const facilitator = await httpFacilitator({ url, timeoutMs: 60_000, elapsed: () => now });
  assert.equal(await facilitator.feePayer(NETWORK), 'payer');
  isHanging = true;
  now = 601;
  const from = performance.now();
  for (let i = 0; i < 10; i += 1) assert.equal(await facilitator.feePayer(NETWORK), 'payer');
  assert.ok(performance.now() - from < 1000);
  await until(() => hung === 1);
  await sleep(50);
  assert.equal(hung, 1, 'one request is under way');
  // Who has never asked waits for some seconds, and not for as long as a settlement may take.
  const other = await httpFacilitator({ url, timeoutMs: 60_000, elapsed: () => now });
  const began = performance.now();
  assert.equal(await other.feePayer(NETWORK), undefined);
  assert.ok(performance.now() - began < 10_000);
});
