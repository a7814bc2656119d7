import assert from 'node:assert/strict';
import {
  airdropFactory,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  lamports,
  pipe,
  type Rpc,
  type RpcSubscriptions,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type SolanaRpcApi,
  type SolanaRpcSubscriptionsApi,
} from '@solana/kit';
import { transferOf } from './world.ts';

/** Pays as a client of kit does: an airdrop, a transfer that is confirmed, and notice of the account it went to. */
export async function payAndConfirm(
  rpc: Rpc<SolanaRpcApi>,
  rpcSubscriptions: RpcSubscriptions<SolanaRpcSubscriptionsApi>,
): Promise<void> {
  const from = await generateKeyPairSigner();
  const to = (await generateKeyPairSigner()).address;
  await airdropFactory({ rpc, rpcSubscriptions } as Parameters<typeof airdropFactory>[0])({
    recipientAddress: from.address,
    lamports: lamports(1_000_000_000n),
    commitment: 'confirmed',
  });
  const controller = new AbortController();
  const notices = await rpcSubscriptions
    .accountNotifications(to, { encoding: 'base64' })
    .subscribe({ abortSignal: controller.signal });
  const notice = notices[Symbol.asyncIterator]().next();
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(from, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
    (m) => appendTransactionMessageInstruction(transferOf(from, to, 5_000_000n), m),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithBlockhashLifetime(transaction);
  const send = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions } as Parameters<
    typeof sendAndConfirmTransactionFactory
  >[0]);
  await send(transaction, { commitment: 'confirmed' });
  const { value } = await notice;
  assert.equal(value?.value.lamports, 5_000_000n);
  controller.abort();
  const signature = getSignatureFromTransaction(transaction);
  const got = await rpc
    .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send();
  assert.equal(got?.meta?.fee, 5000n);
  const { value: left } = await rpc.getBalance(from.address).send();
  assert.equal(left, 1_000_000_000n - 5_005_000n);
}
