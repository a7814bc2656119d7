// What it takes to say that a payment was never made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import type { Payment } from '@assay/node/payment/record/payment';
import { LIFE_BLOCKS } from '@assay/node/payment/payment-resolver';
import { openWorld, transactionIn, type World } from './fixture/payment-world.ts';

const ID = 'purchase-0000000001';
const ETH = '/history/ETH';

/** A payment that was written, and of which nobody knows whether it ran. */
async function begun(
  world: World,
  settle: 'lost' | 'down',
): Promise<{ readonly header: string; readonly transaction: string; readonly payment: Payment }> {
  const header = await world.pay(ETH, ID);
  const transaction = transactionIn(header);
  world.facilitator.faults.settle = settle;
  world.facilitator.faults.onSettle = () => {
    world.chain.isUp = false;
  };
  assert.equal((await world.get(ETH, header)).status, 503);
  world.chain.isUp = true;
  const payment = await world.store.byIdentifier(ID);
  assert.equal(payment?.state, 'settling');
  return { header, transaction, payment };
}

test('payment resolver: a node that has forgotten the slots of a payment shows nothing', async () => {
  const world = await openWorld();
  const { header, payment } = await begun(world, 'lost');
  world.chain.expire();
  world.chain.oldest = world.chain.tip - 100;
  await assert.rejects(world.resolver.resolve(payment), { code: 'not_checked' });
  const unknown = await world.get(ETH, header);
  assert.match(unknown.body, /settlement_unknown/);
  assert.equal((await world.store.byIdentifier(ID))?.state, 'settling');
  world.chain.oldest = 0;
  assert.equal((await world.get(ETH, header)).status, 200, 'another node has them');
});

test('payment resolver: never is said from the oldest slot on in which it may have run', async () => {
  const world = await openWorld();
  const { payment } = await begun(world, 'down');
  world.chain.expire();
  world.chain.oldest = payment.head.slot - LIFE_BLOCKS + 1;
  await assert.rejects(world.resolver.resolve(payment), { code: 'not_checked' });
  world.chain.oldest -= 1;
  assert.equal((await world.resolver.resolve(payment)).state, 'failed');
});

test('payment resolver: a chain that is younger than the limit has all of it', async () => {
  const world = await openWorld();
  world.chain.tip = 40;
  const { payment } = await begun(world, 'down');
  world.chain.expire();
  world.chain.oldest = 1;
  assert.equal((await world.resolver.resolve(payment)).state, 'failed');
});

test('payment resolver: the life is over at finalized, and not before', async () => {
  const world = await openWorld();
  const { payment } = await begun(world, 'down');
  world.chain.tip = payment.head.height + LIFE_BLOCKS + 32;
  assert.equal((await world.resolver.resolve(payment)).state, 'settling');
  world.chain.tip += 1;
  assert.equal((await world.resolver.resolve(payment)).state, 'failed');
});

test('payment resolver: a node of another chain shows nothing', async () => {
  const world = await openWorld();
  const { payment } = await begun(world, 'lost');
  world.chain.expire();
  const { landed } = world.chain;
  world.chain.landed = [];
  world.chain.id = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  await assert.rejects(world.resolver.resolve(payment), (error) => {
    assert.equal(faultCode(error), 'bad_config');
    assert.match(String(error), /a node of solana:EtWT.*, found solana:5eyk/);
    return true;
  });
  world.chain.landed = landed;
  assert.equal((await world.resolver.resolve(payment)).state, 'confirmed');
});

test('payment resolver: an error can be undone by a fork until its block is final', async () => {
  const world = await openWorld();
  const { transaction, payment } = await begun(world, 'down');
  world.chain.fail(transaction);
  assert.equal((await world.resolver.resolve(payment)).state, 'settling');
  world.chain.reorganise(transaction);
  world.chain.run(transaction);
  assert.equal((await world.resolver.resolve(payment)).state, 'confirmed');
});

test('payment resolver: a final error is a failure', async () => {
  const world = await openWorld();
  const { transaction, payment } = await begun(world, 'down');
  world.chain.fail(transaction);
  world.chain.tip += 32;
  assert.equal((await world.resolver.resolve(payment)).state, 'failed');
});
