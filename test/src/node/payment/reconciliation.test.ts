import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reconciliation } from '@assay/node/payment/reconciliation';
import { openWorld, PRICE, type World } from './fixture/payment-world.ts';

const ID = 'purchase-0000000001';
const ETH = '/history/ETH';
const HOUR_MS = 3_600_000;

function reconciliationOf(world: World): Reconciliation {
  const ignore = (): void => undefined;
  return new Reconciliation({
    store: world.store,
    resolver: world.resolver,
    lock: world.lock,
    everyMs: 1000,
    keptMs: HOUR_MS,
    nowMs: () => world.nowMs,
    log: { info: ignore, warn: ignore, error: ignore },
  });
}

async function stateOf({ store }: World): Promise<string | undefined> {
  return (await store.byIdentifier(ID))?.state;
}

test('reconciliation: a payment becomes final with the amount that came', async () => {
  const world = await openWorld();
  await world.get(ETH, await world.pay(ETH, ID));
  assert.equal(await stateOf(world), 'confirmed');
  const reconciliation = reconciliationOf(world);
  await reconciliation.round();
  assert.equal(await stateOf(world), 'confirmed', 'its block is not final');
  world.chain.tip += 32;
  assert.deepEqual((await reconciliation.round()).changed, { final: 1 });
  assert.equal((await world.store.byIdentifier(ID))?.received, String(PRICE));
  assert.deepEqual((await reconciliation.round()).changed, {}, 'nothing is left to do');
});

test('reconciliation: a settlement whose answer was lost is found without the buyer', async () => {
  const world = await openWorld();
  const header = await world.pay(ETH, ID);
  world.facilitator.faults.settle = 'lost';
  world.facilitator.faults.onSettle = () => {
    world.chain.isUp = false;
  };
  assert.equal((await world.get(ETH, header)).status, 503);
  const reconciliation = reconciliationOf(world);
  const cut = await reconciliation.round();
  assert.match(cut.failure ?? '', /no answer/);
  assert.equal(cut.unknown, 1);
  assert.equal(reconciliation.concerns().length, 1);
  world.chain.isUp = true;
  assert.deepEqual((await reconciliation.round()).changed, { confirmed: 1 });
  assert.deepEqual(reconciliation.concerns(), []);
  const answer = await world.get(ETH, header);
  assert.equal(answer.status, 200);
  assert.equal(world.facilitator.settled.length, 1);
});

test('reconciliation: a transfer that was never sent fails when it cannot run any more', async () => {
  const world = await openWorld();
  const header = await world.pay(ETH, ID);
  world.facilitator.faults.settle = 'down';
  await world.get(ETH, header);
  const reconciliation = reconciliationOf(world);
  world.chain.tip += 331;
  await reconciliation.round();
  assert.equal(await stateOf(world), 'settling', 'it could still run in a block that is not final');
  world.nowMs += HOUR_MS;
  assert.equal((await reconciliation.round()).unknown, 1);
  assert.match(reconciliation.concerns()[0]?.reason ?? '', /not known of 1 payments/);
  world.chain.tip += 2;
  assert.deepEqual((await reconciliation.round()).changed, { failed: 1 });
  assert.deepEqual(await world.balances(), [1_000_000n, 0n]);
});

test('reconciliation: a reorganisation loses a payment, and gives it back', async () => {
  const world = await openWorld();
  const transaction = await world.transfer();
  const header = await world.pay(ETH, ID, { transaction });
  assert.equal((await world.get(ETH, header)).status, 200);
  world.chain.reorganise(transaction);
  const reconciliation = reconciliationOf(world);
  await reconciliation.round();
  assert.equal(await stateOf(world), 'confirmed', 'it may come in another block');
  world.chain.expire();
  assert.deepEqual((await reconciliation.round()).changed, { lost: 1 });
  assert.equal(world.engine.concerns().length, 1, 'whoever runs the tier is told');
  assert.equal((await world.get(ETH, header)).status, 402, 'it buys nothing any more');
  world.chain.run(transaction);
  world.chain.expire();
  assert.deepEqual((await reconciliation.round()).changed, { final: 1 });
  assert.deepEqual(world.engine.concerns(), []);
});

test('reconciliation: what a liar called settled is lost', async () => {
  const world = await openWorld({ trusted: PRICE });
  world.facilitator.faults.settle = 'lies';
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
  assert.equal(await stateOf(world), 'settled');
  const reconciliation = reconciliationOf(world);
  await reconciliation.round();
  assert.equal(await stateOf(world), 'settled', 'the chain may be slow');
  world.chain.expire();
  assert.deepEqual((await reconciliation.round()).changed, { lost: 1 });
  assert.equal(world.exposure.sum, PRICE);
});

test('reconciliation: trust comes back when the chain shows the payments', async () => {
  const world = await openWorld({ trusted: PRICE });
  const second = 'purchase-0000000002';
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
  assert.equal(await stateOf(world), 'settled');
  assert.equal((await world.get(ETH, await world.pay(ETH, second))).status, 200);
  assert.equal((await world.store.byIdentifier(second))?.state, 'confirmed', 'it was looked up');
  await reconciliationOf(world).round();
  assert.equal(await stateOf(world), 'confirmed');
  assert.equal(world.exposure.sum, 0n);
});

test('reconciliation: an answer is kept for its time, and a repeat is never charged', async () => {
  const world = await openWorld();
  const header = await world.pay(ETH, ID);
  const answer = await world.get(ETH, header);
  const reconciliation = reconciliationOf(world);
  world.nowMs += HOUR_MS - 1;
  assert.equal((await reconciliation.round()).dropped, 0);
  assert.deepEqual(await world.get(ETH, header), answer);
  world.nowMs += 2;
  assert.equal((await reconciliation.round()).dropped, 1);
  const gone = await world.get(ETH, header);
  assert.equal(gone.status, 410);
  assert.equal((await reconciliation.round()).dropped, 0);
  assert.deepEqual(await world.balances(), [1_000_000n - PRICE, PRICE]);
});

test('reconciliation: it runs by itself until it is stopped', async () => {
  const world = await openWorld();
  world.facilitator.faults.settle = 'down';
  await world.get(ETH, await world.pay(ETH, ID));
  world.chain.expire();
  const reconciliation = reconciliationOf(world);
  reconciliation.start();
  for (let i = 0; i < 1000 && (await stateOf(world)) !== 'failed'; i += 1) {
    await new Promise(setImmediate);
  }
  assert.equal(await stateOf(world), 'failed');
  await reconciliation.stop();
  await reconciliation.stop();
});
