import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closeBuffer,
  deployBuffer,
  initializeBuffer,
  setAuthority,
  writeBuffer,
} from '@assay/chain/deploy/loader-instructions';
import { formatHex } from '@assay/core/bytes/hex';
import { AccountRole, type Address } from '@solana/kit';
import { partyOf } from '../fixture/party.ts';

const A = '11111111111111111111111111111111' as Address;
const hexOf = ({ data }: { readonly data?: unknown }): string => formatHex(data as Uint8Array);

test('loader instructions: their bytes', async () => {
  const { signer } = await partyOf('payer');
  assert.equal(hexOf(initializeBuffer(A, A)), '00000000');
  assert.equal(
    hexOf(writeBuffer(A, signer, 515, Uint8Array.of(9, 8))),
    '010000000302000002000000000000000908',
  );
  assert.equal(hexOf(deployBuffer(signer, A, A, A, signer, 31_560)), '02000000487b000000000000');
  assert.equal(hexOf(setAuthority(A, signer, null)), '04000000');
  assert.equal(hexOf(closeBuffer(A, signer, A)), '05000000');
});

test('loader instructions: nobody is the next authority where none is named', async () => {
  const { signer } = await partyOf('payer');
  assert.equal(setAuthority(A, signer, null).accounts.length, 2);
  assert.deepEqual(setAuthority(A, signer, A).accounts.at(-1), {
    address: A,
    role: AccountRole.READONLY,
  });
});
