import { parseBase58 } from '@assay/core/bytes/base58';
import { Fault } from '@assay/core/fault';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { Exposure } from './exposure.ts';
import type { JwsKey } from './jws.ts';
import { signJws } from './jws.ts';
import type { Payment } from './record/payment.ts';
import type {
  ChainHead,
  LandedPayment,
  PaymentReader,
  SignedTransfer,
  TransferFormat,
} from './payment-chain.ts';
import type { PaymentStore } from './record/payment-store.ts';
import { OFFER_RECEIPT } from './tier-terms.ts';
import type { X402Wire } from './x402-wire.ts';

/**
 * The limit within which a transfer runs, in blocks after and in slots before the newest block that its record names. A blockhash lives for 150
 * blocks; as many again are for slots without a block and for a node that was behind. It takes about two minutes.
 */
export const LIFE_BLOCKS = 300;

export interface ResolverParts {
  readonly store: PaymentStore;
  readonly reader: PaymentReader;
  readonly format: TransferFormat;
  readonly wire: X402Wire;
  readonly key: JwsKey;
  readonly exposure: Exposure;
  /** The chain that payments are made on, as CAIP-2 names it; null for a development chain, which has a name of its own. */
  readonly network: string | null;
  readonly nowMs: () => number;
}

/** What it takes to find a transfer: its transaction, base64, and the newest block when it was first seen. */
export type Sought = Pick<Payment, 'transaction' | 'head'>;

/** The oldest slot in which a transfer may have run. Slot 0 has no transactions. */
function firstSlotOf({ head }: Sought): number {
  return Math.max(1, head.slot - LIFE_BLOCKS);
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

  /**
   * The payment as it is after asking the chain. Throws the Fault of the node, and changes nothing then: `bad_config` for a node of
   * another chain, `not_checked` for one that does not have the slots in which the transfer may have run. A payment that comes back as
   * `failed` or `lost` was shown by this call not to have run and not to run any more, unless it had failed before.
   */
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

  /**
   * The newest block for the record of a transfer; undefined while the node does not know the blockhash that the transfer names, or knows
   * that its life is over. So what is recorded bounds when the transfer can run. Throws `bad_config` for a node of another chain.
   */
  async headFor(transfer: Pick<SignedTransfer, 'blockhash'>): Promise<ChainHead | undefined> {
    const { reader } = this.#parts;
    const [isRecent, head] = await Promise.all([
      reader.isRecent(transfer.blockhash, 'confirmed'),
      reader.head('confirmed'),
      this.requireNetwork(),
    ]);
    return isRecent ? head : undefined;
  }

  /** Throws `bad_config` if the node is of another chain than the payments. */
  async requireNetwork(): Promise<void> {
    const { reader, network } = this.#parts;
    if (network === null) return;
    const found = await reader.network();
    if (found === network) return;
    throw new Fault('bad_config', 'tier', { at: 'rpc', expected: `a node of ${network}`, found });
  }

  /** The signature under which a transfer has run without an error; undefined if the chain does not show it now. */
  async runOf(sought: Sought): Promise<string | undefined> {
    const landed = await this.#search(sought, 'confirmed');
    return landed === null || landed.failed ? undefined : landed.signature;
  }

  /**
   * What became of a transfer that has no record: the signature under which it ran without an error, `over` if it never ran and cannot any
   * more, and `alive` while it can. Throws what `resolve` does.
   */
  async fateOf(sought: Sought): Promise<{ readonly signature: string } | 'over' | 'alive'> {
    const signature = await this.runOf(sought);
    if (signature !== undefined) return { signature };
    const late = await this.#afterLife(sought);
    if (late === 'alive') return 'alive';
    return late === 'never' || late.failed ? 'over' : { signature: late.signature };
  }

  /**
   * Whether a text is the signature by which the chain names the transaction of a payment: that of the account that pays the network's fee, over
   * the message. It shows that this account has signed, and not that the transaction ran.
   */
  isSignatureOf({ transaction }: Payment, signature: string): boolean {
    const { feePayer, message } = this.#parts.format.parse(transaction);
    try {
      return nodeVerifySignature(parseBase58(feePayer, 32), message, parseBase58(signature, 64));
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
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
    if (landed.failed) return this.#errored(payment);
    if (commitment === 'confirmed') return this.paid(payment, 'confirmed', landed.signature);
    const received = landed.received === null ? null : String(landed.received);
    return this.#write(payment, { state: 'final', signature: landed.signature, received });
  }

  /** It ran with an error, which a reorganisation can undo until the block is final. */
  async #errored(payment: Payment): Promise<Payment> {
    const landed = await this.#find(payment, 'finalized');
    return landed?.failed === true ? this.#over(payment) : payment;
  }

  /** It is not on the chain. */
  async #absent(payment: Payment): Promise<Payment> {
    const late = await this.#afterLife(payment);
    if (late === 'alive') {
      if (payment.state !== 'lost') return payment;
      throw new Fault('not_checked', 'payments', {
        expected: 'a transfer that cannot run any more',
      });
    }
    if (late === 'never' || late.failed) return this.#over(payment);
    return this.paid(payment, 'confirmed', late.signature);
  }

  /**
   * What a finalized search finds of a transfer that cannot run any more: the transfer, or `never`; `alive` while it still can run.
   * `never` is only said of a node that is of the right chain, that has every slot in which the transfer may have run, and that knows the
   * finalized block by which its life was over.
   */
  async #afterLife(sought: Sought): Promise<LandedPayment | 'never' | 'alive'> {
    const { reader } = this.#parts;
    await this.requireNetwork();
    const tip = await reader.head('finalized');
    if (tip.height <= sought.head.height + LIFE_BLOCKS) return 'alive';
    const landed = await this.#search(sought, 'finalized', tip.slot);
    if (landed !== null) return landed;
    // It is asked last, because a node forgets its oldest slots while it is searched.
    const first = await reader.firstAvailable();
    const from = firstSlotOf(sought);
    if (first <= from) return 'never';
    throw new Fault('not_checked', 'Solana RPC', {
      at: 'getFirstAvailableBlock',
      expected: `the transactions since slot ${from}`,
      found: `those since slot ${first}`,
    });
  }

  /** It has not moved anything and never will. What was answered is kept for its time, because a loss may be a mistake. */
  #over(payment: Payment): Promise<Payment> {
    switch (payment.state) {
      case 'lost':
        return Promise.resolve(payment);
      case 'settling':
        return this.#write(payment, { state: 'failed', kept: false });
      default:
        return this.#write(payment, { state: 'lost' });
    }
  }

  async #find(
    payment: Payment,
    commitment: 'confirmed' | 'finalized',
  ): Promise<LandedPayment | null> {
    const { signature } = payment;
    const named = signature === null ? null : await this.#named(payment, signature, commitment);
    return named ?? this.#search(payment, commitment);
  }

  #search(
    sought: Sought,
    commitment: 'confirmed' | 'finalized',
    to?: number,
  ): Promise<LandedPayment | null> {
    const { reader, format } = this.#parts;
    const slots = { from: firstSlotOf(sought), ...(to === undefined ? {} : { to }) };
    return reader.search(format.parse(sought.transaction), slots, commitment);
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
