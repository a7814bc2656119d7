import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  generateKeyPairSigner,
  type KeyPairSigner,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  SolanaError,
} from '@solana/kit';
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
    assert.equal(await reader.search(transfer, { from: slot - 10 }, 'confirmed'), null);
    const otherSignature = send(chain, other);
    assert.equal(
      await reader.search(transfer, { from: slot - 10 }, 'confirmed'),
      null,
      'a memo proves nothing',
    );
    assert.equal(await reader.transaction(otherSignature, transfer, 'confirmed'), null);
    const signature = send(chain, paid);
    const expected = { signature, failed: false, received: 10_000n };
    const found = await reader.search(transfer, { from: slot - 10 }, 'finalized');
    assert.deepEqual({ ...found, slot: 0 }, { ...expected, slot: 0 });
    assert.deepEqual(await reader.transaction(signature, transfer, 'confirmed'), found);
    assert.equal(
      await reader.search(transfer, { from: (found?.slot ?? 0) + 1 }, 'confirmed'),
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
    const found = await world.reader.search(parseSignedTransfer(paid), { from: 0 }, 'confirmed');
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

test('payment reader: it says what its node is of, has and knows', { skip: SKIP }, async (t) => {
  const world = await openWorld();
  t.after(() => world.chain.close());
  const { reader, chain, buyer, seller } = world;
  assert.equal(await reader.network(), `solana:${chain.ledger.genesisHash.slice(0, 32)}`);
  assert.equal(await reader.firstAvailable(), 0);
  assert.equal(await reader.isRecent(world.blockhash(), 'confirmed'), true);
  const old = world.blockhash();
  assert.equal(await reader.isRecent(buyer.address, 'confirmed'), false, 'it is not known');
  world.clock.time += 600;
  assert.equal(await reader.isRecent(old, 'confirmed'), false, 'its life is over');
  const address = await tokenAccountOf(seller, DEVELOPMENT_ASSET, TOKEN);
  const account = { mint: DEVELOPMENT_ASSET, owner: seller };
  assert.deepEqual(await reader.tokenAccount(address, 'finalized'), account);
  for (const none of [seller, buyer.address, DEVELOPMENT_ASSET, world.fees.address]) {
    assert.equal(await reader.tokenAccount(none, 'finalized'), null);
  }
});

test(
  'payment reader: a node that is behind does not answer a search',
  { skip: SKIP },
  async (t) => {
    const world = await openWorld();
    t.after(() => world.chain.close());
    const { reader } = world;
    const paid = await transferOf({ ...world, amount: 10_000n, feePayer: world.fees });
    const transfer = parseSignedTransfer(paid);
    const { slot } = await reader.head('finalized');
    assert.equal(await reader.search(transfer, { from: 0, to: slot }, 'finalized'), null);
    await assert.rejects(reader.search(transfer, { from: 0, to: slot + 100 }, 'finalized'), {
      code: 'unreachable',
    });
  },
);

/** A chain whose node gives another answer of `getTransaction`. */
function withTransaction(chain: DevelopmentChain, answer: () => Promise<unknown>): PaymentReader {
  const rpc = kitRpc(chain);
  return paymentReader({
    getSignaturesForAddress: rpc.getSignaturesForAddress.bind(rpc),
    getTransaction: () => ({ send: answer }),
  } as unknown as ChainRpc);
}

async function all<T>(list: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const each of list) found.push(each);
  return found;
}

