// A payment of x402 in tokens, signed as its clients sign it.
import { randomBytes } from 'node:crypto';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { tokenAccountOf } from '@assay/chain/payment/signed-transfer';
import { DEVELOPMENT_ASSET } from '@assay/chain/development/payment/payment-accounts';
import { COMPUTE_BUDGET, TOKEN } from '../development/world.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;

export interface TransferParts {
  readonly buyer: KeyPairSigner;
  readonly seller: Address;
  readonly amount: bigint;
  /** Signs too, if it is a signer. */
  readonly feePayer: KeyPairSigner | Address;
  readonly blockhash: () => Blockhash;
  readonly mint?: Address;
  readonly memo?: string;
  /** Changes the instructions. */
  readonly change?: (instructions: readonly Instruction[]) => readonly Instruction[];
}

/** The transaction in base64. */
export async function transferOf(parts: TransferParts): Promise<string> {
  const { buyer, seller, amount, feePayer, mint = DEVELOPMENT_ASSET } = parts;
  const data = new Uint8Array(10);
  data[0] = 12;
  new DataView(data.buffer).setBigUint64(1, amount, true);
  data[9] = 6;
  const transfer = {
    programAddress: TOKEN,
    accounts: [
      { address: await tokenAccountOf(buyer.address, mint, TOKEN), role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.READONLY },
      { address: await tokenAccountOf(seller, mint, TOKEN), role: AccountRole.WRITABLE },
      { address: buyer.address, role: AccountRole.READONLY_SIGNER, signer: buyer },
    ],
    data,
  } as Instruction;
  const memo = parts.memo ?? randomBytes(16).toString('hex');
  const instructions: readonly Instruction[] = [
    // SetComputeUnitLimit: 200,000.
    { programAddress: COMPUTE_BUDGET, data: new Uint8Array([2, 64, 13, 3, 0]) },
    transfer,
    ...(memo === '' ? [] : [{ programAddress: MEMO, data: Buffer.from(memo) }]),
  ];
  const { change = (same) => same, blockhash } = parts;
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) =>
      typeof feePayer === 'string'
        ? setTransactionMessageFeePayer(feePayer, m)
        : setTransactionMessageFeePayerSigner(feePayer, m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash(), lastValidBlockHeight: 0n },
        m,
      ),
    (m) => appendTransactionMessageInstructions(change(instructions), m),
  );
  return getBase64EncodedWireTransaction(
    await partiallySignTransactionMessageWithSigners(message as never),
  );
}
