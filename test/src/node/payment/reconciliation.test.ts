import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { parseSignedTransfer, tokenAccountOf } from '@assay/chain/payment/signed-transfer';
import { Reconciliation } from '@assay/node/payment/reconciliation';
import { SellerAccount } from '@assay/node/payment/seller-account';
import { TOKEN } from '../../chain/development/world.ts';
import { openWorld, PRICE, transactionIn, type World } from './fixture/payment-world.ts';

const ID = 'purchase-0000000001';
const ETH = '/history/ETH';
const HOUR_MS = 3_600_000;

const PAYABLE = { concern: (): Promise<undefined> => Promise.resolve(undefined) };

function reconciliationOf(
  world: World,
  seller: Pick<SellerAccount, 'concern'> = PAYABLE,
): Reconciliation {
  const ignore = (): void => undefined;
  return new Reconciliation({
    store: world.store,
    resolver: world.resolver,
    seller,
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
  const header = await world.pay(ETH, ID);
  const transaction = transactionIn(header);
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

test('reconciliation: a payment that cannot be searched for does not hold up the others', async () => {
  const world = await openWorld();
  const keys: string[] = [];
  for (const id of [ID, 'purchase-0000000002']) {
    const header = await world.pay(ETH, id);
    world.facilitator.faults.settle = 'lost';
    world.chain.isUp = true;
    world.facilitator.faults.onSettle = () => {
      world.chain.isUp = false;
    };
    assert.equal((await world.get(ETH, header)).status, 503);
    keys.push((await world.store.byIdentifier(id))?.key ?? '');
  }
  world.chain.isUp = true;
  // Payments are gone over in the order of their keys.
  const [first = '', second = ''] = keys.sort();
  const { transaction = '' } = (await world.store.get(first)) ?? {};
  const { message } = parseSignedTransfer(transaction);
  world.chain.refusal = (sought) =>
    Buffer.compare(sought, message) === 0
      ? new Fault('too_large', 'Solana RPC', { expected: 'at most 10000 transactions since then' })
      : undefined;
  const reconciliation = reconciliationOf(world);
  const round = await reconciliation.round();
  assert.deepEqual([...round.failures.keys()], [first]);
  assert.equal(round.failure, undefined);
  assert.deepEqual(round.changed, { confirmed: 1 });
  assert.equal((await world.store.get(second))?.state, 'confirmed');
  const reasons = reconciliation.concerns().map(({ reason }) => reason);
  assert.equal(reasons.length, 1);
  assert.ok(reasons[0]?.includes(first), reasons[0]);
  assert.match(reasons[0] ?? '', /at most 10000 transactions/);
  world.chain.refusal = () => new Fault('timeout', 'Solana RPC');
  const cut = await reconciliation.round();
  assert.match(cut.failure ?? '', /Solana RPC/);
  assert.equal(cut.failures.size, 0, 'one time-out ends the round');
});

test('reconciliation: a node of another chain, and a seller who cannot be paid, are concerns', async () => {
  const world = await openWorld();
  const { chain: reader, terms } = world;
  const format = { tokenAccountOf, tokenPrograms: [TOKEN] };
  const reconciliation = reconciliationOf(world, new SellerAccount({ reader, format, terms }));
  await reconciliation.round();
  assert.match(reconciliation.concerns()[0]?.reason ?? '', /^Nobody can pay: /);
  const address = await tokenAccountOf(world.seller, world.mint, TOKEN);
  world.chain.tokenAccounts.set(address, { mint: world.mint, owner: world.seller });
  await reconciliation.round();
  assert.deepEqual(reconciliation.concerns(), []);
  world.chain.id = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  await reconciliation.round();
  assert.match(reconciliation.concerns()[0]?.reason ?? '', /found solana:5eyk/);
});

test('reconciliation: what was handed out is forgotten when it cannot run any more', async () => {
  const world = await openWorld();
  world.facilitator.faults.verify = 'refuses';
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 402);
  const reconciliation = reconciliationOf(world);
  world.nowMs += 180_000;
  await reconciliation.round();
  assert.equal((await world.store.handedUnder(ID)).length, 1, 'it can still run');
  world.chain.expire();
  assert.equal((await reconciliation.round()).unanswered, 0);
  assert.deepEqual(await world.store.handedUnder(ID), []);
});

test('reconciliation: what ran without an answer is a concern until its buyer asks again', async () => {
  const world = await openWorld();
  const header = await world.pay(ETH, ID);
  world.facilitator.faults.verify = 'vanishes';
  assert.equal((await world.get(ETH, header)).status, 503);
  const reconciliation = reconciliationOf(world);
  world.nowMs += 180_000;
  world.chain.expire();
  assert.equal((await reconciliation.round()).unanswered, 1);
  assert.match(reconciliation.concerns()[0]?.reason ?? '', /settled 1 transfers that it did not/);
  world.chain.oldest = world.chain.tip;
  assert.equal(
    (await reconciliation.round()).unanswered,
    1,
    'this node cannot say, and it is known',
  );
  assert.equal((await reconciliationOf(world).round()).unanswered, 0, 'it is not known');
  assert.equal((await world.store.handedUnder(ID)).length, 1);
  world.chain.oldest = 0;
  world.facilitator.faults.verify = undefined;
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
  assert.equal((await reconciliation.round()).unanswered, 0);
  assert.deepEqual(reconciliation.concerns(), []);
  assert.deepEqual(await world.store.handedUnder(ID), []);
});

test('reconciliation: what ran without an answer is never charged again, however late its buyer comes', async () => {
  const world = await openWorld();
  const header = await world.pay(ETH, ID);
  world.facilitator.faults.verify = 'vanishes';
  assert.equal((await world.get(ETH, header)).status, 503);
  world.facilitator.faults.verify = undefined;
  world.chain.expire();
  const reconciliation = reconciliationOf(world);
  world.nowMs += HOUR_MS + 1;
  assert.equal((await reconciliation.round()).unanswered, 1, 'nobody could say before');
  world.nowMs += HOUR_MS + 1;
  assert.equal((await reconciliation.round()).unanswered, 0);
  assert.deepEqual(await world.store.handedUnder(ID), []);
  const record = await world.store.byIdentifier(ID);
  assert.deepEqual(
    [record?.state, record?.kept, record?.path, record?.signature],
    ['confirmed', false, '/history/:symbol', world.chain.landed[0]?.signature],
  );
  assert.equal((await world.get(ETH, header)).status, 410);
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 410, 'signed again');
  assert.deepEqual((await reconciliation.round()).changed, { final: 1 });
  assert.equal((await world.store.byIdentifier(ID))?.received, String(PRICE));
  assert.equal((await world.get(ETH, header)).status, 410);
  assert.deepEqual(await world.balances(), [1_000_000n - PRICE, PRICE]);
});

test('reconciliation: who asks while the chain cannot be read has its answer when it can', async () => {
  const world = await openWorld();
  const header = await world.pay(ETH, ID);
  world.facilitator.faults.verify = 'vanishes';
  assert.equal((await world.get(ETH, header)).status, 503);
  world.facilitator.faults.verify = 'down';
  world.chain.expire();
  world.chain.isUp = false;
  const reconciliation = reconciliationOf(world);
  for (let i = 0; i < 3; i += 1) {
    await reconciliation.round();
    world.nowMs += HOUR_MS;
    assert.equal((await world.get(ETH, header)).status, 503);
  }
  world.chain.isUp = true;
  assert.equal((await reconciliation.round()).unanswered, 1);
  assert.equal((await world.get(ETH, header)).status, 200);
  assert.equal((await reconciliation.round()).unanswered, 0);
  assert.deepEqual(await world.balances(), [1_000_000n - PRICE, PRICE]);
});

test('reconciliation: what cannot be looked up is kept, however long that lasts', async () => {
  const world = await openWorld();
  world.facilitator.faults.verify = 'vanishes';
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 503);
  world.chain.expire();
  world.chain.oldest = world.chain.tip;
  world.nowMs += 100 * 24 * HOUR_MS;
  const reconciliation = reconciliationOf(world);
  await reconciliation.round();
  assert.equal((await world.store.handedUnder(ID)).length, 1);
  world.chain.oldest = 0;
  await reconciliation.round();
  world.nowMs += HOUR_MS + 1;
  await reconciliation.round();
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 410);
  assert.deepEqual(await world.balances(), [1_000_000n - PRICE, PRICE]);
});