test(
  'payment reader: a transaction that is listed and cannot be read is not passed over',
  { skip: SKIP },
  async (t) => {
    const world = await openWorld();
    t.after(() => world.chain.close());
    const { chain } = world;
    const paid = await transferOf({ ...world, amount: 10_000n, feePayer: world.fees });
    const signature = send(chain, paid);
    const transfer = parseSignedTransfer(paid);
    const account = transfer.destination;
    const range = { from: 0 };
    const forgetful = withTransaction(chain, () => Promise.resolve(null));
    await assert.rejects(forgetful.search(transfer, range, 'confirmed'), { code: 'not_checked' });
    const [unread] = await all(forgetful.incoming(account, 0));
    assert.deepEqual([unread?.kind, unread?.signature], ['unread', signature]);
    const garbled = withTransaction(chain, () =>
      Promise.resolve({ slot: 1n, meta: { err: null }, transaction: ['AAAA', 'base64'] }),
    );
    await assert.rejects(garbled.search(transfer, range, 'confirmed'), { code: 'malformed' });
    assert.equal((await all(garbled.incoming(account, 0)))[0]?.kind, 'unread');
    // A version that no payment has.
    const newer = withTransaction(chain, () =>
      Promise.reject(
        new SolanaError(SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION, {
          __serverMessage: '',
        }),
      ),
    );
    assert.equal(await newer.search(transfer, range, 'confirmed'), null);
    assert.equal((await all(newer.incoming(account, 0)))[0]?.kind, 'unread');
    const down = withTransaction(chain, () => Promise.reject(new TypeError('fetch failed')));
    await assert.rejects(down.search(transfer, range, 'confirmed'), { code: 'unreachable' });
    await assert.rejects(all(down.incoming(account, 0)), { code: 'unreachable' });
  },
);

/** A transaction as a node lists it and gives it. */
interface Listed {
  /** Base64. */
  readonly transaction: string;
  readonly memo: string | null;
}

/** A node that lists these transactions, given with the oldest first, and how many of them it was asked for. */
function listing(transactions: readonly Listed[]): {
  readonly reader: PaymentReader;
  readonly asked: () => number;
} {
  let asked = 0;
  const rows = transactions
    .map(({ memo }, i) => ({ signature: `signature-${i}`, memo, slot: BigInt(i) }))
    .reverse();
  const rpc = {
    getSignaturesForAddress: (_: Address, { before }: { readonly before?: string }) => {
      const start = rows.findIndex(({ signature }) => signature === before) + 1;
      return { send: () => Promise.resolve(rows.slice(start, start + 1000)) };
    },
    getTransaction: (signature: string) => {
      asked += 1;
      const i = Number(signature.split('-')[1]);
      const transaction = [transactions[i]?.transaction, 'base64'];
      return { send: () => Promise.resolve({ slot: BigInt(i), meta: { err: null }, transaction }) };
    },
  };
  return { reader: paymentReader(rpc as unknown as ChainRpc), asked: () => asked };
}

/** A transfer of the payer with a memo, and how a node lists it. */
async function payer(): Promise<(memo: string, amount?: bigint) => Promise<Listed>> {
  const buyer = await generateKeyPairSigner();
  const seller = (await generateKeyPairSigner()).address;
  const blockhash = (): Blockhash => seller as unknown as Blockhash;
  return async (memo, amount = 1n) => ({
    transaction: await transferOf({ buyer, seller, amount, feePayer: seller, blockhash, memo }),
    memo: memo === '' ? null : `[${memo.length}] ${memo}`,
  });
}

const RANGE = { from: 0 };

test('payment reader: what is listed without the memo of a payment is hardly read', async () => {
  const of = await payer();
  const paid = await of('the memo of a payment');
  const sought = parseSignedTransfer(paid.transaction);
  const silent = await of('');
  const others = Array.from({ length: 8000 }, (_, i) =>
    i % 2 === 0 ? silent : { ...silent, memo: '[5] other' },
  );
  const without = listing(others);
  assert.equal(await without.reader.search(sought, RANGE, 'finalized'), null);
  assert.equal(without.asked(), 10);
  const within = listing([...others.slice(0, 3000), paid, ...others.slice(3000)]);
  const found = await within.reader.search(sought, RANGE, 'finalized');
  assert.deepEqual([found?.signature, found?.slot], ['signature-3000', 3000]);
  assert.equal(within.asked(), 1);
});

