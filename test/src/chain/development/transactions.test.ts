import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AccountRole,
  type Address,
  generateKeyPairSigner,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import { formatExecuted, formatMemos } from '@assay/chain/development/transaction-text';
import { parseWireTransaction } from '@assay/chain/development/wire-transaction';
import {
  BASE64,
  mintData,
  openWorld,
  SKIP,
  SYSTEM,
  textOf,
  TOKEN,
  tokenData,
  transactionOf,
  transferOf,
  type World,
} from './world.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
const MEMO_1 = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo' as Address;
const ANYONE = 'So11111111111111111111111111111111111111112' as Address;

function thrownBy(work: () => unknown): { code?: string; data?: { err?: unknown } } {
  try {
    work();
  } catch (error) {
    return error as { code?: string; data?: { err?: unknown } };
  }
  return {};
}

async function payment(world: World, lamports = 1_000_000n): Promise<string> {
  return textOf(await transactionOf(world, [transferOf(world.rich, ANYONE, lamports)]));
}

test('transactions: sent, seen in every list, and not taken twice', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { call, value, ledger, rich } = world;
  const text = await payment(world);
  const signature = call('sendTransaction', text, BASE64) as string;
  assert.deepEqual(value('getSignatureStatuses', [signature, '1'.repeat(64)]), [
    {
      slot: ledger.slot,
      confirmations: null,
      err: null,
      status: { Ok: null },
      confirmationStatus: 'finalized',
    },
    null,
  ]);
  const listed = call('getSignaturesForAddress', ANYONE) as { signature: string }[];
  assert.deepEqual(
    listed.map((each) => each.signature),
    [signature],
  );
  const again = thrownBy(() => call('sendTransaction', text, BASE64));
  assert.equal(again.code, 'preflight_failure');
  assert.equal(again.data?.err, 'AlreadyProcessed');
  const before = ledger.balance(rich.address);
  assert.equal(call('sendTransaction', text, { ...BASE64, skipPreflight: true }), signature);
  assert.equal(ledger.balance(rich.address), before);
});

test('transactions: a blockhash goes out of its window', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { call, value, clock } = world;
  const text = await payment(world);
  clock.time += 151 * 0.4;
  const late = thrownBy(() => call('sendTransaction', text, BASE64));
  assert.equal(late.data?.err, 'BlockhashNotFound');
  assert.equal(value('simulateTransaction', text, BASE64).err, 'BlockhashNotFound');
  const replaced = value('simulateTransaction', text, { ...BASE64, replaceRecentBlockhash: true });
  assert.equal(replaced.err, null);
  assert.deepEqual(replaced.replacementBlockhash, world.ledger.blockhashes.latest());
  const signature = call('sendTransaction', text, { ...BASE64, skipPreflight: true });
  assert.deepEqual(value('getSignatureStatuses', [signature]), [null], 'dropped without a word');
});

test(
  'transactions: none runs above the last block height of its blockhash',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const { call, value, clock, ledger } = world;
    const { lastValidBlockHeight } = ledger.blockhashes.latest();
    const [last, late] = [await payment(world), await payment(world, 2_000_000n)];
    clock.time += 149 * 0.4 + 0.1;
    const signature = call('sendTransaction', last, BASE64) as string;
    assert.equal(ledger.history.get(signature)?.slot, ledger.slot);
    assert.equal(ledger.blockHeight, lastValidBlockHeight);
    const blockhash = parseWireTransaction(Buffer.from(late, 'base64')).message.lifetimeToken;
    assert.equal(value('isBlockhashValid', blockhash), true, 'as of a block that is over');
    assert.equal(
      thrownBy(() => call('sendTransaction', late, BASE64)).data?.err,
      'BlockhashNotFound',
    );
    assert.equal(ledger.blockHeight, lastValidBlockHeight);
  },
);

test('transactions: preflight tells the error of an instruction', { skip: SKIP }, async () => {
  const world = await openWorld();
  const text = await payment(world, 10n ** 15n);
  const failed = thrownBy(() => world.call('sendTransaction', text, BASE64)) as {
    message: string;
    data: { err: unknown; logs: string[] };
  };
  assert.deepEqual(failed.data.err, { InstructionError: [0, { Custom: 1 }] });
  assert.match(failed.message, /Error processing Instruction 0: custom program error: 0x1$/);
  assert.match(failed.data.logs.join('\n'), /insufficient lamports/);
  const signature = world.call('sendTransaction', text, { ...BASE64, skipPreflight: true });
  const [status] = world.value('getSignatureStatuses', [signature]) as unknown as {
    err: unknown;
  }[];
  assert.deepEqual(status?.err, { InstructionError: [0, { Custom: 1 }] });
});

