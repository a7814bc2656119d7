import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { Fault } from '@assay/core/fault';
import { paymentReader, type PaymentReader } from '@assay/chain/payment/payment-reader';
import { parseSignedTransfer, tokenAccountOf } from '@assay/chain/payment/signed-transfer';
import type { ChainRpc } from '@assay/chain/client/rpc';
import {
  type DevelopmentChain,
  openDevelopmentChain,
} from '@assay/chain/development/development-chain';
import { kitRpc } from '@assay/chain/development/kit-transport';
import {
  DEVELOPMENT_ASSET,
  developmentPayer,
  paymentAccounts,
} from '@assay/chain/development/payment/payment-accounts';
import { SKIP, TestClock, TOKEN } from '../development/world.ts';
import { type Blockhash } from '@solana/kit';
import { transferOf } from './transfer.ts';

interface PaymentWorld {
  readonly chain: DevelopmentChain;
  readonly reader: PaymentReader;
  readonly buyer: KeyPairSigner;
  readonly seller: Address;
  readonly fees: KeyPairSigner;
  readonly clock: TestClock;
  blockhash(): Blockhash;
}

async function openWorld(): Promise<PaymentWorld> {
  const buyer = await developmentPayer('buyer');
  const fees = await generateKeyPairSigner();
  const seller = (await generateKeyPairSigner()).address;
  const clock = new TestClock();
  const accounts = await paymentAccounts(
    new Map([
      [buyer.address, 1_000_000n],
      [seller, 0n],
    ]),
  );
  const chain = await openDevelopmentChain({ now: clock.now, accounts, tickMs: 0 });
  chain.ledger.airdrop(fees.address, 1_000_000_000n);
  return {
    chain,
    reader: paymentReader(kitRpc(chain)),
    buyer,
    seller,
    fees,
    clock,
    blockhash: () => chain.ledger.blockhashes.latest().blockhash,
  };
}

test(
  'payment reader: a payment is found by its message, and by nothing else',
  { skip: SKIP },
  async (t) => {
    const world = await openWorld();
    t.after(() => world.chain.close());
    const { reader, chain } = world;
    const memo = 'the same memo for both';
    const paid = await transferOf({ ...world, amount: 10_000n, memo, feePayer: world.fees });
    const other = await transferOf({ ...world, amount: 10_001n, memo, feePayer: world.fees });
    const transfer = parseSignedTransfer(paid);
    const { slot } = await reader.head('confirmed');
    assert.equal(await reader.search(transfer, slot - 10, 'confirmed'), null);
    const otherSignature = send(chain, other);
    assert.equal(
      await reader.search(transfer, slot - 10, 'confirmed'),
      null,
      'a memo proves nothing',
    );
    assert.equal(await reader.transaction(otherSignature, transfer, 'confirmed'), null);
    const signature = send(chain, paid);
    const expected = { signature, failed: false, received: 10_000n };
    const found = await reader.search(transfer, slot - 10, 'finalized');
    assert.deepEqual({ ...found, slot: 0 }, { ...expected, slot: 0 });
    assert.deepEqual(await reader.transaction(signature, transfer, 'confirmed'), found);
    assert.equal(
      await reader.search(transfer, (found?.slot ?? 0) + 1, 'confirmed'),
      null,
      'too late',
    );
  },
);

test(
  'payment reader: a transfer that ran with an error has moved nothing',
  { skip: SKIP },
  async (t) => {
    const world = await openWorld();
    t.after(() => world.chain.close());
    const paid = await transferOf({ ...world, amount: 2_000_000n, feePayer: world.fees });
    send(world.chain, paid, true);
    const found = await world.reader.search(parseSignedTransfer(paid), 0, 'confirmed');
    assert.equal(found?.failed, true);
    assert.equal(found.received, 0n);
  },
);

test(
  'payment reader: the head goes on, and errors of the node are faults',
  { skip: SKIP },
  async (t) => {
    const world = await openWorld();
    t.after(() => world.chain.close());
    const before = await world.reader.head('finalized');
    world.clock.time += 4;
    const after = await world.reader.head('finalized');
    assert.deepEqual([after.height - before.height, after.slot - before.slot], [10, 10]);
    const transfer = parseSignedTransfer(
      await transferOf({ ...world, amount: 1n, feePayer: world.fees }),
    );
    await assert.rejects(world.reader.transaction('x', transfer, 'confirmed'), Fault);
  },
);

test('payment reader: answers of another shape are no answers', async () => {
  const method = (): object => ({ send: () => Promise.resolve({ strange: true }) });
  const rpc = {
    getEpochInfo: method,
    getTransaction: method,
    getSignaturesForAddress: method,
  } as unknown as ChainRpc;
  const reader = paymentReader(rpc);
  const world = { message: new Uint8Array(), memo: null };
  const source = await tokenAccountOf(DEVELOPMENT_ASSET, DEVELOPMENT_ASSET, TOKEN);
  const sought = { ...world, source, destination: source };
  const isMalformed = (error: unknown): boolean =>
    error instanceof Fault && error.code === 'malformed';
  await assert.rejects(reader.head('confirmed'), isMalformed);
  await assert.rejects(reader.search(sought, 0, 'confirmed'), isMalformed);
  await assert.rejects(reader.transaction('x', sought, 'confirmed'), isMalformed);
});

function send({ methods }: DevelopmentChain, transaction: string, skipPreflight = false): string {
  return methods.get('sendTransaction')?.([
    transaction,
    { encoding: 'base64', skipPreflight },
  ]) as string;
}
