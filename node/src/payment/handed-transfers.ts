import { messageOf } from '@assay/core/fault';
import type { ApiReply } from '../http/request.ts';
import type { PaymentPayload } from './facilitator.ts';
import type { ChainHead, SignedTransfer } from './payment-chain.ts';
import type { PaymentResolver } from './payment-resolver.ts';
import { type EngineParts, handedOf, type Presented, type Purchase, recordOf } from './purchase.ts';
import { requiredReply } from './purchase-terms.ts';
import type { HandedTransfer, Payment, PaymentTerms } from './record/payment.ts';
import { conflict, later, RETRY_S, unavailable } from './refusal.ts';
import type { Settlement } from './settlement.ts';
import { UnknownBlockhashes } from './unknown-blockhashes.ts';

/** Milliseconds between two looks at the chain. */
const LOOK_MS = 250;
/** How often the chain's node is asked for a blockhash that it does not know, and how many payments may wait for that at once. */
const BLOCKHASH_TRIES = 8;
const MAX_UNFAMILIAR = 32;

/** A payment whose record is on the disk, and what a facilitator needs to settle it. */
export interface Written {
  readonly payment: Payment;
  readonly payload: PaymentPayload;
}

/**
 * The transfers that a facilitator was given. Each may run whatever the facilitator says, so each is written before, and of two that buy the
 * same the later one waits until the earlier one cannot run any more.
 */
export class HandedTransfers {
  readonly #parts: EngineParts;
  readonly #settlement: Settlement;
  /** Payments that wait for the chain's node to learn their blockhash. */
  #unfamiliar = 0;
  readonly #unknownBlockhashes = new UnknownBlockhashes();

  constructor(parts: EngineParts, settlement: Settlement) {
    this.#parts = parts;
    this.#settlement = settlement;
  }

  /**
   * A transfer of this purchase that a facilitator was given before, and of which it is not known that it cannot run: it takes the place of the
   * one that is presented, for two of them must never be on their way. Or the answer, where the earlier one has run or is in the way. With
   * `own`, the presented transfer is looked for as well, and those of other purchases are not.
   */
  async earlier(
    purchase: Purchase,
    { identifier, transfer }: Presented,
    { own }: { readonly own: boolean },
  ): Promise<HandedTransfer | ApiReply | undefined> {
    const { store, resolver, log } = this.#parts;
    const { request, fingerprint } = purchase;
    for (const each of await store.handedUnder(identifier)) {
      const isOfThis = each.payer === transfer.payer && each.fingerprint === fingerprint;
      if (own ? !isOfThis : each.key === transfer.messageHash) continue;
      let fate: Awaited<ReturnType<PaymentResolver['fateOf']>>;
      try {
        fate = await resolver.fateOf(each);
      } catch (error) {
        log.warn({ payment: each.key, reason: messageOf(error) }, 'the chain cannot be read');
        return this.#settlement.unsettled(request);
      }
      if (fate === 'over') {
        await store.unhand(each);
        continue;
      }
      if (!isOfThis) return conflict(request, `The identifier was used for ${each.resource}.`);
      return fate === 'alive' ? each : this.#adopt(purchase, each, fate.signature, null);
    }
    return undefined;
  }

  /** Has a payment verified, makes what it buys, and writes both. A reply says why there is nothing to settle. */
  async write(
    purchase: Purchase,
    presented: Presented,
    terms: PaymentTerms,
  ): Promise<Written | ApiReply> {
    const earlier = await this.earlier(purchase, presented, { own: false });
    if (earlier === undefined) return this.#offer(purchase, presented, terms, false);
    if ('status' in earlier) return earlier;
    return this.#offer(purchase, this.#instead(presented, earlier), earlier.terms, true);
  }

