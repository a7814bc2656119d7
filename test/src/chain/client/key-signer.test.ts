import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keySigner } from '@assay/chain/client/key-signer';
import { parseHex } from '@assay/core/bytes/hex';
import { type Blockhash, createTransactionMessage, pipe } from '@solana/kit';
import {
  assertIsFullySignedTransaction,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { partyOf } from '../fixture/party.ts';

test('key signer: it signs as the key itself does', async () => {
  const party = await partyOf('payer');
  const signer = keySigner({ publicKey: parseHex(party.key, 32), sign: party.sign });
  assert.equal(signer.address, party.signer.address);
  const blockhash = '11111111111111111111111111111111' as Blockhash;
  const [ours, theirs] = await Promise.all(
    [signer, party.signer].map((each) =>
      signTransactionMessageWithSigners(
        pipe(
          createTransactionMessage({ version: 0 }),
          (m) => setTransactionMessageFeePayerSigner(each, m),
          (m) =>
            setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, m),
        ),
      ),
    ),
  );
  assert.ok(ours !== undefined);
  assertIsFullySignedTransaction(ours);
  assert.deepEqual(ours, theirs);
});

test('key signer: a key or a signature of another length is refused', async () => {
  const sign = (): Uint8Array => new Uint8Array(63);
  assert.throws(() => keySigner({ publicKey: new Uint8Array(31), sign }), { code: 'bad_length' });
  const signer = keySigner({ publicKey: new Uint8Array(32).fill(1), sign });
  const transaction = { messageBytes: new Uint8Array(1), signatures: {} };
  await assert.rejects(signer.signTransactions([transaction as never]), { code: 'bad_length' });
});