test(
  'transactions: a simulation needs no signature unless it is asked to look',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const { call, value, ledger, rich } = world;
    const bytes = Buffer.from(await payment(world), 'base64');
    bytes.fill(0, 1, 65);
    const blank = bytes.toString('base64');
    assert.equal(value('simulateTransaction', blank, BASE64).err, null);
    const refused = (method: string, options: object, text = blank): string | undefined =>
      thrownBy(() => call(method, text, { ...BASE64, ...options })).code;
    assert.equal(refused('simulateTransaction', { sigVerify: true }), 'signature_failure');
    assert.equal(refused('sendTransaction', {}), 'signature_failure');
    assert.equal(refused('sendTransaction', { skipPreflight: true }), 'signature_failure');
    const forged = Buffer.from(bytes).fill(7, 1, 65).toString('base64');
    assert.equal(value('simulateTransaction', forged, BASE64).err, null);
    assert.equal(refused('simulateTransaction', { sigVerify: true }, forged), 'signature_failure');
    assert.equal(refused('sendTransaction', { skipPreflight: true }, forged), 'signature_failure');
    assert.equal(
      refused('simulateTransaction', { sigVerify: true, replaceRecentBlockhash: true }),
      'invalid_params',
    );
    assert.equal(ledger.balance(rich.address), 10_000_000_000n);
    // Verification is on again after a simulation without it.
    assert.equal(
      ledger.execute(parseWireTransaction(Buffer.from(forged, 'base64'))).error,
      'SignatureFailure',
    );
  },
);

test('transactions: a simulation shows accounts as they would be', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { value } = world;
  const accounts = { addresses: [ANYONE, world.rich.address], encoding: 'base64' };
  const { accounts: found } = value('simulateTransaction', await payment(world), {
    ...BASE64,
    accounts,
  });
  const [changed, payer] = found as { lamports: bigint }[];
  const before = world.ledger.balance(ANYONE);
  assert.equal(changed?.lamports, before + 1_000_000n);
  assert.equal(payer?.lamports, 10_000_000_000n - 1_005_000n);
  assert.equal(world.ledger.balance(ANYONE), before);
});

test('transactions: a transaction comes in each encoding', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { call, rich } = world;
  const text = await payment(world);
  const signature = call('sendTransaction', text, BASE64);
  const get = (encoding: string): Record<string, never> =>
    call('getTransaction', signature, { encoding, maxSupportedTransactionVersion: 0 }) as never;
  assert.deepEqual(get('base64').transaction, [text, 'base64']);
  const { message, signatures } = get('json').transaction as unknown as {
    message: Record<string, unknown>;
    signatures: unknown;
  };
  assert.deepEqual(signatures, [signature]);
  assert.deepEqual(message.header, {
    numRequiredSignatures: 1,
    numReadonlySignedAccounts: 0,
    numReadonlyUnsignedAccounts: 1,
  });
  const executed = world.ledger.history.get(String(signature));
  assert.ok(executed !== undefined);
  assert.deepEqual(get('json'), formatExecuted(executed, 'json'));
  const parsed = get('jsonParsed').transaction as unknown as {
    message: { accountKeys: unknown[] };
  };
  assert.deepEqual(parsed.message.accountKeys[0], {
    pubkey: rich.address,
    signer: true,
    writable: true,
    source: 'transaction',
  });
  assert.deepEqual(parsed.message.accountKeys[2], {
    pubkey: '1'.repeat(32),
    signer: false,
    writable: false,
    source: 'transaction',
  });
  assert.equal(thrownBy(() => get('hex')).code, 'invalid_params');
  assert.equal(thrownBy(() => call('getTransaction', signature)).code, 'unsupported_version');
  assert.equal(call('getTransaction', '1'.repeat(64)), null);
});

test(
  'transactions: an address lists newest first, between two signatures',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const { call } = world;
    const sent: unknown[] = [];
    for (let i = 1n; i <= 4n; i += 1n) {
      sent.unshift(call('sendTransaction', await payment(world, 1_000_000n + i), BASE64));
    }
    const list = (options?: object): unknown[] =>
      (call('getSignaturesForAddress', ANYONE, options) as { signature: unknown }[]).map(
        ({ signature }) => signature,
      );
    assert.deepEqual(list(), sent);
    assert.deepEqual(list({ limit: 2 }), sent.slice(0, 2));
    assert.deepEqual(list({ before: sent[1] }), sent.slice(2));
    assert.deepEqual(list({ until: sent[2] }), sent.slice(0, 2));
    assert.deepEqual(list({ before: sent[0], until: sent[3], limit: 1 }), [sent[1]]);
    assert.deepEqual(list({ before: '1'.repeat(64) }), []);
    assert.equal(thrownBy(() => list({ limit: 1001 })).code, 'invalid_params');
  },
);