test('reconciliation: a stranger who cannot pay takes neither the chain nor the place of another', async () => {
  const world = await openWorld();
  world.facilitator.faults.verify = 'refuses';
  const header = await world.pay(ETH, ID);
  assert.equal((await world.get(ETH, header)).status, 402);
  const [first] = await world.store.handedUnder(ID);
  assert.ok(first);
  for (let i = 1; i < 10_000; i += 1) {
    const key = `f${String(i).padStart(63, '0')}`;
    await world.store.hand({ ...first, key, identifier: `stranger-${key}`, payer: key });
  }
  let asked = 0;
  world.chain.refusal = () => {
    asked += 1;
    return new Fault('not_checked', 'Solana RPC');
  };
  world.nowMs += 180_000;
  const reconciliation = reconciliationOf(world);
  await reconciliation.round();
  assert.equal(asked, 32);
  assert.match(reconciliation.concerns()[0]?.reason ?? '', /^New payments are refused/);
  let left = 0;
  for await (const _ of world.store.allHanded()) left += 1;
  assert.equal(left, 10_000, 'none of them is forgotten while it may run');
  world.chain.refusal = undefined;
  const verified = world.facilitator.verified;
  const other = await world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
  assert.equal(other.status, 503);
  assert.equal((JSON.parse(other.body) as { error: string }).error, 'busy');
  assert.match(other.headers['retry-after'] ?? '', /^[0-9]+$/);
  assert.equal(world.facilitator.verified, verified, 'nobody has it');
  world.facilitator.faults.verify = undefined;
  assert.equal((await world.get(ETH, header)).status, 200, 'what is written already');
  await reconciliation.round();
  const reasons = reconciliation.concerns().map(({ reason }) => reason);
  assert.ok(!reasons.some((reason) => reason.startsWith('New payments')), 'there is a place again');
});

