import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, getCompiledTransactionMessageEncoder } from '@solana/kit';
import { answerRpc } from '@assay/chain/development/json-rpc';
import { developmentRpc } from '@assay/chain/development/development-rpc';
import { formatJson } from '@assay/chain/development/json';
import fc from 'fast-check';
import {
  BASE64,
  COMPUTE_BUDGET,
  mintData,
  openWorld,
  SKIP,
  START,
  SYSTEM,
  textOf,
  TOKEN,
  TOKEN_2022,
  tokenData,
  transactionOf,
  transferOf,
} from './world.ts';

const ANYONE = 'So11111111111111111111111111111111111111112' as Address;
const REFUSED = { code: 'invalid_params' };

test(
  'development rpc: the chain tells of itself, and goes on by the clock',
  { skip: SKIP },
  async () => {
    const { call, value, clock, ledger } = await openWorld();
    assert.equal(call('getHealth'), 'ok');
    assert.equal(call('getGenesisHash'), ledger.genesisHash);
    assert.deepEqual(call('getVersion'), { 'solana-core': '4.3.0', 'feature-set': 0 });
    assert.deepEqual(call('getIdentity'), { identity: ledger.genesisHash });
    assert.equal(call('getFirstAvailableBlock'), 0, 'nothing is forgotten');
    assert.equal(call('getSlotLeader'), ledger.genesisHash);
    assert.equal(call('getTransactionCount'), 1);
    assert.deepEqual(call('getEpochSchedule'), {
      slotsPerEpoch: 432_000,
      leaderScheduleSlotOffset: 432_000,
      warmup: false,
      firstNormalEpoch: 0,
      firstNormalSlot: 0,
    });
    const slot = call('getSlot') as number;
    clock.time += 2;
    assert.equal(call('getSlot', { commitment: 'finalized' }), slot + 5);
    assert.equal(call('getBlockHeight'), 7);
    assert.equal(call('getBlockTime', slot + 5), START + 2);
    assert.throws(() => call('getBlockTime', slot + 6), { code: 'block_not_available' });
    assert.deepEqual(call('getEpochInfo'), {
      absoluteSlot: slot + 5,
      blockHeight: 7,
      epoch: Math.floor(slot / 432_000),
      slotIndex: (slot + 5) % 432_000,
      slotsInEpoch: 432_000,
      transactionCount: 1,
    });
    const { blockhash, lastValidBlockHeight } = value('getLatestBlockhash');
    assert.equal(lastValidBlockHeight, 157);
    assert.equal(value('isBlockhashValid', blockhash), true);
    assert.equal(value('isBlockhashValid', ANYONE), false);
    assert.throws(() => call('getSlot', { minContextSlot: slot + 6 }), {
      code: 'min_context_slot',
    });
  },
);

test(
  'development rpc: what a message costs, and what is paid of late',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const { call, value, clock, rich } = world;
    const wire = await transactionOf(world, [transferOf(rich, ANYONE, 1_000_000n)]);
    const message = Buffer.from(getCompiledTransactionMessageEncoder().encode(wire.message));
    assert.equal(value('getFeeForMessage', message.toString('base64')), 5000n);
    for (const text of ['', 'AAAA', 'x'.repeat(2000), 7]) {
      assert.throws(() => call('getFeeForMessage', text), REFUSED);
    }
    call('sendTransaction', textOf(wire), BASE64);
    const { slot } = world.ledger;
    clock.time += 61;
    assert.equal(value('getFeeForMessage', message.toString('base64')), null, 'too old');
    assert.deepEqual(call('getRecentPrioritizationFees', [ANYONE]), [
      { slot, prioritizationFee: 0n },
      { slot: world.ledger.slot, prioritizationFee: 0n },
    ]);
    assert.equal(typeof call('getMinimumBalanceForRentExemption', 5424), 'bigint');
    assert.throws(() => call('getMinimumBalanceForRentExemption', -1), REFUSED);
  },
);