  /** `isEarlier` is whether the transfer is used instead of the one that was presented. */
  async #offer(
    purchase: Purchase,
    presented: Presented,
    terms: PaymentTerms,
    isEarlier: boolean,
  ): Promise<Written | ApiReply> {
    const { request, paid } = purchase;
    const handed = await this.#hand(purchase, presented, terms);
    if ('status' in handed) return handed;
    const { head, isKnown } = handed;
    const verification = await this.#parts.facilitator.verify(presented.payload, terms);
    if (verification.kind === 'invalid') {
      const { reason } = verification;
      const settled = await this.#uncalled(purchase, presented, terms, head, reason);
      if (settled !== undefined) return settled;
      // Who signs a third time would not be any further: the first transfer can still run.
      if (isEarlier) return this.#settlement.unsettled(request);
      return requiredReply(this.#parts, purchase, reason);
    }
    if (verification.kind === 'unavailable') {
      const { reason } = verification;
      this.#parts.log.warn({ reason }, 'the facilitator did not verify');
      // It may have sent what it was given before, and may not answer for ever.
      const settled = isKnown
        ? await this.#uncalled(purchase, presented, terms, head, reason)
        : undefined;
      return settled ?? unavailable(request);
    }
    const prepared = await paid.prepare(request);
    if (prepared.kind !== 'paid') return prepared;
    const payment = recordOf(
      handedOf(purchase, presented, terms, head, this.#parts.nowMs()),
      prepared,
    );
    await this.#parts.store.add(payment, prepared.body);
    return { payment, payload: presented.payload };
  }

  /** What would have been presented with an earlier transaction. */
  #instead(presented: Presented, { transaction, terms }: HandedTransfer): Presented {
    const { payload } = presented;
    return {
      ...presented,
      payload: { ...payload, accepted: terms, payload: { ...payload.payload, transaction } },
      transfer: this.#parts.format.parse(transaction),
      transaction,
    };
  }

  /**
   * Writes a transfer before anybody is given it. The newest block by its first such record, and whether there was one before; a reply if the
   * chain cannot be read, or if too many are written.
   */
  async #hand(
    purchase: Purchase,
    presented: Presented,
    terms: PaymentTerms,
  ): Promise<{ readonly head: ChainHead; readonly isKnown: boolean } | ApiReply> {
    const { store } = this.#parts;
    const { request } = purchase;
    const { transfer } = presented;
    const before = await store.handed(transfer.messageHash);
    if (before !== undefined) return { head: before.head, isKnown: true };
    if (!store.tally.mayHand(transfer.payer)) {
      const detail = 'Transfers of this payer, or of many payers, have not run and still can.';
      return later(request, 'busy', RETRY_S, detail);
    }
    const head = await this.#headFor(transfer);
    if (head === 'over') {
      return requiredReply(
        this.#parts,
        purchase,
        'the blockhash of the transfer is over: sign again',
      );
    }
    if (head === undefined) return unavailable(request);
    await store.hand(handedOf(purchase, presented, terms, head, this.#parts.nowMs()));
    return { head, isKnown: false };
  }

  /**
   * The newest block, read from a node that knows the blockhash of the transfer; undefined if it cannot be had now. The buyer's node may be
   * some blocks ahead, so a few wait for it. Anyone can invent a blockhash. It is `over` if the node has not learnt it for a minute: whoever
   * sent the same again would wait for ever.
   */
  async #headFor(transfer: SignedTransfer): Promise<ChainHead | 'over' | undefined> {
    const { resolver, pause, nowMs, log } = this.#parts;
    try {
      const known = await resolver.headFor(transfer);
      if (known !== undefined) return known;
      if (this.#unfamiliar < MAX_UNFAMILIAR) {
        this.#unfamiliar += 1;
        try {
          for (let i = 1; i < BLOCKHASH_TRIES; i += 1) {
            await pause(LOOK_MS);
            const head = await resolver.headFor(transfer);
            if (head !== undefined) return head;
          }
        } finally {
          this.#unfamiliar -= 1;
        }
      }
      log.warn(
        { payment: transfer.messageHash },
        'the node of the chain does not know a blockhash',
      );
      if (this.#unknownBlockhashes.note(transfer.blockhash, nowMs())) return 'over';
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the chain cannot be read');
    }
    return undefined;
  }

  /**
   * The facilitator has not called a payment valid. It has the transaction and may have sent it, so the chain is asked; undefined if it has
   * not.
   */
  async #uncalled(
    purchase: Purchase,
    presented: Presented,
    terms: PaymentTerms,
    head: ChainHead,
    reason: string,
  ): Promise<ApiReply | undefined> {
    const { resolver, log } = this.#parts;
    let signature: string | undefined;
    try {
      signature = await resolver.runOf({ transaction: presented.transaction, head });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the chain cannot be read');
      return this.#settlement.unsettled(purchase.request);
    }
    if (signature === undefined) return undefined;
    const handed = handedOf(purchase, presented, terms, head, this.#parts.nowMs());
    return this.#adopt(purchase, handed, signature, reason);
  }

  /** Answers a transfer that has run although its facilitator did not call it valid. */
  async #adopt(
    { request, paid }: Purchase,
    handed: HandedTransfer,
    signature: string,
    said: string | null,
  ): Promise<ApiReply> {
    const { resolver, store, log } = this.#parts;
    log.error({ signature, said }, 'a facilitator has settled what it did not call valid');
    // It was charged, so no problem may say otherwise. A repeat finds it on the chain again.
    try {
      const prepared = await paid.prepare(request);
      if (prepared.kind !== 'paid') {
        return prepared.status === 200 ? prepared : this.#settlement.unsettled(request);
      }
      const payment = { ...recordOf(handed, prepared), said };
      await store.add(payment, prepared.body);
      return await this.#settlement.serve(
        request,
        await resolver.paid(payment, 'confirmed', signature),
      );
    } catch (error) {
      return this.#settlement.unknown(request, handed, messageOf(error));
    }
  }
}
