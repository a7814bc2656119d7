import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Blockhash, generateKeyPairSigner, getBase58Decoder } from '@solana/kit';
import { hasMemo } from '@assay/chain/payment/memo';
import { parseSignedTransfer } from '@assay/chain/payment/signed-transfer';
import { transferOf } from './transfer.ts';

test('memo: a message has one or not, and what is no message has none', async () => {
  const buyer = await generateKeyPairSigner();
  const seller = (await generateKeyPairSigner()).address;
  const blockhash = (): Blockhash =>
    getBase58Decoder().decode(new Uint8Array(32).fill(7)) as Blockhash;
  const message = async (memo: string): Promise<Uint8Array> =>
    parseSignedTransfer(
      await transferOf({ buyer, seller, amount: 1n, feePayer: seller, blockhash, memo }),
    ).message;
  assert.equal(hasMemo(await message('a purchase')), true);
  assert.equal(hasMemo(await message('')), false);
  assert.equal(hasMemo(new Uint8Array()), false);
  assert.equal(hasMemo(new Uint8Array(200).fill(255)), false);
});
