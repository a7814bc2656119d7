import { parseBase64 } from '@assay/core/bytes/base64';
import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  isAddress,
  type Signature,
} from '@solana/kit';
import { ask, memberOf, wholeOf } from './ask.ts';
import type { ChainRpc } from './rpc.ts';

/** A blockhash, and the last block height at which a transaction with it can run. */
export interface LatestBlockhash {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
}

/** The newest finalized block. */
export interface FinalizedHead {
  readonly slot: bigint;
  readonly height: bigint;
}

/** What a node knows about a signature, and the slot up to which it knows anything. */
export interface KnownStatus {
  readonly context: bigint;
  /** Undefined for a signature that the node does not know. */
  readonly status: SignatureStatus | undefined;
}

export interface SignatureStatus {
  readonly slot: bigint;
  /** The error in the form of JSON-RPC; null if the transaction succeeded. */
  readonly error: unknown;
  readonly finalized: boolean;
  /** Whether validators with two thirds of the stake or more have voted for it. */
  readonly confirmed: boolean;
}

export interface Simulated {
  readonly error: unknown;
  readonly units: bigint;
}

/** An account as a node answers it. */
export interface FoundAccount {
  readonly owner: Address;
  readonly data: Uint8Array;
}

export interface FoundAccounts {
  /** The finalized slot at which they were read. */
  readonly slot: bigint;
  /** The accounts in the order of the request; null for one that does not exist. */
  readonly accounts: readonly (FoundAccount | null)[];
}

/** The calls that the client makes. The shape of each answer is checked. Each call throws what `ask` does. */
export interface ChainCalls {
  latestBlockhash(signal?: AbortSignal): Promise<LatestBlockhash>;
  finalizedHead(signal?: AbortSignal): Promise<FinalizedHead>;
  /** The prices that were paid recently for these accounts, in micro-lamports per unit, one for each slot. */
  recentFees(accounts: readonly Address[], signal?: AbortSignal): Promise<readonly bigint[]>;
  /** Needs no signature and no blockhash, so that the node is given nothing that it could send on. */
  simulate(wire: Base64EncodedWireTransaction, signal?: AbortSignal): Promise<Simulated>;
  submit(wire: Base64EncodedWireTransaction, signal?: AbortSignal): Promise<void>;
  /** With `search`, the node searches everything that it stores and not only its last blocks. */
  status(signature: string, search: boolean, signal?: AbortSignal): Promise<KnownStatus>;
  /** The lamports that a finalized transaction cost; null for one that the node does not have. */
  fee(signature: string, signal?: AbortSignal): Promise<bigint | null>;
  /** Reads accounts at commitment `finalized`. */
  accounts(addresses: readonly Address[], signal?: AbortSignal): Promise<FoundAccounts>;
}

export function chainCalls(rpc: ChainRpc): ChainCalls {
  return {
    latestBlockhash: (signal) =>
      ask(
        'getLatestBlockhash',
        rpc.getLatestBlockhash({ commitment: 'confirmed' }),
        signal,
        (answer) => {
          const blockhash = memberOf(answer, 'value', 'blockhash');
          const last = wholeOf(memberOf(answer, 'value', 'lastValidBlockHeight'));
          // A blockhash has the form of an address: 32 bytes in base58.
          if (typeof blockhash !== 'string' || !isAddress(blockhash) || last === undefined) return;
          return { blockhash: blockhash as string as Blockhash, lastValidBlockHeight: last };
        },
      ),
    finalizedHead: (signal) =>
      ask('getEpochInfo', rpc.getEpochInfo({ commitment: 'finalized' }), signal, (answer) => {
        const slot = wholeOf(memberOf(answer, 'absoluteSlot'));
        const height = wholeOf(memberOf(answer, 'blockHeight'));
        return slot === undefined || height === undefined ? undefined : { slot, height };
      }),
    recentFees: (accounts, signal) =>
      ask(
        'getRecentPrioritizationFees',
        rpc.getRecentPrioritizationFees([...accounts]),
        signal,
        (answer) => {
          if (!Array.isArray(answer)) return undefined;
          const fees = answer.map((each: unknown) => wholeOf(memberOf(each, 'prioritizationFee')));
          return fees.every((each) => each !== undefined) ? fees : undefined;
        },
      ),
    simulate: (wire, signal) =>
      ask(
        'simulateTransaction',
        rpc.simulateTransaction(wire, {
          commitment: 'confirmed',
          encoding: 'base64',
          sigVerify: false,
          replaceRecentBlockhash: true,
        }),
        signal,
        (answer) => {
          const error = memberOf(answer, 'value', 'err');
          if (error === undefined) return undefined;
          const units = wholeOf(memberOf(answer, 'value', 'unitsConsumed'));
          // A transaction that failed before it ran may have no units.
          if (units === undefined && error === null) return undefined;
          return { error, units: units ?? 0n };
        },
      ),
    submit: (wire, signal) =>
      ask(
        'sendTransaction',
        rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true, maxRetries: 0n }),
        signal,
        () => null,
      ).then(() => undefined),
    status: (signature, search, signal) =>
      ask(
        'getSignatureStatuses',
        rpc.getSignatureStatuses([signature as Signature], { searchTransactionHistory: search }),
        signal,
        statusOf,
      ),
    fee: (signature, signal) =>
      ask(
        'getTransaction',
        rpc.getTransaction(signature as Signature, {
          commitment: 'finalized',
          encoding: 'base64',
          maxSupportedTransactionVersion: 0,
        }),
        signal,
        (answer) => (answer === null ? { fee: null } : feeOf(answer)),
      ).then(({ fee }) => fee),
    accounts: (addresses, signal) =>
      ask(
        'getMultipleAccounts',
        rpc.getMultipleAccounts([...addresses], { commitment: 'finalized', encoding: 'base64' }),
        signal,
        (answer) => accountsOf(answer, addresses.length),
      ),
  };
}

function statusOf(answer: unknown): KnownStatus | undefined {
  const context = wholeOf(memberOf(answer, 'context', 'slot'));
  const value = memberOf(answer, 'value');
  if (context === undefined || !Array.isArray(value) || value.length !== 1) return undefined;
  const [found] = value as readonly unknown[];
  if (found === null) return { context, status: undefined };
  const slot = wholeOf(memberOf(found, 'slot'));
  const error = memberOf(found, 'err');
  const level = memberOf(found, 'confirmationStatus');
  if (slot === undefined || error === undefined) return undefined;
  const finalized = level === 'finalized';
  return {
    context,
    status: { slot, error, finalized, confirmed: finalized || level === 'confirmed' },
  };
}

function feeOf(answer: unknown): { fee: bigint } | undefined {
  const fee = wholeOf(memberOf(answer, 'meta', 'fee'));
  return fee === undefined ? undefined : { fee };
}

function accountsOf(answer: unknown, count: number): FoundAccounts | undefined {
  const slot = wholeOf(memberOf(answer, 'context', 'slot'));
  const value = memberOf(answer, 'value');
  if (slot === undefined || !Array.isArray(value) || value.length !== count) return undefined;
  const accounts = value.map(accountOf);
  return accounts.every((each) => each !== undefined) ? { slot, accounts } : undefined;
}

function accountOf(found: unknown): FoundAccount | null | undefined {
  if (found === null) return null;
  const owner = memberOf(found, 'owner');
  const data = memberOf(found, 'data', 0);
  if (typeof owner !== 'string' || !isAddress(owner) || typeof data !== 'string') return undefined;
  try {
    return { owner, data: parseBase64(data) };
  } catch {
    return undefined;
  }
}
