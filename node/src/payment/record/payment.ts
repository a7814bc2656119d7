/**
 * What is known of the transfer of a payment:
 *
 * - `settling`: it may run or not. The record is written before anybody is asked to settle it.
 * - `settled`: the facilitator says that it ran. The chain has not been asked, or does not show it yet.
 * - `confirmed`: the chain shows it in a block that is not final.
 * - `final`: the chain shows it in a finalized block.
 * - `failed`: it has not run and cannot run any more, or ran with an error. Nothing was charged.
 * - `lost`: an answer was given for it, and it is not on the chain and cannot run any more.
 */
export const PAYMENT_STATES = [
  'settling',
  'settled',
  'confirmed',
  'final',
  'failed',
  'lost',
] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** What a payment pays: the terms of x402 that a buyer accepted (`PaymentRequirements`). */
export interface PaymentTerms {
  readonly scheme: string;
  /** CAIP-2. */
  readonly network: string;
  /** In the smallest unit of the asset, decimal. */
  readonly amount: string;
  /** The mint. */
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The answer that a payment buys, without its bytes, which are stored apart. */
export interface BoughtAnswer {
  readonly content_type: string;
  readonly bytes: number;
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string;
  /** The entry of the log that was served or that the answer follows from; null for an empty log. */
  readonly leaf_hash: string | null;
  readonly seq: number | null;
}

/** The record of one payment, as it is stored. */
export interface Payment {
  readonly version: 1;
  /** SHA-256 of the message that the buyer signed, hex: the chain runs it at most once. */
  readonly key: string;
  /** The buyer's own name for its purchase (x402 extension `payment-identifier`). */
  readonly identifier: string;
  /** SHA-256 of the request that it was presented with, without the host, hex. Records of before had the host in it. */
  readonly fingerprint: string;
  /** The address of what was bought. */
  readonly resource: string;
  /** The pattern of its path. */
  readonly path: string;
  readonly terms: PaymentTerms;
  readonly payer: string;
  /** The transaction as the buyer signed it, base64: what it takes to settle or find it again. */
  readonly transaction: string;
  /** Unix milliseconds of the record's first write. */
  readonly at_ms: number;
  /** The newest block of the chain then. */
  readonly head: { readonly slot: number; readonly height: number };
  readonly answer: BoughtAnswer;
  readonly state: PaymentState;
  /** What the facilitator said when it did not say `settled`; null otherwise. It proves nothing. */
  readonly said: string | null;
  /** The signature of the transaction that ran; null until it is known. */
  readonly signature: string | null;
  /** The value of PAYMENT-RESPONSE; null before there is one. */
  readonly response: string | null;
  /** Unix milliseconds from which on the answer could be given; null before. */
  readonly paid_ms: number | null;
  /** By how much the seller's account grew, as a finalized block shows; null before, or where the node does not say. */
  readonly received: string | null;
  /** Whether the bytes of the answer are still there. */
  readonly kept: boolean;
}

/**
 * A transfer that a facilitator was asked to verify, and that has no record yet. Whoever verifies it has the whole transaction and can send it,
 * whatever it answers.
 */
export type HandedTransfer = Pick<
  Payment,
  | 'version'
  | 'key'
  | 'identifier'
  | 'fingerprint'
  | 'resource'
  | 'path'
  | 'terms'
  | 'payer'
  | 'transaction'
  | 'at_ms'
  | 'head'
>;

/** The record of a transfer that ran and whose buyer has not asked for an answer in time: it buys nothing any more, and stays in the books. */
export function unansweredPayment(
  handed: HandedTransfer,
  signature: string,
  paid_ms: number,
): Payment {
  return {
    ...handed,
    answer: { content_type: '', bytes: 0, sha256: SHA256_OF_NOTHING, leaf_hash: null, seq: null },
    state: 'confirmed',
    said: null,
    signature,
    response: null,
    paid_ms,
    received: null,
    kept: false,
  };
}

const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The key of the lock under which a purchase is made. */
export function purchaseLock(identifier: string): string {
  return `identifier ${identifier}`;
}

/** Whether an answer may be given for a payment in this state. */
export function isPaid(state: PaymentState): boolean {
  return state === 'settled' || state === 'confirmed' || state === 'final';
}

/** Whether something may still be learnt about it. What was lost can come back with a fork of the chain. */
export function isOpen(state: PaymentState): boolean {
  return state === 'settling' || state === 'settled' || state === 'confirmed' || state === 'lost';
}

const NEXT: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  settling: ['settled', 'confirmed', 'final', 'failed'],
  settled: ['confirmed', 'final', 'lost'],
  confirmed: ['final', 'lost'],
  final: [],
  failed: [],
  lost: ['confirmed', 'final'],
};

/** Whether a payment may go from one state to another. */
export function mayBecome(before: PaymentState, after: PaymentState): boolean {
  return NEXT[before].includes(after);
}
