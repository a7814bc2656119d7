import assert from 'node:assert/strict';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  appendTransactionMessageInstructions,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';
import { DevelopmentLedger } from '@assay/chain/development/development-ledger';
import { developmentRpc } from '@assay/chain/development/development-rpc';
import { loadLiteSvm } from '@assay/chain/development/litesvm';
import {
  parseWireTransaction,
  type WireTransaction,
} from '@assay/chain/development/wire-transaction';

/** Why tests of a running chain are left out, if they are. */
export const SKIP: string | false =
  (await loadLiteSvm()) === undefined ? 'litesvm is not installed, or has no binary here' : false;

export const SYSTEM = '11111111111111111111111111111111' as Address;
export const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;
export const START = 1_790_000_000;

/** A clock that stands until it is told to go. */
export class TestClock {
  time = START;
  readonly now = (): number => this.time;
}

/** A ledger with a rich account, and its methods. */
export interface World {
  readonly clock: TestClock;
  readonly ledger: DevelopmentLedger;
  readonly rich: KeyPairSigner;
  /** The result of a method, or what it throws. */
  readonly call: (method: string, ...params: readonly unknown[]) => unknown;
  /** The `value` of a result with a context. */
  readonly value: (method: string, ...params: readonly unknown[]) => Record<string, unknown>;
}

export async function openWorld(): Promise<World> {
  const clock = new TestClock();
  const ledger = await DevelopmentLedger.open({ now: clock.now });
  const methods = developmentRpc(ledger);
  const rich = await generateKeyPairSigner();
  assert.notEqual(ledger.airdrop(rich.address, 10_000_000_000n), undefined);
  const call = (method: string, ...params: readonly unknown[]): unknown => {
    const known = methods.get(method);
    assert.ok(known, method);
    return known(params);
  };
  const value = (method: string, ...params: readonly unknown[]): Record<string, unknown> =>
    (call(method, ...params) as { value: Record<string, unknown> }).value;
  return { clock, ledger, rich, call, value };
}

/** A system transfer. */
export function transferOf(from: TransactionSigner, to: Address, lamports: bigint): Instruction {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  view.setUint32(0, 2, true);
  view.setBigUint64(4, lamports, true);
  return {
    programAddress: SYSTEM,
    accounts: [
      {
        address: from.address,
        role: AccountRole.WRITABLE_SIGNER,
        signer: from,
      } as AccountSignerMeta,
      { address: to, role: AccountRole.WRITABLE },
    ],
    data,
  };
}

/** A signed transaction of version 0 with the newest blockhash, or with another one. */
export async function transactionOf(
  { ledger, rich }: Pick<World, 'ledger' | 'rich'>,
  instructions: readonly Instruction[],
  blockhash: Blockhash = ledger.blockhashes.latest().blockhash,
): Promise<WireTransaction> {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(rich, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const signed = await signTransactionMessageWithSigners(message);
  return parseWireTransaction(new Uint8Array(getTransactionEncoder().encode(signed)));
}

/** A transaction as the methods take it. */
export function textOf({ bytes }: Pick<WireTransaction, 'bytes'>): string {
  return Buffer.from(bytes).toString('base64');
}

export const BASE64 = { encoding: 'base64' } as const;

export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;

/** The 165 bytes of a token account. */
export function tokenData(account: { mint: Address; owner: Address; amount: bigint }): Uint8Array {
  const data = new Uint8Array(165);
  data.set(getAddressEncoder().encode(account.mint));
  data.set(getAddressEncoder().encode(account.owner), 32);
  new DataView(data.buffer).setBigUint64(64, account.amount, true);
  data[108] = 1;
  return data;
}

/** The 82 bytes of a mint. */
export function mintData(mint: {
  authority: Address;
  supply: bigint;
  decimals: number;
}): Uint8Array {
  const data = new Uint8Array(82);
  data[0] = 1;
  data.set(getAddressEncoder().encode(mint.authority), 4);
  new DataView(data.buffer).setBigUint64(36, mint.supply, true);
  data[44] = mint.decimals;
  data[45] = 1;
  return data;
}
