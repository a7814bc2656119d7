import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, getAddressEncoder, getBase58Decoder } from '@solana/kit';
import {
  accountFilterOf,
  accountViewOf,
  formatAccount,
  lookupTableAddresses,
  MAX_ANSWER_DATA,
  requireAnswerable,
} from '@assay/chain/development/accounts';
import type { SvmAccount } from '@assay/chain/development/litesvm';
import { mintData, SYSTEM, TOKEN, tokenData } from './world.ts';

const MINT = 'So11111111111111111111111111111111111111112' as Address;
const TABLES = 'AddressLookupTab1e1111111111111111111111111' as Address;
const REFUSED = { code: 'invalid_params' };

function account(data: Uint8Array, programAddress = SYSTEM, address = MINT): SvmAccount {
  const space = BigInt(data.length);
  return { address, data, executable: false, lamports: 5n, programAddress, space };
}

function dataOf(of: SvmAccount, config: object, mint?: SvmAccount): unknown {
  return formatAccount(of, accountViewOf({ ...config }), () => mint)?.data;
}

test('accounts: each encoding, whole and in part', () => {
  const three = account(Uint8Array.of(1, 2, 3));
  assert.deepEqual(
    formatAccount(three, accountViewOf({ encoding: 'base64' }), () => undefined),
    {
      lamports: 5n,
      owner: SYSTEM,
      executable: false,
      rentEpoch: 2n ** 64n - 1n,
      space: 3,
      data: ['AQID', 'base64'],
    },
  );
  const base58 = getBase58Decoder().decode(three.data);
  assert.deepEqual(dataOf(three, { encoding: 'base58' }), [base58, 'base58']);
  assert.equal(dataOf(three, {}), base58);
  const dataSlice = { offset: 1, length: 9 };
  assert.deepEqual(dataOf(three, { encoding: 'base64', dataSlice }), ['AgM=', 'base64']);
  const beyond = { encoding: 'base64', dataSlice: { offset: 7, length: 1 } };
  assert.deepEqual(dataOf(three, beyond), ['', 'base64']);
  assert.equal(
    formatAccount(undefined, accountViewOf({}), () => undefined),
    null,
  );
});

test('accounts: what cannot be written is refused', () => {
  const long = account(new Uint8Array(129));
  assert.throws(() => dataOf(long, { encoding: 'base58' }), { code: 'invalid_request' });
  assert.deepEqual(
    (dataOf(long, { encoding: 'base58', dataSlice: { offset: 0, length: 1 } }) as string[])[0],
    '1',
  );
  for (const encoding of ['base64+zstd', 'hex', 7]) {
    assert.throws(() => accountViewOf({ encoding }), REFUSED);
  }
  for (const dataSlice of [7, {}, { offset: -1, length: 1 }, { offset: 0, length: '1' }]) {
    assert.throws(() => accountViewOf({ dataSlice }), REFUSED);
  }
});

test('accounts: tokens and lookup tables as text, the rest in base64', () => {
  const parsed = { encoding: 'jsonParsed' };
  const mint = account(mintData({ authority: SYSTEM, supply: 9n, decimals: 2 }), TOKEN);
  assert.deepEqual(dataOf(mint, parsed), {
    program: 'spl-token',
    space: 82,
    parsed: {
      type: 'mint',
      info: {
        mintAuthority: SYSTEM,
        supply: '9',
        decimals: 2,
        isInitialized: true,
        freezeAuthority: null,
      },
    },
  });
  const held = account(tokenData({ mint: MINT, owner: SYSTEM, amount: 150n }), TOKEN);
  const words = dataOf(held, parsed, mint) as { parsed: { info: Record<string, unknown> } };
  assert.deepEqual(words.parsed.info, {
    isNative: false,
    mint: MINT,
    owner: SYSTEM,
    state: 'initialized',
    tokenAmount: { amount: '150', decimals: 2, uiAmount: 1.5, uiAmountString: '1.5' },
  });
  assert.deepEqual((dataOf(held, parsed) as string[])[1], 'base64', 'no mint, no decimals');
  assert.deepEqual(dataOf(account(Uint8Array.of(1)), parsed), ['AQ==', 'base64']);
  const table = new Uint8Array(56 + 64);
  table[0] = 1;
  table.set(getAddressEncoder().encode(MINT), 56 + 32);
  const info = dataOf(account(table, TABLES), parsed) as {
    parsed: { info: { addresses: unknown } };
  };
  assert.deepEqual(info.parsed.info.addresses, [SYSTEM, MINT]);
  assert.deepEqual(lookupTableAddresses(new Uint8Array(3)), []);
});

test('accounts: an answer has so much data and no more', () => {
  const view = accountViewOf({ encoding: 'base64' });
  const half = account(new Uint8Array(MAX_ANSWER_DATA / 2));
  requireAnswerable([half, undefined, half], view);
  assert.throws(() => requireAnswerable([half, half, account(Uint8Array.of(1))], view), REFUSED);
  const dataSlice = { offset: 0, length: 1 };
  requireAnswerable([half, half, half], accountViewOf({ dataSlice }));
});

test('accounts: filters all must hold', () => {
  const passes = (...filters: unknown[]): boolean =>
    accountFilterOf({ filters })(account(Uint8Array.of(9, 8, 7, 6)));
  const bytes = getBase58Decoder().decode(Uint8Array.of(8, 7));
  assert.equal(passes(), true);
  assert.equal(passes({ dataSize: 4 }), true);
  assert.equal(passes({ dataSize: 5 }), false);
  assert.equal(passes({ memcmp: { offset: 1, bytes } }), true);
  assert.equal(passes({ memcmp: { offset: 1n, bytes: 'CAc=', encoding: 'base64' } }), true);
  assert.equal(passes({ memcmp: { offset: 2, bytes } }), false);
  assert.equal(passes({ memcmp: { offset: 3, bytes } }), false, 'beyond the end');
  assert.equal(passes({ dataSize: 4 }, { memcmp: { offset: 0, bytes } }), false);
  assert.equal(accountFilterOf({})(account(new Uint8Array())), true);
});

test('accounts: filters that make no sense are refused', () => {
  const long = getBase58Decoder().decode(new Uint8Array(129).fill(7));
  for (const filters of [
    7,
    [null],
    [{}],
    [{ dataSize: '4' }],
    [{ memcmp: 7 }],
    [{ memcmp: { offset: 0, bytes: '0OIl' } }],
    [{ memcmp: { offset: -1, bytes: '1' } }],
    [{ memcmp: { offset: 0, bytes: long } }],
    Array.from({ length: 5 }, () => ({ dataSize: 1 })),
  ]) {
    assert.throws(() => accountFilterOf({ filters }), REFUSED);
  }
});
