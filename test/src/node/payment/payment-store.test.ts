import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { Payment } from '@assay/node/payment/payment';
import { mayBecome, PAYMENT_STATES } from '@assay/node/payment/payment';
import { PaymentStore } from '@assay/node/payment/payment-store';

function paymentOf(key: string, identifier: string, at_ms = 1): Payment {
  return {
    version: 1,
    key,
    identifier,
    fingerprint: 'f',
    resource: 'https://tier.example/board/at',
    path: '/board/at',
    terms: {
      scheme: 'exact',
      network: 'solana:1',
      amount: '10',
      asset: 'mint',
      payTo: 'seller',
      maxTimeoutSeconds: 60,
      extra: {},
    },
    payer: 'payer',
    transaction: 'AA==',
    at_ms,
    head: { slot: 7, height: 7 },
    answer: { content_type: 'a/b', bytes: 2, sha256: 's', leaf_hash: null, seq: null },
    state: 'settling',
    said: null,
    signature: null,
    response: null,
    paid_ms: null,
    received: null,
    kept: true,
  };
}

async function listed(payments: AsyncIterable<Payment>): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of payments) keys.push(key);
  return keys;
}

test('payment store: what was written is there in the next process, in its order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  await assert.rejects(PaymentStore.at(folder), (error) => {
    return error instanceof Fault && error.code === 'refused';
  });
  await store.add(paymentOf('bb', 'one', 20), Buffer.from('x1'));
  await store.add(paymentOf('aa', 'two', 3), Buffer.from('x2'));
  const first = await store.get('bb');
  assert.ok(first);
  await store.update(first, { state: 'confirmed', signature: 'sig', paid_ms: 30, response: 'r' });
  await store.close();
  const again = await PaymentStore.at(folder);
  t.after(() => again.close());
  assert.deepEqual(await listed(again.all()), ['aa', 'bb']);
  assert.deepEqual(await listed(again.all({ newest: true })), ['bb', 'aa']);
  assert.deepEqual(await listed(again.open()), ['aa', 'bb']);
  assert.equal((await again.byIdentifier('one'))?.signature, 'sig');
  assert.equal(await again.byIdentifier('on'), undefined);
  assert.equal(Buffer.from((await again.body('bb')) ?? []).toString(), 'x1');
});

test('payment store: a new payment takes over its identifier, and what is over is not open', async () => {
  const store = await PaymentStore.inMemory();
  await store.add(paymentOf('aa', 'one'), Buffer.from('x'));
  const first = await store.byIdentifier('one');
  assert.ok(first);
  await store.update(first, { state: 'failed', kept: false });
  assert.equal(await store.body('aa'), undefined);
  await store.add(paymentOf('bb', 'one'), Buffer.from('y'));
  assert.equal((await store.byIdentifier('one'))?.key, 'bb');
  assert.deepEqual(await listed(store.open()), ['bb']);
});

test('payment store: states only go on', async () => {
  const store = await PaymentStore.inMemory();
  await store.add(paymentOf('aa', 'one'), Buffer.from('x'));
  const payment = await store.get('aa');
  assert.ok(payment);
  await assert.rejects(store.update(payment, { state: 'lost' }), TypeError);
  await assert.rejects(store.update(payment, { key: 'bb' }), TypeError);
  for (const state of PAYMENT_STATES) {
    assert.equal(mayBecome('final', state), false);
    assert.equal(mayBecome('failed', state), false, 'what failed cannot run any more');
    assert.equal(mayBecome(state, 'settling'), false);
  }
});

test('payment store: an answer is listed from the time at which it could be given', async () => {
  const store = await PaymentStore.inMemory();
  await store.add(paymentOf('aa', 'one'), Buffer.from('x'));
  const kept = async (before: number): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const key of store.keptBefore(before)) keys.push(key);
    return keys;
  };
  assert.deepEqual(await kept(9999), []);
  const payment = await store.get('aa');
  assert.ok(payment);
  const paid = await store.update(payment, { state: 'confirmed', paid_ms: 1000 });
  assert.deepEqual(await kept(1000), []);
  assert.deepEqual(await kept(1001), ['aa']);
  await store.update(paid, { kept: false });
  assert.deepEqual(await kept(9999), []);
});