test('payment reader: those who copy the memo of a payment do not hide it', async () => {
  const of = await payer();
  const memo = 'the memo of a payment';
  const paid = await of(memo);
  const sought = parseSignedTransfer(paid.transaction);
  const copy = await of(memo, 2n);
  const copies = Array.from({ length: 201 }, () => copy);
  const after = listing([paid, ...copies]);
  const found = await after.reader.search(sought, RANGE, 'finalized');
  assert.equal(found?.signature, 'signature-0');
  assert.equal(after.asked(), 1);
  const few = listing(copies.slice(0, 200));
  assert.equal(await few.reader.search(sought, RANGE, 'finalized'), null);
  // The payment may be among those that are not read.
  const many = listing(copies);
  await assert.rejects(many.reader.search(sought, RANGE, 'finalized'), { code: 'not_checked' });
  assert.equal(many.asked(), 200);
});

test('payment reader: a payment is found among the newest of more than are listed', async () => {
  const of = await payer();
  const paid = await of('the memo of a payment');
  const sought = parseSignedTransfer(paid.transaction);
  const silent = await of('');
  const older = Array.from({ length: 10_000 }, () => silent);
  const without = listing(older);
  await assert.rejects(without.reader.search(sought, RANGE, 'finalized'), { code: 'too_large' });
  const newest = listing([...older, paid, silent]);
  assert.equal((await newest.reader.search(sought, RANGE, 'finalized'))?.slot, 10_000);
});

test('payment reader: a node that does not list memos does not hide a payment', async () => {
  const of = await payer();
  const paid = await of('the memo of a payment');
  const sought = parseSignedTransfer(paid.transaction);
  const unlisted = async (memo: string): Promise<Listed> => ({ ...(await of(memo)), memo: null });
  const without = await of('');
  const alone = listing([without, { ...paid, memo: null }, without]);
  assert.equal((await alone.reader.search(sought, RANGE, 'finalized'))?.slot, 1);
  const another = listing([without, await unlisted('another'), without]);
  await assert.rejects(another.reader.search(sought, RANGE, 'finalized'), (error) => {
    assert.match(String(error), /the memo of signature-1/);
    return error instanceof Fault && error.code === 'not_checked';
  });
  // Nodes do not repeat each memo as it is, so every transaction is read for one that is not plain.
  const short = await of('short');
  const every = listing([await unlisted('another'), { ...short, memo: null }, without]);
  const { transaction } = short;
  const found = await every.reader.search(parseSignedTransfer(transaction), RANGE, 'finalized');
  assert.equal(found?.slot, 1);
});

test('payment reader: answers of another shape are no answers', async () => {
  const method = (): object => ({ send: () => Promise.resolve({ strange: true }) });
  const rpc = {
    getEpochInfo: method,
    getGenesisHash: method,
    getFirstAvailableBlock: method,
    isBlockhashValid: method,
    getAccountInfo: method,
    getTransaction: method,
    getSignaturesForAddress: method,
  } as unknown as ChainRpc;
  const reader = paymentReader(rpc);
  const world = { message: new Uint8Array(), memo: null };
  const source = await tokenAccountOf(DEVELOPMENT_ASSET, DEVELOPMENT_ASSET, TOKEN);
  const sought = { ...world, payer: source, destination: source };
  const isMalformed = (error: unknown): boolean =>
    error instanceof Fault && error.code === 'malformed';
  await assert.rejects(reader.head('confirmed'), isMalformed);
  await assert.rejects(reader.network(), isMalformed);
  await assert.rejects(reader.firstAvailable(), isMalformed);
  await assert.rejects(reader.isRecent(source, 'confirmed'), isMalformed);
  await assert.rejects(reader.tokenAccount(source, 'confirmed'), isMalformed);
  await assert.rejects(reader.search(sought, { from: 0 }, 'confirmed'), isMalformed);
  await assert.rejects(reader.transaction('x', sought, 'confirmed'), isMalformed);
});

function send({ methods }: DevelopmentChain, transaction: string, skipPreflight = false): string {
  return methods.get('sendTransaction')?.([
    transaction,
    { encoding: 'base64', skipPreflight },
  ]) as string;
}
