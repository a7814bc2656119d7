import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, getAddressEncoder } from '@solana/kit';
import type { SvmAccount } from '@assay/chain/development/litesvm';
import {
  parseMint,
  parseTokenAccount,
  tokenAmount,
  tokenProgramName,
} from '@assay/chain/development/token-account';
import { mintData, SYSTEM, TOKEN, TOKEN_2022, tokenData } from './world.ts';

const MINT = 'So11111111111111111111111111111111111111112' as Address;

function account(programAddress: Address, data: Uint8Array): SvmAccount {
  const space = BigInt(data.length);
  return { address: MINT, data, executable: false, lamports: 1n, programAddress, space };
}

test('token account: fields are where the token programs have them', () => {
  const data = tokenData({ mint: MINT, owner: TOKEN, amount: 1_234_567n });
  const plain = parseTokenAccount(account(TOKEN, data));
  assert.equal(plain?.mint, MINT);
  assert.equal(plain.owner, TOKEN);
  assert.equal(plain.amount, 1_234_567n);
  assert.equal(plain.state, 'initialized');
  assert.equal(plain.delegate, undefined);
  assert.equal(plain.rentExemptReserve, undefined);
  const view = new DataView(data.buffer);
  view.setUint32(72, 1, true);
  data.set(getAddressEncoder().encode(SYSTEM), 76);
  data[108] = 2;
  view.setUint32(109, 1, true);
  view.setBigUint64(113, 2n, true);
  view.setBigUint64(121, 3n, true);
  view.setUint32(129, 1, true);
  data.set(getAddressEncoder().encode(MINT), 133);
  assert.deepEqual(parseTokenAccount(account(TOKEN, data)), {
    ...plain,
    delegate: SYSTEM,
    state: 'frozen',
    rentExemptReserve: 2n,
    delegatedAmount: 3n,
    closeAuthority: MINT,
  });
});

test('token account: a mint has its supply and decimals', () => {
  const mint = parseMint(account(TOKEN, mintData({ authority: MINT, supply: 7n, decimals: 6 })));
  assert.deepEqual(mint, {
    mintAuthority: MINT,
    supply: 7n,
    decimals: 6,
    isInitialized: true,
    freezeAuthority: undefined,
  });
});

test('token account: owner, length and kind decide what an account is', () => {
  const data = tokenData({ mint: MINT, owner: TOKEN, amount: 1n });
  const mint = mintData({ authority: MINT, supply: 1n, decimals: 0 });
  assert.equal(parseTokenAccount(account(SYSTEM, data)), undefined);
  assert.equal(parseMint(account(SYSTEM, mint)), undefined);
  assert.equal(parseTokenAccount(account(TOKEN, mint)), undefined);
  assert.equal(parseMint(account(TOKEN, data)), undefined);
  const extended = (kind: number, head: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(200);
    bytes.set(head);
    bytes[165] = kind;
    return bytes;
  };
  assert.equal(parseTokenAccount(account(TOKEN_2022, extended(2, data)))?.amount, 1n);
  assert.equal(parseTokenAccount(account(TOKEN_2022, extended(1, data))), undefined);
  assert.equal(parseTokenAccount(account(TOKEN, extended(2, data))), undefined);
  assert.equal(parseMint(account(TOKEN_2022, extended(1, mint)))?.supply, 1n);
  data[108] = 9;
  assert.equal(parseTokenAccount(account(TOKEN, data)), undefined);
  assert.equal(tokenProgramName(TOKEN), 'spl-token');
  assert.equal(tokenProgramName(TOKEN_2022), 'spl-token-2022');
  assert.equal(tokenProgramName(SYSTEM), undefined);
});

test('token amount: decimals without trailing zeros', () => {
  const text = (amount: bigint, decimals: number): unknown =>
    tokenAmount(amount, decimals).uiAmountString;
  assert.equal(text(1_500_000n, 6), '1.5');
  assert.equal(text(5n, 6), '0.000005');
  assert.equal(text(0n, 6), '0');
  assert.equal(text(100n, 0), '100');
  assert.equal(text(100n, 2), '1');
});
