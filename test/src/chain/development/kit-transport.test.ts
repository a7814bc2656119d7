import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  signTransactionMessageWithSigners,
  SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
} from '@solana/kit';
import { openDevelopmentChain } from '@assay/chain/development/development-chain';
import { kitRpc, kitSubscriptions } from '@assay/chain/development/kit-transport';
import { payAndConfirm } from './kit-client.ts';
import { SKIP, TestClock, transferOf } from './world.ts';

test('kit transport: kit pays and confirms with no socket', { skip: SKIP }, async (t) => {
  const clock = new TestClock();
  const chain = await openDevelopmentChain({ now: clock.now, tickMs: 0 });
  t.after(() => chain.close());
  await payAndConfirm(kitRpc(chain), kitSubscriptions(chain));
});

test('kit transport: kit reads errors of the chain as its own', { skip: SKIP }, async (t) => {
  const clock = new TestClock();
  const chain = await openDevelopmentChain({ now: clock.now, tickMs: 1 });
  t.after(() => chain.close());
  const rpc = kitRpc(chain);
  const rpcSubscriptions = kitSubscriptions(chain);
  const from = await generateKeyPairSigner();
  await rpc.requestAirdrop(from.address, lamports(1_000_000_000n)).send();
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const signed = async (amount: bigint) => {
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayerSigner(from, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
      (m) => appendTransactionMessageInstruction(transferOf(from, from.address, amount), m),
    );
    const transaction = await signTransactionMessageWithSigners(message);
    assertIsTransactionWithBlockhashLifetime(transaction);
    return transaction;
  };
  const send = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
  await assert.rejects(
    send(await signed(10n ** 12n), { commitment: 'confirmed' }),
    (error: Error) => isSolanaError(error.cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM),
  );
  const unknown = rpc.getBlocks(0n).send();
  await assert.rejects(unknown, (error) =>
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND),
  );
  // Dropped without a word; kit learns from slots that its blockhash is over.
  clock.time += 61;
  const late = await signed(1n);
  const dropped = send(late, { commitment: 'confirmed', skipPreflight: true });
  await assert.rejects(dropped, (error) =>
    isSolanaError(error, SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED),
  );
  assert.equal(chain.ledger.history.get(getSignatureFromTransaction(late)), undefined);
});