test('reconciliation: a round goes on behind the transfer that was asked for last', async () => {
  const world = await openWorld();
  world.facilitator.faults.verify = 'vanishes';
  for (let i = 0; i < 16; i += 1) {
    const id = `purchase-00000000${10 + i}`;
    assert.equal((await world.get(ETH, await world.pay(ETH, id))).status, 503);
    const [each] = await world.store.handedUnder(id);
    assert.ok(each);
    // Others that have not run are in front of it and behind it.
    for (const digit of '07bf') {
      const key = `${digit}${each.key}`;
      const transaction = transactionIn(await world.pay(ETH, id));
      await world.store.hand({ ...each, key, transaction, payer: key });
    }
  }
  world.nowMs += 180_000;
  const reconciliation = reconciliationOf(world);
  const found: number[] = [];
  for (let i = 0; i < 4; i += 1) found.push((await reconciliation.round()).unanswered);
  assert.ok((found[0] ?? 0) < 16, `${found[0]}`);
  assert.equal(found[3], 16, 'every one was asked for');
  assert.match(reconciliation.concerns()[0]?.reason ?? '', /settled 16 transfers/);
});

test('reconciliation: a node that is slow holds no round for long', async () => {
  const world = await openWorld();
  world.facilitator.faults.verify = 'refuses';
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 402);
  const [first] = await world.store.handedUnder(ID);
  assert.ok(first);
  for (let i = 0; i < 10; i += 1) {
    const key = `f${String(i).padStart(63, '0')}`;
    await world.store.hand({ ...first, key, identifier: `stranger-${key}` });
  }
  let asked = 0;
  world.chain.refusal = () => {
    asked += 1;
    world.nowMs += 20_000;
    return new Fault('not_checked', 'Solana RPC');
  };
  world.nowMs += 180_000;
  const reconciliation = reconciliationOf(world);
  await reconciliation.round();
  assert.equal(asked, 2, 'half a minute is over');
  await reconciliation.round();
  assert.equal(asked, 4, 'the next round goes on');
});