test('transactions: an address lists the memo of a transaction', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { call, rich } = world;
  const memo: Instruction = { programAddress: MEMO, data: new TextEncoder().encode('hello') };
  const transfer = transferOf(rich, ANYONE, 1_000_000n);
  for (const instructions of [[transfer], [transfer, memo]]) {
    call('sendTransaction', textOf(await transactionOf(world, instructions)), BASE64);
  }
  const rows = call('getSignaturesForAddress', ANYONE) as { memo: unknown }[];
  assert.deepEqual(
    rows.map((row) => row.memo),
    ['[5] hello', null],
  );
});

/** The memos that are listed for instructions of these programs. */
function memosOf(...instructions: readonly (readonly [Address, Uint8Array?])[]): string | null {
  return formatMemos({
    staticAccounts: instructions.map(([program]) => program),
    instructions: instructions.map(([, data], programAddressIndex) => ({
      programAddressIndex,
      ...(data === undefined ? {} : { data }),
    })),
  });
}

test('transactions: each memo is listed with its length, and null without any', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  assert.equal(memosOf(), null);
  assert.equal(memosOf([SYSTEM, bytes('no memo')]), null);
  assert.equal(memosOf([MEMO, bytes('hello')]), '[5] hello');
  assert.equal(memosOf([SYSTEM], [MEMO_1, bytes('één')]), '[5] één');
  assert.equal(memosOf([MEMO, bytes('a')], [SYSTEM], [MEMO_1, bytes('b; c')]), '[1] a; [4] b; c');
  assert.equal(memosOf([MEMO]), '[0] ');
  assert.equal(memosOf([MEMO, new Uint8Array([255, 1])]), '[2] (unparseable)');
});

test('transactions: tokens that moved are reported', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { ledger, rich, call } = world;
  const [mint, from, to] = await Promise.all(
    [1, 2, 3].map(async () => (await generateKeyPairSigner()).address),
  );
  assert.ok(mint !== undefined && from !== undefined && to !== undefined);
  const put = (address: Address, data: Uint8Array): void =>
    ledger.setAccount({ address, owner: TOKEN, lamports: 10_000_000n, data });
  put(mint, mintData({ authority: rich.address, supply: 100n, decimals: 2 }));
  put(from, tokenData({ mint, owner: rich.address, amount: 100n }));
  put(to, tokenData({ mint, owner: ANYONE, amount: 0n }));
  const data = Uint8Array.of(12, 30, 0, 0, 0, 0, 0, 0, 0, 2);
  const move = {
    programAddress: TOKEN,
    accounts: [
      { address: from, role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.READONLY },
      { address: to, role: AccountRole.WRITABLE },
      {
        address: rich.address,
        role: AccountRole.READONLY_SIGNER,
        signer: rich as TransactionSigner,
      },
    ],
    data,
  } as Instruction;
  const signature = call('sendTransaction', textOf(await transactionOf(world, [move])), BASE64);
  const options = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 };
  const got = call('getTransaction', signature, options) as {
    meta: Record<
      'preTokenBalances' | 'postTokenBalances',
      { owner: string; uiTokenAmount: { uiAmountString: string } }[]
    >;
    transaction: {
      message: { instructions: { parsed: { type: string; info: Record<string, unknown> } }[] };
    };
  };
  const amounts = (list: 'preTokenBalances' | 'postTokenBalances'): Record<string, string> =>
    Object.fromEntries(
      got.meta[list].map((each) => [each.owner, each.uiTokenAmount.uiAmountString]),
    );
  assert.deepEqual(amounts('preTokenBalances'), { [rich.address]: '1', [ANYONE]: '0' });
  assert.deepEqual(amounts('postTokenBalances'), { [rich.address]: '0.7', [ANYONE]: '0.3' });
  const [instruction] = got.transaction.message.instructions;
  assert.equal(instruction?.parsed.type, 'transferChecked');
  assert.equal(instruction.parsed.info.destination, to);
  const balance = world.value('getTokenAccountBalance', to);
  assert.equal(balance.amount, '30');
});

test('transactions: an airdrop is a transaction', { skip: SKIP }, async () => {
  const { call, value } = await openWorld();
  const signature = call('requestAirdrop', ANYONE, 5_000_000n);
  const [status] = value('getSignatureStatuses', [signature]) as unknown as { err: unknown }[];
  assert.equal(status?.err, null);
  for (const lamports of [0, -1, 1.5, 2 ** 60, '1', undefined]) {
    assert.equal(thrownBy(() => call('requestAirdrop', ANYONE, lamports)).code, 'invalid_params');
  }
  const fresh = (await generateKeyPairSigner()).address;
  assert.equal(
    thrownBy(() => call('requestAirdrop', fresh, 1)).code,
    'invalid_params',
    'less than its rent',
  );
});
