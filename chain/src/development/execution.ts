import type { Address } from '@solana/kit';
import type { SvmAccount } from './litesvm.ts';
import type { TransactionError } from './transaction-error.ts';
import type { WireTransaction } from './wire-transaction.ts';

/** An instruction that another instruction called. */
export interface InnerInstruction {
  /** Indices into the accounts of the transaction, static ones first. */
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

/** What a transaction did when it ran, or would do. */
export interface Execution {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly units: bigint;
  /** By the index of the outer instruction. */
  readonly inner: readonly (readonly InnerInstruction[])[];
  readonly returned: { readonly program: Address; readonly data: Uint8Array } | undefined;
}

/** An execution that changed nothing, with the accounts as it would have left them. */
export interface Simulation extends Execution {
  readonly accounts: readonly SvmAccount[];
}

/** A transaction that ran and paid its fee. */
export interface ExecutedTransaction extends Execution {
  readonly wire: WireTransaction;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly fee: bigint;
  /**
   * The accounts of the message and then those of its lookup tables: first the writable ones, then the others.
   */
  readonly addresses: readonly Address[];
  readonly loaded: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] };
  /** Lamports, in the order of `addresses`. */
  readonly before: readonly bigint[];
  readonly after: readonly bigint[];
  readonly tokensBefore: readonly TokenBalance[];
  readonly tokensAfter: readonly TokenBalance[];
}

/** What a token account among those of a transaction held. */
export interface TokenBalance {
  /** The index into `addresses`. */
  readonly index: number;
  readonly program: Address;
  readonly mint: Address;
  readonly owner: Address;
  readonly amount: bigint;
  readonly decimals: number;
}

/** An account that a transaction changed, as it was afterwards; undefined if it no longer exists. */
export interface AccountChange {
  readonly address: Address;
  readonly account: SvmAccount | undefined;
}
