import {
  type DevelopmentChain,
  openDevelopmentChain,
} from '@assay/chain/development/development-chain';
import { kitRpc } from '@assay/chain/development/kit-transport';
import type { DeploymentSender } from '@assay/chain/deploy/deployment';
import {
  appendTransactionMessageInstructions,
  assertIsTransactionWithinSizeLimit,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  pipe,
  type Rpc,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type SolanaRpcApi,
  type TransactionSigner,
} from '@solana/kit';
import { TestClock } from '../development/world.ts';
import { type Party, partyOf } from '../fixture/party.ts';

/** What a cut-off connection says, in tests. */
export class CutOff extends Error {}

/** A chain with nothing on it, and a payer. */
export interface DeployWorld {
  readonly clock: TestClock;
  readonly chain: DevelopmentChain;
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly payer: Party;
  /** The program's key. */
  readonly program: Party;
  /** Sends for the payer. */
  readonly sender: DeploymentSender;
  /** As `sender`, until it has sent so many; what comes after is not sent. */
  readonly until: (count: number) => DeploymentSender;
  readonly sent: () => number;
}

export async function deployWorld(): Promise<DeployWorld> {
  const clock = new TestClock();
  const chain = await openDevelopmentChain({ now: clock.now, tickMs: 0 });
  const rpc = kitRpc(chain);
  const payer = await partyOf('deploy payer');
  chain.ledger.airdrop(payer.signer.address, 10_000_000_000n);
  let sent = 0;
  const send = async (instructions: readonly Instruction[]): Promise<{ fee: bigint }> => {
    const fee = await sendNow(rpc, payer.signer, instructions);
    sent += 1;
    // Another blockhash for the next one: the same bytes, written again, would be the same transaction.
    clock.time += 0.5;
    chain.ledger.advance();
    return { fee };
  };
  return {
    clock,
    chain,
    rpc,
    payer,
    program: await partyOf('the program'),
    sender: { send },
    until(count) {
      let left = count;
      return {
        async send(instructions) {
          if (left === 0) throw new CutOff('the machine stopped');
          left -= 1;
          return send(instructions);
        },
      };
    },
    sent: () => sent,
  };
}

/** Signs and sends; the fee. Throws the node's words. */
export async function sendNow(
  rpc: Rpc<SolanaRpcApi>,
  payer: TransactionSigner,
  instructions: readonly Instruction[],
): Promise<bigint> {
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const signed = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithinSizeLimit(signed);
  await rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64' }).send();
  const done = await rpc
    .getTransaction(getSignatureFromTransaction(signed), {
      encoding: 'base64',
      maxSupportedTransactionVersion: 0,
    })
    .send();
  return done?.meta?.fee ?? 0n;
}