test('development rpc: accounts by address and by program', { skip: SKIP }, async () => {
  const { call, value, ledger, rich } = await openWorld();
  assert.equal(value('getBalance', rich.address), 10_000_000_000n);
  assert.equal(value('getAccountInfo', ANYONE.replace('2', '3'), BASE64), null);
  const [one, none] = value('getMultipleAccounts', [
    rich.address,
    ANYONE.replace('2', '3'),
  ]) as never as [{ lamports: bigint; data: unknown }, null];
  assert.equal(one.lamports, 10_000_000_000n);
  assert.deepEqual(one.data, ['', 'base64']);
  assert.equal(none, null);
  assert.throws(() => call('getMultipleAccounts', Array(101).fill(ANYONE)), REFUSED);
  const put = (address: Address, data: Uint8Array): void =>
    ledger.setAccount({ address, owner: TOKEN, lamports: 10_000_000n, data });
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
  put(mint, mintData({ authority: rich.address, supply: 5n, decimals: 6 }));
  put(rich.address, tokenData({ mint, owner: ANYONE, amount: 5n }));
  assert.equal(value('getTokenAccountBalance', rich.address).uiAmountString, '0.000005');
  assert.throws(() => call('getTokenAccountBalance', mint), REFUSED);
  assert.throws(() => call('getTokenAccountBalance', ANYONE.replace('2', '3')), REFUSED);
  const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint } }];
  const found = call('getProgramAccounts', TOKEN, { ...BASE64, filters }) as { pubkey: string }[];
  assert.deepEqual(
    found.map(({ pubkey }) => pubkey),
    [rich.address],
  );
  const large = new Uint8Array(9_000_000);
  const owner = ANYONE;
  for (const address of [COMPUTE_BUDGET, rich.address]) {
    ledger.setAccount({ address, owner, lamports: 10n ** 12n, data: large });
  }
  assert.throws(() => call('getMultipleAccounts', [rich.address, COMPUTE_BUDGET]), REFUSED);
  assert.throws(() => call('getProgramAccounts', owner, BASE64), REFUSED);
  const sliced = { ...BASE64, dataSlice: { offset: 0, length: 0 } };
  assert.equal((call('getProgramAccounts', owner, sliced) as unknown[]).length, 2);
  put(rich.address, tokenData({ mint, owner: ANYONE, amount: 5n }));
  const inContext = value('getProgramAccounts', TOKEN, { ...BASE64, filters, withContext: true });
  assert.deepEqual(inContext, found);
});

test('development rpc: token accounts by owner', { skip: SKIP }, async () => {
  const { call, value, ledger, rich } = await openWorld();
  const [mint, other] = [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  ] as [Address, Address];
  const put = (address: Address, owner: Address, data: Uint8Array): void =>
    ledger.setAccount({ address, owner, lamports: 10_000_000n, data });
  const [first, second, third] = [ANYONE, COMPUTE_BUDGET, rich.address];
  put(first, TOKEN, tokenData({ mint, owner: SYSTEM, amount: 1n }));
  put(second, TOKEN_2022, tokenData({ mint: other, owner: SYSTEM, amount: 2n }));
  put(third, TOKEN, tokenData({ mint, owner: ANYONE, amount: 3n }));
  const found = (filter: object): readonly string[] => {
    const all = value('getTokenAccountsByOwner', SYSTEM, filter, BASE64) as never as {
      pubkey: string;
      account: { data: readonly string[] };
    }[];
    for (const { account } of all) assert.equal(account.data[1], 'base64');
    return all.map(({ pubkey }) => pubkey);
  };
  assert.deepEqual(found({ programId: TOKEN }), [first]);
  assert.deepEqual(found({ programId: TOKEN_2022 }), [second]);
  assert.deepEqual(found({ mint }), [first]);
  assert.deepEqual(found({ mint: other }), [second]);
  for (const filter of [undefined, {}, { programId: SYSTEM }, { mint: 'x' }]) {
    assert.throws(() => call('getTokenAccountsByOwner', SYSTEM, filter, BASE64), REFUSED);
  }
});

test('development rpc: what it does not have is reported as missing', { skip: SKIP }, async () => {
  const methods = developmentRpc((await openWorld()).ledger);
  for (const method of ['getBlock', 'getSupply', 'getVoteAccounts']) {
    const answer = answerRpc({ jsonrpc: '2.0', id: 1, method, params: [] }, methods);
    assert.deepEqual((answer as { error: object }).error, {
      code: -32_601,
      message: 'Method not found',
      data: undefined,
    });
  }
});

test('development rpc: no argument makes it fail inside', { skip: SKIP }, async () => {
  const { ledger, rich } = await openWorld();
  const methods = developmentRpc(ledger);
  const likely = fc.constantFrom<unknown>(rich.address, SYSTEM, TOKEN, '1'.repeat(64), 5, 5n, [
    SYSTEM,
  ]);
  const options = fc.dictionary(
    fc.constantFrom(
      'encoding',
      'commitment',
      'filters',
      'dataSlice',
      'limit',
      'before',
      'accounts',
      'sigVerify',
    ),
    fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>('base64', 'jsonParsed', 'confirmed', true)),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...methods.keys()),
      fc.array(fc.oneof(likely, options, fc.jsonValue()), { maxLength: 3 }),
      (method, params) => {
        const answer = answerRpc({ jsonrpc: '2.0', id: 1, method, params }, methods);
        const { error } = answer as { error?: { code: number; message: string } };
        assert.notEqual(error?.code, -32_603, error?.message);
        JSON.parse(formatJson(answer ?? null));
      },
    ),
    { numRuns: 500 },
  );
});
