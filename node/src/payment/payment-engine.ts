import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import { problem, type ProblemCode } from '../http/problem.ts';
import { whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import type { Concern } from '../health/concern.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import { isStorageFault } from '../platform/storage-fault.ts';
import type { Exposure } from './exposure.ts';
import type { Facilitator, PaymentPayload } from './facilitator.ts';
import type { JwsKey } from './jws.ts';
import { KeyedLock } from './keyed-lock.ts';
import { asksForSample, type PaidAnswer, type PaidResource, tierClosed } from './paid-resource.ts';
import {
  type HandedTransfer,
  isPaid,
  type Payment,
  type PaymentTerms,
  purchaseLock,
} from './payment.ts';
import type { ChainHead, SignedTransfer, TransferFormat } from './payment-chain.ts';
import { paymentRequired, paymentRequiredReply } from './payment-required.ts';
import { PaymentQueue } from './payment-queue.ts';
import type { PaymentResolver } from './payment-resolver.ts';
import type { PaymentStore } from './payment-store.ts';
import {
  acceptedAmount,
  bindingOf,
  identifierOf,
  newBinding,
  requestName,
  requestNameIn,
  type Resource,
  termsOf,
  type TierTerms,
} from './tier-terms.ts';
import { UnknownBlockhashes } from './unknown-blockhashes.ts';
import type { X402Wire } from './x402-wire.ts';

export interface EngineParts {
  readonly terms: TierTerms;
  readonly facilitator: Facilitator;
  readonly format: TransferFormat;
  readonly wire: X402Wire;
  readonly store: PaymentStore;
  readonly resolver: PaymentResolver;
  readonly exposure: Exposure;
  /** Signs offers and receipts. */
  readonly key: JwsKey;
  readonly nowMs: () => number;
  /** Waits for so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** How long a payment that the facilitator calls settled is looked for on the chain before the answer is `settlement_unknown`. */
  readonly confirmMs: number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** What a buyer presented: a payment that its payer has signed. */
interface Presented {
  readonly payload: PaymentPayload;
  readonly transfer: SignedTransfer;
  readonly identifier: string;
  readonly transaction: string;
}

/** The most characters of PAYMENT-SIGNATURE. A transaction has at most 1,644, and an offer about 700. */
const MAX_HEADER = 12_288;
/** The most characters of a path and query. The header of a 402 has them twice, and proxies allow it a few thousand. */
const MAX_NAME = 128;
const TOO_LONG = `The path and query have over ${MAX_NAME} characters.`;
const SIGNED_FOR_ANOTHER =
  'The payment was signed for another address. Nothing was charged for this request.';
/** Seconds after which to repeat: a request that nothing was done for, and a payment that is not settled. */
const RETRY_S = 5;
const UNKNOWN_RETRY_S = 2;
/** Milliseconds between two looks at the chain. */
const LOOK_MS = 250;
/** How often the chain's node is asked for a blockhash that it does not know, and how many payments may wait for that at once. */
const BLOCKHASH_TRIES = 8;
const MAX_UNFAMILIAR = 32;

/** A payment whose record is on the disk, and what a facilitator needs to settle it. */
interface Written {
  readonly payment: Payment;
  readonly payload: PaymentPayload;
}

/** One request and what it is for. */
interface Purchase {
  readonly paid: PaidResource;
  readonly request: ApiRequest;
  /** Whether it is sold now. What was bought is answered in any case. */
  readonly isPriced: boolean;
  readonly resource: Resource;
  readonly fingerprint: string;
}

/**
 * Sells answers: takes a request with or without a payment, and gives the answer, the terms, or the reason why not. What it promises is in
 * `docs/adr/0054-a-payment-is-written-before-it-is-settled.md`: nothing is charged twice, nothing is charged for an error, and a payment
 * that was charged is answered with the same bytes however often it is repeated.
 */
export class PaymentEngine {
  readonly #parts: EngineParts;
  readonly #lock: KeyedLock;
  /** Requests under way, by payment, identifier and request: copies of one get its answer. */
  readonly #pending = new Map<string, Promise<ApiReply>>();
  /** Answers that were bought and are read now, by the keys of their payments. */
  readonly #serving = new Map<string, Promise<ApiReply>>();
  readonly #queue = new PaymentQueue();
  /** Payments that wait for the chain's node to learn their blockhash. */
  #unfamiliar = 0;
  readonly #unknownBlockhashes = new UnknownBlockhashes();

  constructor(parts: EngineParts, lock: KeyedLock = new KeyedLock()) {
    this.#parts = parts;
    this.#lock = lock;
  }

  /** Answers a request for something that is sold. */
  async answer(paid: PaidResource, request: ApiRequest): Promise<ApiReply> {
    const { origin, prices } = this.#parts.terms;
    const { path, operation } = paid;
    const isPriced = prices[path] !== undefined;
    if (isPriced && asksForSample(request)) return paid.sample(request);
    const name = requestName(request);
    if (name.length > MAX_NAME) return problem(request, 'bad_request', { detail: TOO_LONG });
    const purchase: Purchase = {
      paid,
      request,
      isPriced,
      resource: { path, name, url: `${origin}${name}`, summary: operation.summary },
      fingerprint: createHash('sha256').update(`GET ${name}`).digest('hex'),
    };
    const header = request.header('payment-signature');
    // HEAD shows what GET would ask for. It takes no payment, for it could give nothing for it.
    if (header === undefined || request.method === 'HEAD') return this.#unpaid(purchase);
    const presented = this.#parse(header);
    if (typeof presented !== 'string') return this.#joined(purchase, presented);
    if (!isPriced) return tierClosed(request);
    return problem(request, 'invalid_payment', { detail: presented });
  }

  /** What is wrong, for readers. */
  concerns(): readonly Concern[] {
    const { exposure } = this.#parts;
    if (exposure.sum === 0n) return [];
    return [
      {
        level: 'degraded',
        reason: `Answers for ${exposure.sum} units were served for payments that the chain does not show.`,
      },
    ];
  }

  /** Resolves when no payment is under way. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#pending.values());
  }

  async #unpaid(purchase: Purchase): Promise<ApiReply> {
    if (!purchase.isPriced) return tierClosed(purchase.request);
    const refused = await purchase.paid.check(purchase.request);
    return refused ?? this.#required(purchase, 'payment required');
  }

  /** A 402 with the terms of now. */
  async #required({ request, resource }: Purchase, error: string): Promise<ApiReply> {
    const { terms, facilitator, wire, key, nowMs } = this.#parts;
    const feePayer = await facilitator.feePayer(terms.network);
    if (feePayer === undefined) return unavailable(request);
    const accepts = termsOf(terms, resource, feePayer, newBinding(resource, key));
    const nowS = Math.floor(nowMs() / 1000);
    const required = paymentRequired(resource, accepts, terms, key, nowS, error);
    const failed =
      error === 'payment required'
        ? undefined
        : wire.response({
            success: false,
            errorReason: error,
            transaction: '',
            network: terms.network,
          });
    return paymentRequiredReply(wire, required, failed);
  }

  /** What a header presents, or why it cannot be read. */
  #parse(header: string): Presented | string {
    if (header.length > MAX_HEADER) return `The header has over ${MAX_HEADER} characters.`;
    const payload = this.#parts.wire.payment(header);
    if (payload === undefined) return 'The header is no base64 of a payment of x402, version 2.';
    const identifier = identifierOf(payload.extensions);
    if (identifier === undefined) {
      return 'The payment has no `extensions["payment-identifier"].info.id` of 16 to 128 letters, digits, hyphens or underscores. It is what keeps you from paying twice.';
    }
    const { transaction } = payload.payload;
    if (typeof transaction !== 'string') return 'The payment has no `payload.transaction`.';
    let transfer: SignedTransfer;
    try {
      transfer = this.#parts.format.parse(transaction);
    } catch (error) {
      return `The payment has no transfer of the scheme "exact" on Solana: ${messageOf(error)}.`;
    }
    if (!nodeVerifySignature(transfer.payerKey, transfer.message, transfer.signature)) {
      return 'The transfer is not signed by its payer.';
    }
    return { payload, transfer, identifier, transaction };
  }

  /** One attempt for all copies of a payment that are here at once. */
  #joined(purchase: Purchase, presented: Presented): Promise<ApiReply> {
    const name = `${presented.transfer.messageHash} ${presented.identifier} ${purchase.fingerprint}`;
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    const attempt = this.#attempt(purchase, presented)
      .catch((error: unknown) => {
        // Without the records, nobody knows what was begun before.
        if (!isStorageFault(error)) throw error;
        this.#parts.log.error({ reason: messageOf(error) }, 'payments cannot be read');
        return this.#unsettled(purchase.request);
      })
      .finally(() => this.#pending.delete(name));
    this.#pending.set(name, attempt);
    return attempt;
  }

  async #attempt(purchase: Purchase, presented: Presented): Promise<ApiReply> {
    const { store } = this.#parts;
    const { identifier, transfer } = presented;
    // What is paid needs no place among those who wait.
    const bought = await store.byIdentifier(identifier);
    if (bought !== undefined && isPaid(bought.state)) {
      const refused = await this.#conflicting(purchase, presented, bought);
      return refused ?? this.#serve(purchase.request, bought);
    }
    const leave = this.#queue.enter(identifier, transfer.payer);
    if (leave === undefined) return later(purchase.request, 'busy', 1, undefined);
    try {
      return await this.#lock.run(purchaseLock(identifier), async () => {
        // What there is under an identifier changes only here, so it is also what is held.
        const known = await store.byIdentifier(identifier);
        const handed = await store.handedUnder(identifier);
        const keys = [transfer.messageHash, known?.key, ...handed.map(({ key }) => key)];
        const held = keys.filter((key) => key !== undefined);
        return this.#lock.runAll(held, () => this.#take(purchase, presented));
      });
    } finally {
      leave();
    }
  }

  /** Calls for one identifier come one after another. */
  async #take(purchase: Purchase, presented: Presented): Promise<ApiReply> {
    const { store } = this.#parts;
    const { identifier, transfer } = presented;
    const known = await store.byIdentifier(identifier);
    const refused = await this.#conflicting(purchase, presented, known);
    if (refused !== undefined) return refused;
    const same = await store.get(transfer.messageHash);
    if (known === undefined || known.state === 'failed') {
      return this.#buy(purchase, presented, same);
    }
    if (isPaid(known.state)) return this.#serve(purchase.request, known);
    return this.#repeated(purchase, presented, known, same);
  }

  /** Why a payment may not be presented with its identifier and request, where `known` is the newest under the identifier. */
  async #conflicting(
    { request, resource }: Purchase,
    { identifier, transfer }: Presented,
    known: Payment | undefined,
  ): Promise<ApiReply | undefined> {
    const { store } = this.#parts;
    const { messageHash, payer } = transfer;
    const first = (await store.get(messageHash)) ?? (await store.handed(messageHash));
    if (first !== undefined && first.identifier !== identifier) {
      return conflict(request, 'This transfer was presented under another identifier.');
    }
    if (known === undefined || known.state === 'failed') return undefined;
    if (known.payer !== payer) {
      return conflict(request, 'The identifier was used by another payer.');
    }
    // The host may have changed since. What was bought is the same.
    return requestNameIn(known.resource) === resource.name
      ? undefined
      : conflict(request, `The identifier was used for ${known.resource}.`);
  }

  /**
   * A payment that was begun before, and of which it is not known whether it was made, or which is lost. A lost one is bought again only
   * after the chain has shown once more that it cannot have been made.
   */
  async #repeated(
    purchase: Purchase,
    presented: Presented,
    known: Payment,
    same: Payment | undefined,
  ): Promise<ApiReply> {
    const { request } = purchase;
    let payment: Payment;
    try {
      payment = await this.#parts.resolver.resolve(known);
    } catch (error) {
      return this.#unknown(request, known, messageOf(error));
    }
    if (isPaid(payment.state)) return this.#serve(request, payment);
    if (payment.state === 'failed' || payment.state === 'lost') {
      return this.#buy(purchase, presented, same);
    }
    // Two transfers of one purchase must never both be on their way.
    if (payment.key !== presented.transfer.messageHash) {
      return this.#unknown(request, payment, 'another transfer is under way');
    }
    // A disk that failed may have kept the record without it.
    if ((await this.#parts.store.body(payment.key)) === undefined) {
      return this.#unknown(request, payment, 'its answer is missing, so it is not settled');
    }
    return this.#settle(request, payment, presented.payload);
  }

  /** A new purchase. `same` is a record of the same transfer, which has failed or is lost. */
  async #buy(
    purchase: Purchase,
    presented: Presented,
    same: Payment | undefined,
  ): Promise<ApiReply> {
    const { request } = purchase;
    const terms = await this.#sellable(purchase, presented, same);
    if ('status' in terms) {
      // What is free now is an answer, whatever was paid.
      if (terms.status === 200) return terms;
      return (await this.#handedBefore(purchase, presented)) ?? terms;
    }
    const begun = this.#parts.store.tally.begin(presented.transfer.payer);
    if (begun === undefined) {
      const detail = 'Payments of this payer, or of many payers, are not settled yet.';
      return later(request, 'busy', RETRY_S, detail);
    }
    let written: Written | ApiReply;
    try {
      written = await this.#write(purchase, presented, terms);
    } catch (error) {
      // It is known that nobody has been asked to settle it.
      if (!isStorageFault(error)) throw error;
      this.#parts.log.error({ reason: messageOf(error) }, 'a payment cannot be written');
      return unavailable(request);
    } finally {
      begun();
    }
    if (!('payment' in written)) return written;
    return this.#settle(request, written.payment, written.payload);
  }

  /** The terms on which a payment buys now, or why it buys nothing. */
  async #sellable(
    purchase: Purchase,
    presented: Presented,
    same: Payment | undefined,
  ): Promise<PaymentTerms | ApiReply> {
    const { request, paid, resource, isPriced } = purchase;
    if (!isPriced) return tierClosed(request);
    const { url } = presented.payload.resource ?? {};
    const named = url === undefined ? undefined : requestNameIn(url);
    if (named !== undefined && named !== resource.name) {
      return conflict(request, SIGNED_FOR_ANOTHER);
    }
    if (same !== undefined) {
      return this.#required(purchase, 'the transfer was not made and cannot be made any more');
    }
    const refused = await paid.check(request);
    if (refused !== undefined) return refused;
    const terms = await this.#acceptable(purchase, presented);
    return typeof terms === 'string' ? this.#required(purchase, terms) : terms;
  }

  /**
   * What a payment that buys nothing now is answered with, if a facilitator was given a transfer of its purchase before: what that one has bought,
   * or that nobody can say yet. No refusal may say that nothing was charged before the chain has shown it.
   */
  async #handedBefore(purchase: Purchase, presented: Presented): Promise<ApiReply | undefined> {
    const earlier = await this.#earlier(purchase, presented, { own: true });
    if (earlier === undefined || 'status' in earlier) return earlier;
    return this.#unsettled(purchase.request);
  }

  /** Has a payment verified, makes what it buys, and writes both. A reply says why there is nothing to settle. */
  async #write(
    purchase: Purchase,
    presented: Presented,
    terms: PaymentTerms,
  ): Promise<Written | ApiReply> {
    const earlier = await this.#earlier(purchase, presented, { own: false });
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
      if (isEarlier) return this.#unsettled(request);
      return this.#required(purchase, reason);
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
    const payment = recordOf(this.#handedOf(purchase, presented, terms, head), prepared);
    await this.#parts.store.add(payment, prepared.body);
    return { payment, payload: presented.payload };
  }

  /**
   * A transfer of this purchase that a facilitator was given before, and of which it is not known that it cannot run: it takes the place of the
   * one that is presented, for two of them must never be on their way. Or the answer, where the earlier one has run or is in the way. With
   * `own`, the presented transfer is looked for as well, and those of other purchases are not.
   */
  async #earlier(
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
        return this.#unsettled(request);
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
      return this.#required(purchase, 'the blockhash of the transfer is over: sign again');
    }
    if (head === undefined) return unavailable(request);
    await store.hand(this.#handedOf(purchase, presented, terms, head));
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
      return this.#unsettled(purchase.request);
    }
    if (signature === undefined) return undefined;
    const handed = this.#handedOf(purchase, presented, terms, head);
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
        return prepared.status === 200 ? prepared : this.#unsettled(request);
      }
      const payment = { ...recordOf(handed, prepared), said };
      await store.add(payment, prepared.body);
      return await this.#serve(request, await resolver.paid(payment, 'confirmed', signature));
    } catch (error) {
      return this.#unknown(request, handed, messageOf(error));
    }
  }

  /** The terms that a payment meets, by what it says and by what its transfer does, or why it meets none. */
  async #acceptable(
    { resource }: Purchase,
    { payload, transfer }: Presented,
  ): Promise<PaymentTerms | string> {
    const { terms, key, nowMs, format } = this.#parts;
    const nowS = Math.floor(nowMs() / 1000);
    const amount = acceptedAmount(payload, terms, resource, key, nowS);
    if (amount === undefined) return 'the terms that the payment accepts are not those of now';
    const binding = bindingOf(payload, transfer.memo, resource, key);
    if (binding === undefined) return 'the memo of the transfer is not that of the terms';
    if (transfer.mint !== terms.asset) return 'the transfer is of another asset';
    if (transfer.amount !== BigInt(amount)) return 'the transfer is of another amount';
    const { tokenProgram } = transfer;
    if (
      transfer.destination !== (await format.tokenAccountOf(terms.payTo, terms.asset, tokenProgram))
    ) {
      return 'the transfer goes to another account';
    }
    if (transfer.payer === transfer.feePayer) return 'the payer may not be who pays the fees';
    return { ...termsOf(terms, resource, transfer.feePayer, binding), amount };
  }

  #handedOf(
    { resource, fingerprint }: Purchase,
    { transfer, identifier, transaction }: Presented,
    terms: PaymentTerms,
    head: ChainHead,
  ): HandedTransfer {
    return {
      version: 1,
      key: transfer.messageHash,
      identifier,
      fingerprint,
      resource: resource.url,
      path: resource.path,
      terms,
      payer: transfer.payer,
      transaction,
      at_ms: this.#parts.nowMs(),
      head,
    };
  }

  /**
   * Settles a payment whose record is on the disk. To settle one message again is harmless: the chain runs it once. Whatever fails from here
   * on, the payment may have been made.
   */
  async #settle(request: ApiRequest, payment: Payment, payload: PaymentPayload): Promise<ApiReply> {
    try {
      return await this.#asked(request, payment, payload);
    } catch (error) {
      const line = { payment: payment.key, reason: messageOf(error) };
      this.#parts.log.error(line, 'a payment that was sent cannot be written');
      return this.#unsettled(request);
    }
  }

  async #asked(request: ApiRequest, payment: Payment, payload: PaymentPayload): Promise<ApiReply> {
    const { facilitator, resolver, store, log } = this.#parts;
    const settlement = await facilitator.settle(payload, payment.terms);
    if (settlement.kind === 'settled') {
      return this.#settled(request, payment, settlement.signature);
    }
    const { reason } = settlement;
    log.warn({ payment: payment.key, reason }, 'the facilitator did not settle');
    const noted = await store.update(payment, { said: reason });
    try {
      const after = await resolver.resolve(noted);
      if (isPaid(after.state)) return await this.#serve(request, after);
    } catch (error) {
      return this.#unknown(request, noted, messageOf(error));
    }
    return this.#unknown(request, noted, reason);
  }

  /**
   * The facilitator says that the transfer ran: believed up to the trusted amount if what it names is the signature of who pays the fees, which
   * the receipt repeats, and looked up on the chain otherwise.
   */
  async #settled(request: ApiRequest, payment: Payment, signature: string): Promise<ApiReply> {
    const { exposure, resolver, confirmMs, pause, nowMs, log } = this.#parts;
    const isSigned = resolver.isSignatureOf(payment, signature);
    if (isSigned && exposure.take(payment.key, BigInt(payment.terms.amount))) {
      try {
        return await this.#serve(request, await resolver.paid(payment, 'settled', signature));
      } catch (error) {
        exposure.note(payment);
        throw error;
      }
    }
    const until = nowMs() + confirmMs;
    let reason = 'the chain does not show the transfer';
    // The clock may be set back meanwhile, which makes no buyer wait longer.
    for (let looks = Math.ceil(confirmMs / LOOK_MS); ; looks -= 1) {
      try {
        const after = await resolver.confirm(payment, signature);
        if (isPaid(after.state)) return await this.#serve(request, after);
      } catch (error) {
        reason = messageOf(error);
      }
      if (looks <= 0 || nowMs() >= until) break;
      await pause(LOOK_MS);
    }
    log.warn({ payment: payment.key, reason }, 'a settlement is not confirmed');
    return this.#unknown(request, payment, reason);
  }

  /** Reads what was bought, once for all who ask for it at the same time. */
  #serve(request: ApiRequest, payment: Payment): Promise<ApiReply> {
    const { key } = payment;
    const serving = this.#serving.get(key);
    if (serving !== undefined) return serving;
    const served = this.#read(request, payment).finally(() => this.#serving.delete(key));
    this.#serving.set(key, served);
    return served;
  }

  async #read(request: ApiRequest, payment: Payment): Promise<ApiReply> {
    const { key, kept, response, answer } = payment;
    const body = kept ? await this.#parts.store.body(key) : undefined;
    if (body === undefined || response === null) return problem(request, 'answer_gone');
    return whole(answer.content_type, body, {
      cacheControl: 'private, no-store',
      headers: [['payment-response', response]],
    });
  }

  #unknown(request: ApiRequest, { key }: HandedTransfer, reason: string): ApiReply {
    this.#parts.log.warn({ payment: key, reason }, 'a settlement is unknown');
    return this.#unsettled(request);
  }

  #unsettled(request: ApiRequest): ApiReply {
    this.#parts.store.tally.noteUnknown();
    return later(request, 'settlement_unknown', UNKNOWN_RETRY_S, undefined);
  }
}

/** The record of a transfer that is about to be settled, with the answer that it buys. */
function recordOf(
  handed: HandedTransfer,
  { body, contentType, leafHash, seq }: PaidAnswer,
): Payment {
  return {
    ...handed,
    answer: {
      content_type: contentType,
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
      leaf_hash: leafHash,
      seq,
    },
    state: 'settling',
    said: null,
    signature: null,
    response: null,
    paid_ms: null,
    received: null,
    kept: true,
  };
}

function conflict(request: ApiRequest, detail: string): ApiReply {
  return problem(request, 'payment_conflict', { detail });
}

function unavailable(request: ApiRequest): ApiReply {
  return later(request, 'facilitator_unavailable', RETRY_S, undefined);
}

function later(
  request: ApiRequest,
  code: ProblemCode,
  seconds: number,
  detail: string | undefined,
): ApiReply {
  return problem(request, code, {
    ...(detail === undefined ? {} : { detail }),
    headers: [['retry-after', String(seconds)]],
  });
}