test('reconciliation: payments are compared while the account of the seller cannot be read', async () => {
  const world = await openWorld();
  assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
  world.chain.tip += 32;
  const seller = { concern: () => Promise.reject(new Fault('malformed', 'Solana RPC')) };
  const reconciliation = reconciliationOf(world, seller);
  assert.deepEqual((await reconciliation.round()).changed, { final: 1 });
  const [concern] = reconciliation.concerns();
  assert.match(concern?.reason ?? '', /^The account that is paid cannot be read: Solana RPC/);
});

test('reconciliation: what is lost stays lost when the node forgets its slots, and says nothing new', async () => {
  const world = await openWorld();
  const header = await world.pay(ETH, ID);
  await world.get(ETH, header);
  world.chain.reorganise(transactionIn(header));
  world.chain.expire();
  const reconciliation = reconciliationOf(world);
  assert.deepEqual((await reconciliation.round()).changed, { lost: 1 });
  world.chain.oldest = world.chain.tip;
  const round = await reconciliation.round();
  assert.deepEqual([round.changed, round.failures.size, round.failure], [{}, 0, undefined]);
  assert.equal((await world.store.byIdentifier(ID))?.kept, true, 'its answer is kept');
  world.nowMs += HOUR_MS + 1;
  assert.equal((await reconciliation.round()).dropped, 1);
});

test('reconciliation: a buyer who signs again waits for the round that has the first payment', async () => {
  const world = await openWorld();
  world.facilitator.faults.settle = 'down';
  await world.get(ETH, await world.pay(ETH, ID));
  const { key = '' } = (await world.store.byIdentifier(ID)) ?? {};
  const again = await world.pay(ETH, ID);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const round = world.lock.run(key, () => held);
  let isAnswered = false;
  const answer = world.get(ETH, again).then((value) => {
    isAnswered = true;
    return value;
  });
  for (let i = 0; i < 20; i += 1) await new Promise(setImmediate);
  assert.equal(isAnswered, false);
  release();
  await round;
  assert.equal((await answer).status, 503);
});

test('reconciliation: a disk that fails is a concern, whatever it was that could not be written', async () => {
  const world = await openWorld();
  await world.get(ETH, await world.pay(ETH, ID));
  world.facilitator.faults.verify = 'refuses';
  await world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
  const reconciliation = reconciliationOf(world);
  const concern = /^The payments cannot be read or written: /;
  world.chain.expire();
  await reconciliation.round();
  assert.deepEqual(reconciliation.concerns(), []);
  world.nowMs += HOUR_MS + 1;
  for (const method of ['unhand', 'update'] as const) {
    const own = world.store[method];
    const full = () => Promise.reject(new Fault('no_room', 'payments'));
    Object.assign(world.store, { [method]: full });
    await assert.rejects(reconciliation.round(), Fault, method);
    assert.match(reconciliation.concerns()[0]?.reason ?? '', concern, method);
    Object.assign(world.store, { [method]: own });
    await world.store.update((await world.store.byIdentifier(ID)) ?? assert.fail(), { kept: true });
  }
  await reconciliation.round();
  assert.deepEqual(reconciliation.concerns(), []);
});

test('reconciliation: it runs by itself until it is stopped', async () => {
  const world = await openWorld();
  world.facilitator.faults.settle = 'down';
  await world.get(ETH, await world.pay(ETH, ID));
  world.chain.expire();
  const reconciliation = reconciliationOf(world);
  reconciliation.start();
  for (let i = 0; i < 5000 && (await stateOf(world)) !== 'failed'; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.equal(await stateOf(world), 'failed');
  await reconciliation.stop();
  await reconciliation.stop();
});
