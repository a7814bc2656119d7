import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allocate,
  allocateWithSeed,
  assign,
  transfer,
} from '@assay/chain/deploy/system-instructions';
import { formatHex } from '@assay/core/bytes/hex';
import { AccountRole, type Address } from '@solana/kit';
import { partyOf } from '../fixture/party.ts';

const ZEROS = '11111111111111111111111111111111' as Address;

test('system instructions: their bytes', async () => {
  const { signer, key } = await partyOf('payer');
  assert.equal(
    formatHex(transfer(signer, ZEROS, 258n).data as Uint8Array),
    '020000000201000000000000',
  );
  assert.equal(formatHex(allocate(signer, 36).data as Uint8Array), '080000002400000000000000');
  assert.equal(formatHex(assign(signer, ZEROS).data as Uint8Array), `01000000${'00'.repeat(32)}`);
  assert.equal(
    formatHex(allocateWithSeed(ZEROS, signer, 'ab', 3, ZEROS).data as Uint8Array),
    `09000000${key}02000000000000006162${'03'.padEnd(16, '0')}${'00'.repeat(32)}`,
  );
});

test('system instructions: the base of a seed signs and is not written', async () => {
  const { signer } = await partyOf('payer');
  const { accounts } = allocateWithSeed(ZEROS, signer, 'ab', 3, ZEROS);
  assert.deepEqual(
    accounts.map(({ role }) => role),
    [AccountRole.WRITABLE, AccountRole.READONLY_SIGNER],
  );
});
