import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { MAX_SUBSCRIPTIONS, openSubscriber } from '@assay/chain/development/subscriptions';
import { openWorld, SKIP, SYSTEM, transactionOf, transferOf, type World } from './world.ts';

interface Told {
  readonly method: string;
  readonly params: { readonly subscription: number; readonly result: Record<string, unknown> };
}

interface Client {
  readonly told: Told[];
  call(method: string, ...params: readonly unknown[]): unknown;
  close(): void;
}

function clientOf({ ledger }: World): Client {
  const told: Told[] = [];
  const { methods, close } = openSubscriber(ledger, (each) => told.push(each as unknown as Told));
  return { told, call: (method, ...params) => methods.get(method)?.(params), close };
}

async function newAddress(): Promise<Address> {
  return (await generateKeyPairSigner()).address;
}

test('subscriptions: each kind hears of its own', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { ledger, rich, clock } = world;
  const to = await newAddress();
  const client = clientOf(world);
  const ids = {
    account: client.call('accountSubscribe', to, { encoding: 'base64' }),
    program: client.call('programSubscribe', SYSTEM, {
      encoding: 'base64',
      filters: [{ dataSize: 0 }],
    }),
    filtered: client.call('programSubscribe', SYSTEM, { filters: [{ dataSize: 1 }] }),
    logs: client.call('logsSubscribe', { mentions: [to] }),
    all: client.call('logsSubscribe', 'all'),
    slot: client.call('slotSubscribe'),
  };
  const wire = await transactionOf(world, [transferOf(rich, to, 2_000_000n)]);
  const signatureId = client.call('signatureSubscribe', wire.signature);
  ledger.execute(wire);
  assert.deepEqual(client.told, [], 'not before the answer to the call');
  await turn();
  const of = (id: unknown): readonly Told[] =>
    client.told.filter(({ params }) => params.subscription === id);
  assert.equal(of(ids.account).length, 1);
  assert.equal(of(ids.account)[0]?.method, 'accountNotification');
  const value = of(ids.account)[0]?.params.result.value as { lamports: bigint };
  assert.equal(value.lamports, 2_000_000n);
  assert.equal(of(ids.program).length, 2);
  assert.equal(of(ids.filtered).length, 0);
  assert.equal(of(ids.logs).length, 1);
  assert.equal(of(ids.all).length, 1);
  assert.deepEqual(of(signatureId)[0]?.params.result.value, { err: null });
  const slotTold = (slot: number): object => ({ parent: slot - 1, root: slot - 32, slot });
  const { slot } = ledger;
  assert.deepEqual(
    of(ids.slot).map(({ params }) => params.result),
    [slotTold(slot)],
    'the slot of the transaction',
  );
  const [firstTold] = client.told as readonly Told[];
  assert.equal(firstTold?.params.subscription, ids.slot, 'before what is in it');
  for (const id of [ids.account, ids.logs, signatureId]) {
    assert.deepEqual(of(id)[0]?.params.result.context, { apiVersion: '4.3.0', slot });
  }
  clock.time += 4;
  ledger.advance();
  await turn();
  assert.deepEqual(of(ids.slot)[1]?.params.result, slotTold(slot + 10));
  client.close();
  ledger.airdrop(to, 1n);
  await turn();
  assert.equal(of(ids.account).length, 1);
});

test('subscriptions: a slot comes as slot, update and root', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { ledger, clock } = world;
  const client = clientOf(world);
  client.call('slotsUpdatesSubscribe');
  client.call('rootSubscribe');
  clock.time += 100;
  ledger.advance();
  await turn();
  const { slot } = ledger;
  const results = client.told.map(({ method, params }) => [method, params.result]);
  const timestamp = Math.floor(clock.time * 1000);
  assert.deepEqual(results, [
    ['slotsUpdatesNotification', { type: 'optimisticConfirmation', slot, timestamp }],
    ['rootNotification', slot - 32],
  ]);
});

test('subscriptions: a signature that has run comes once', { skip: SKIP }, async () => {
  const world = await openWorld();
  const client = clientOf(world);
  const signature = world.ledger.airdrop(await newAddress(), 1_000_000n);
  const id = client.call('signatureSubscribe', signature);
  await turn();
  assert.equal(client.told.length, 1);
  assert.throws(() => client.call('signatureUnsubscribe', id), { code: 'invalid_params' });
});

test(
  'subscriptions: what does not change an account is not told, what ends one is',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const { ledger, rich } = world;
    const client = clientOf(world);
    const poor = await generateKeyPairSigner();
    ledger.airdrop(poor.address, 1_000_000n);
    client.call('accountSubscribe', poor.address);
    client.call('accountSubscribe', await newAddress());
    const all = transferOf(poor, rich.address, 995_000n);
    ledger.execute(await transactionOf({ ledger, rich: poor }, [all]));
    await turn();
    assert.equal(client.told.length, 1);
    assert.deepEqual(client.told[0]?.params.result.value, {
      lamports: 0n,
      owner: SYSTEM,
      executable: false,
      rentEpoch: 2n ** 64n - 1n,
      space: 0,
      data: '',
    });
  },
);

test('subscriptions: ended ones are silent, and none is ended twice', { skip: SKIP }, async () => {
  const world = await openWorld();
  const client = clientOf(world);
  const to = await newAddress();
  const id = client.call('accountSubscribe', to);
  world.ledger.airdrop(to, 1_000_000n);
  assert.equal(client.call('accountUnsubscribe', id), true);
  await turn();
  assert.deepEqual(client.told, []);
  assert.throws(() => client.call('accountUnsubscribe', id), { code: 'invalid_params' });
  assert.throws(() => client.call('accountUnsubscribe', 'x'), { code: 'invalid_params' });
});

test(
  'subscriptions: a client has so many, and asks for what there is',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const client = clientOf(world);
    for (const [method, ...params] of [
      ['accountSubscribe', 'x'],
      ['accountSubscribe', SYSTEM, { encoding: 'base64+zstd' }],
      ['logsSubscribe', 'some'],
      ['logsSubscribe', { mentions: [] }],
      ['logsSubscribe', { mentions: [SYSTEM, SYSTEM] }],
      ['signatureSubscribe', 'x'],
    ] as const) {
      assert.throws(() => client.call(method, ...params), { code: 'invalid_params' }, method);
    }
    for (let i = 0; i < MAX_SUBSCRIPTIONS; i += 1) client.call('slotSubscribe');
    assert.throws(() => client.call('slotSubscribe'), { code: 'internal_error' });
  },
);
