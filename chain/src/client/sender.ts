import { Fault, messageOf } from '@assay/core/fault';
import {
  type Address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionSize,
  type Instruction,
  isWritableRole,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';
import { isPassing } from './ask.ts';
import { type ChainCalls, chainCalls, type LatestBlockhash } from './chain-calls.ts';
import { budgetInstructions, type ComputeBudget, limitFor, MAX_UNITS } from './compute-budget.ts';
import { priorityFee, type PriorityLimits } from './priority-fee.ts';
import { refusal, refusalName } from './refusal.ts';
import type { ChainRpc } from './rpc.ts';
import { networkFee } from './network-fee.ts';

/** A transaction that was sent, or may have been: what is remembered of it until its outcome is known. */
export interface Outgoing {
  /** The signature in base58. */
  readonly signature: string;
  readonly lastValidBlockHeight: bigint;
}

/** A transaction that is final and succeeded. */
export interface Sent {
  /** The signature in base58. */
  readonly transaction: string;
  readonly slot: bigint;
  /**
   * Lamports: what the chain says that it took, or, if the node does not say, what follows from the chain's
   * rules.
   */
  readonly fee: bigint;
  /** How many transactions were signed, including this one. */
  readonly attempts: number;
}

/** A transaction that is final, so that its fee was paid. */
export interface Paid {
  readonly transaction: string;
  readonly slot: bigint;
  /** Lamports. */
  readonly fee: bigint;
  /** The name of the error that it failed with; null if it succeeded. */
  readonly error: string | null;
}

/** The outcome of a transaction that was sent. A fee is null if the node does not know it any more. */
export type Outcome =
  | { readonly kind: 'finalized'; readonly slot: bigint; readonly fee: bigint | null }
  | {
      readonly kind: 'failed';
      readonly slot: bigint;
      readonly fee: bigint | null;
      /** The same as `at` of a refusal. */
      readonly error: string;
    }
  /** It may still land. */
  | { readonly kind: 'pending' }
  /** It did not land and never can. */
  | { readonly kind: 'expired' };

export interface SenderLimits extends PriorityLimits {
  /** Milliseconds between two polls. */
  readonly pollMs: number;
  /** Seconds after which the same bytes are sent again. */
  readonly resendSeconds: number;
  /** Seconds after which nobody waits for a transaction any more, although its outcome is unknown. */
  readonly patienceSeconds: number;
  /** How many transactions are signed at most, each after the one before it can no longer land. */
  readonly attempts: number;
  /** How many times a call is made that comes before anything is sent. */
  readonly tries: number;
  /**
   * How many times the accounts are read after a transaction landed, because finalized accounts may come late.
   */
  readonly rereads: number;
}

export const SENDER_LIMITS: SenderLimits = {
  floor: 1000n,
  cap: 1_000_000n,
  percentile: 75,
  pollMs: 2000,
  resendSeconds: 6,
  patienceSeconds: 240,
  attempts: 3,
  tries: 4,
  rereads: 15,
};

export interface SenderParts {
  readonly rpc: ChainRpc;
  readonly payer: TransactionSigner;
  readonly limits: SenderLimits;
  /** Resolves or rejects early if the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Seconds of a clock that never goes back. */
  readonly elapsed: () => number;
  /** Called for each transaction that became final while it was waited for. */
  readonly paid?: (paid: Paid) => void;
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Has to make the transaction durable before it resolves. Nothing is sent before that. */
  readonly onOut?: (out: Outgoing) => Promise<void>;
}

/** The most bytes that a transaction can have on the wire. */
export const MAX_TRANSACTION_BYTES = 1232;

/** A placeholder for any blockhash: all blockhashes have the same length. */
const ANY_BLOCKHASH = '11111111111111111111111111111111' as Blockhash;

interface Landed {
  readonly slot: bigint;
  readonly error: unknown;
}

interface Ready {
  readonly out: Outgoing;
  readonly wire: Base64EncodedWireTransaction;
  /** Lamports, by the rules of the chain. */
  readonly fee: bigint;
}

/**
 * Sends transactions and waits until they are final. Nothing is signed a second time while an earlier
 * transaction could still land: the finalized height must be past its last block, and a node that knows at
 * least that finalized slot must not know its signature. A node that lies about that can cause a second payment
 * of the fee, but nothing else.
 */
export class Sender {
  readonly parts: SenderParts;
  readonly #calls: ChainCalls;

  constructor(parts: SenderParts) {
    this.parts = parts;
    this.#calls = chainCalls(parts.rpc);
  }

  /**
   * Sends one transaction with these instructions, which keep their places: the compute budget comes after
   * them.
   *
   * Throws `refused` (title `transaction`; `at` is a name of CHAIN_ERRORS or the runtime's name of the error)
   * if its simulation fails, or if it landed and failed; `too_large`; `timeout` at `blockhash` if every attempt
   * expired, at `confirmation` if the time for waiting ran out, and at `abort`; and the faults of the RPC.
   * After `timeout` at `confirmation` or `abort`, and after a fault of the RPC, a transaction that was passed
   * to `onOut` may still land: `outcome` tells.
   */
  async send(instructions: readonly Instruction[], options: SendOptions = {}): Promise<Sent> {
    const { limits } = this.parts;
    const { signal } = options;
    for (let attempt = 1; attempt <= limits.attempts; attempt += 1) {
      const ready = await this.#prepare(instructions, attempt, signal);
      requireGoing(signal);
      await options.onOut?.(ready.out);
      requireGoing(signal);
      const landed = await this.#land(ready, signal);
      if (landed === 'expired') continue;
      const { slot, error } = landed;
      const transaction = ready.out.signature;
      const fee = (await this.#feeOf(transaction, signal)) ?? ready.fee;
      const failed = error !== null;
      this.parts.paid?.({ transaction, slot, fee, error: failed ? refusalName(error) : null });
      if (failed) throw refusal(error);
      return { transaction, slot, fee, attempts: attempt };
    }
    throw new Fault('timeout', 'transaction', {
      at: 'blockhash',
      expected: `to land in one of ${limits.attempts} attempts`,
    });
  }

  /** Returns what became of a transaction that was sent. Throws the faults of the RPC. */
  async outcome(out: Outgoing, signal?: AbortSignal): Promise<Outcome> {
    const known = await this.#known(out, true, signal);
    if (typeof known === 'string') return { kind: known };
    const { slot, error } = known;
    const fee = await this.#feeOf(out.signature, signal);
    return error === null
      ? { kind: 'finalized', slot, fee }
      : { kind: 'failed', slot, fee, error: refusalName(error) };
  }

  /** Whether the instructions fit into one transaction together with their compute budget. */
  fits(instructions: readonly Instruction[]): boolean {
    return this.bytesOf(instructions) <= MAX_TRANSACTION_BYTES;
  }

  /** The size in bytes of the transaction with these instructions and their compute budget. */
  bytesOf(instructions: readonly Instruction[]): number {
    return getTransactionSize(compileTransaction(this.#message(instructions, ANY_BUDGET, ANY)));
  }

  /** Waits. Throws `timeout` at `abort`. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    requireGoing(signal);
    try {
      await this.parts.sleep(ms, signal);
    } catch (error) {
      requireGoing(signal);
      throw error;
    }
    requireGoing(signal);
  }

  async #prepare(
    instructions: readonly Instruction[],
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<Ready> {
    const bytes = this.bytesOf(instructions);
    if (bytes > MAX_TRANSACTION_BYTES) {
      throw new Fault('too_large', 'transaction', {
        expected: `at most ${MAX_TRANSACTION_BYTES} bytes`,
        found: String(bytes),
      });
    }
    const price = await this.#price(instructions, attempt, signal);
    const trial = compileTransaction(this.#message(instructions, { units: MAX_UNITS, price }, ANY));
    const { error, units } = await this.asked(signal, () =>
      this.#calls.simulate(getBase64EncodedWireTransaction(trial), signal),
    );
    if (error !== null) throw refusal(error);
    const budget = { units: limitFor(units), price };
    const latest = await this.asked(signal, () => this.#calls.latestBlockhash(signal));
    const message = this.#message(instructions, budget, latest);
    const signed = await signTransactionMessageWithSigners(message);
    const { lastValidBlockHeight } = latest;
    return {
      out: { signature: getSignatureFromTransaction(signed), lastValidBlockHeight },
      wire: getBase64EncodedWireTransaction(signed),
      fee: networkFee(Object.keys(signed.signatures).length, instructions, budget),
    };
  }

  /** Sends the same bytes again and again until their outcome is known. */
  async #land({ out, wire }: Ready, signal: AbortSignal | undefined): Promise<Landed | 'expired'> {
    const { limits, elapsed } = this.parts;
    const begun = elapsed();
    let pushed = Number.NEGATIVE_INFINITY;
    for (;;) {
      if (elapsed() - pushed >= limits.resendSeconds) {
        pushed = elapsed();
        // Whatever the node answered, it may have passed the transaction on. Only the status tells.
        await this.#calls.submit(wire, signal).catch(() => undefined);
      }
      await this.pause(limits.pollMs, signal);
      let fault: Fault | undefined;
      try {
        const known = await this.#known(out, false, signal);
        if (known !== 'pending') return known;
      } catch (error) {
        requireGoing(signal);
        if (!(error instanceof Fault)) throw error;
        fault = error;
      }
      if (elapsed() - begun > limits.patienceSeconds) {
        throw fault ?? new Fault('timeout', 'transaction', { at: 'confirmation' });
      }
    }
  }

  async #known(
    { signature, lastValidBlockHeight }: Outgoing,
    search: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Landed | 'pending' | 'expired'> {
    const { status } = await this.#calls.status(signature, search, signal);
    if (status !== undefined) return status.finalized ? status : 'pending';
    const head = await this.#calls.finalizedHead(signal);
    if (head.height <= lastValidBlockHeight) return 'pending';
    const last = await this.#calls.status(signature, true, signal);
    // A node that is behind that block does not know what it contains.
    if (last.context < head.slot) return 'pending';
    if (last.status === undefined) return 'expired';
    return last.status.finalized ? last.status : 'pending';
  }

  /** The price does not decide whether the transaction lands, so without an answer the floor is used. */
  async #price(
    instructions: readonly Instruction[],
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<bigint> {
    const { limits, payer } = this.parts;
    const written = instructions
      .flatMap(({ accounts = [] }) => accounts)
      .filter(({ role }) => isWritableRole(role))
      .map(({ address }) => address);
    const named: readonly Address[] = [...new Set([payer.address, ...written])];
    let recent: readonly bigint[] = [];
    try {
      recent = await this.#calls.recentFees(named, signal);
    } catch {
      requireGoing(signal);
    }
    return priorityFee(recent, limits, attempt);
  }

  async #feeOf(signature: string, signal: AbortSignal | undefined): Promise<bigint | null> {
    try {
      return await this.#calls.fee(signature, signal);
    } catch {
      return null;
    }
  }

  /**
   * Repeats a call, a limited number of times, if the RPC failed temporarily. It is for calls that come before
   * anything is sent.
   */
  async asked<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const { tries, pollMs } = this.parts.limits;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        requireGoing(signal);
        if (attempt >= tries || !isPassing(error)) throw error;
        await this.pause(pollMs * 2 ** (attempt - 1), signal);
      }
    }
  }

  #message(instructions: readonly Instruction[], budget: ComputeBudget, latest: LatestBlockhash) {
    return pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayerSigner(this.parts.payer, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
      (m) => appendTransactionMessageInstructions(instructions, m),
      (m) => appendTransactionMessageInstructions(budgetInstructions(budget), m),
    );
  }
}

const ANY: LatestBlockhash = { blockhash: ANY_BLOCKHASH, lastValidBlockHeight: 0n };
const ANY_BUDGET: ComputeBudget = { units: MAX_UNITS, price: 0n };

/** Throws the signal's own fault, or `timeout` at `abort`, once it is aborted. */
export function requireGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  if (signal.reason instanceof Fault) throw signal.reason;
  throw new Fault('timeout', 'transaction', { at: 'abort', found: messageOf(signal.reason) });
}
