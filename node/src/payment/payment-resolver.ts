import { Fault } from '@assay/core/fault';
import type { Exposure } from './exposure.ts';
import type { JwsKey } from './jws.ts';
import { signJws } from './jws.ts';
import type { Payment } from './payment.ts';
import type { LandedPayment, PaymentReader, TransferFormat } from './payment-chain.ts';
import type { PaymentStore } from './payment-store.ts';
import { OFFER_RECEIPT } from './tier-terms.ts';
import type { X402Wire } from './x402-wire.ts';

/**
 * For how many blocks a message can run after the height at which its record was written: a blockhash lives for 150, and as many again for
 * a node that did not know the newest block.
 */
export const LIFE_BLOCKS = 300;

/** Slots by which a transfer may have run before our node knew a block: somebody else may have sent it. */
const SLACK_SLOTS = 600;

export interface ResolverParts {
  readonly store: PaymentStore;
  readonly reader: PaymentReader;
  readonly format: TransferFormat;
  readonly wire: X402Wire;
  readonly key: JwsKey;
  readonly exposure: Exposure;
  readonly nowMs: () => number;
}

/** Signatures of transactions: 64 bytes in base58. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/**
 * Learns from the chain what has become of payments, and writes it down. The chain is the only witness: nothing that a facilitator or a
 * buyer says makes a payment `confirmed` or `failed`. Calls for one payment come one after another.
 */
export class PaymentResolver {
  readonly #parts: ResolverParts;

  constructor(parts: ResolverParts) {
    this.#parts = parts;
  }

  /** The payment as it is after asking the chain. Throws the Fault of the node, and changes nothing then. */
  async resolve(payment: Payment): Promise<Payment> {
    switch (payment.state) {
      case 'settling':
      case 'settled':
        return this.#resolve(payment, 'confirmed');
      case 'confirmed':
      case 'lost':
        return this.#resolve(payment, 'finalized');
      default:
        return payment;
    }
  }

  /** Whether the chain shows the payment now, by the signature that somebody named; the payment as it is then. */
  async confirm(payment: Payment, signature: string): Promise<Payment> {
    const landed = await this.#named(payment, signature, 'confirmed');
    if (landed === null || landed.failed) return payment;
    return this.paid(payment, 'confirmed', landed.signature);
  }

  /** Writes that an answer may be given, with the receipt for it, which is made once. */
  async paid(
    payment: Payment,
    state: 'settled' | 'confirmed',
    signature: string,
  ): Promise<Payment> {
    const paid_ms = payment.paid_ms ?? this.#parts.nowMs();
    const response = payment.response ?? this.#response(payment, signature, paid_ms);
    return this.#write(payment, { state, signature, paid_ms, response });
  }

  async #resolve(payment: Payment, commitment: 'confirmed' | 'finalized'): Promise<Payment> {
    const landed = await this.#find(payment, commitment);
    if (landed === null) return this.#absent(payment);
    if (landed.failed) return this.#over(payment);
    if (commitment === 'confirmed') return this.paid(payment, 'confirmed', landed.signature);
    const received = landed.received === null ? null : String(landed.received);
    return this.#write(payment, { state: 'final', signature: landed.signature, received });
  }

  /** It is not on the chain. That is final once it cannot run any more, which is looked up first, and then searched for again. */
  async #absent(payment: Payment): Promise<Payment> {
    if (payment.state === 'lost') return payment;
    const { height } = await this.#parts.reader.head('finalized');
    if (height <= payment.head.height + LIFE_BLOCKS) return payment;
    const late = await this.#find(payment, 'finalized');
    if (late === null || late.failed) return this.#over(payment);
    return this.paid(payment, 'confirmed', late.signature);
  }

  /** It has not moved anything and never will. */
  #over(payment: Payment): Promise<Payment> {
    if (payment.state === 'lost') return Promise.resolve(payment);
    const state = payment.state === 'settling' ? 'failed' : 'lost';
    return this.#write(payment, { state, kept: false });
  }

  async #find(
    payment: Payment,
    commitment: 'confirmed' | 'finalized',
  ): Promise<LandedPayment | null> {
    const { signature, head, transaction } = payment;
    const named = signature === null ? null : await this.#named(payment, signature, commitment);
    if (named !== null) return named;
    const { reader, format } = this.#parts;
    return reader.search(format.parse(transaction), head.slot - SLACK_SLOTS, commitment);
  }

  async #named(
    { transaction }: Payment,
    signature: string,
    commitment: 'confirmed' | 'finalized',
  ): Promise<LandedPayment | null> {
    if (!SIGNATURE.test(signature)) return null;
    const { reader, format } = this.#parts;
    try {
      return await reader.transaction(signature, format.parse(transaction), commitment);
    } catch (error) {
      // Whoever named it may have named something that is no signature.
      if (error instanceof Fault && error.code === 'refused') return null;
      throw error;
    }
  }

  async #write(payment: Payment, change: Partial<Payment>): Promise<Payment> {
    const after = await this.#parts.store.update(payment, change);
    this.#parts.exposure.note(after);
    return after;
  }

  /** The value of PAYMENT-RESPONSE, with a receipt (x402 extension `offer-receipt`) that also names what was served. */
  #response(payment: Payment, transaction: string, paidMs: number): string {
    const { terms, payer, resource, answer } = payment;
    const { network, amount } = terms;
    const { leaf_hash: leafHash, seq, sha256: contentSha256 } = answer;
    const receipt = {
      version: 1,
      network,
      resourceUrl: resource,
      payer,
      issuedAt: Math.floor(paidMs / 1000),
      transaction,
      contentSha256,
      ...(leafHash === null ? {} : { leafHash, seq }),
    };
    const signature = signJws(receipt, this.#parts.key);
    return this.#parts.wire.response({
      success: true,
      payer,
      transaction,
      network,
      amount,
      extensions: { [OFFER_RECEIPT]: { info: { receipt: { format: 'jws', signature } } } },
    });
  }
}
