import { createHash } from 'node:crypto';
import { messageOf } from '@assay/core/fault';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import type { Concern } from '../health/concern.ts';
import { isStorageFault } from '../platform/storage-fault.ts';
import { HandedTransfers, type Written } from './handed-transfers.ts';
import { asksForSample, type PaidResource, tierClosed } from './paid-resource.ts';
import { PaymentQueue } from './payment-queue.ts';
import { type EngineParts, parsePresented, type Presented, type Purchase } from './purchase.ts';
import { acceptableTerms, requiredReply } from './purchase-terms.ts';
import { KeyedLock } from './record/keyed-lock.ts';
import { isPaid, type Payment, type PaymentTerms, purchaseLock } from './record/payment.ts';
import { conflict, later, RETRY_S, unavailable } from './refusal.ts';
import { Settlement } from './settlement.ts';
import { requestName, requestNameIn } from './tier-terms.ts';

/** The most characters of a path and query. The header of a 402 has them twice, and proxies allow it a few thousand. */
const MAX_NAME = 128;
const TOO_LONG = `The path and query have over ${MAX_NAME} characters.`;
const SIGNED_FOR_ANOTHER =
  'The payment was signed for another address. Nothing was charged for this request.';

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
  readonly #queue = new PaymentQueue();
  readonly #settlement: Settlement;
  readonly #handed: HandedTransfers;

  constructor(parts: EngineParts, lock: KeyedLock = new KeyedLock()) {
    this.#parts = parts;
    this.#lock = lock;
    this.#settlement = new Settlement(parts);
    this.#handed = new HandedTransfers(parts, this.#settlement);
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
    const presented = parsePresented(header, this.#parts);
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
    return refused ?? requiredReply(this.#parts, purchase, 'payment required');
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
        return this.#settlement.unsettled(purchase.request);
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
      return refused ?? this.#settlement.serve(purchase.request, bought);
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
    if (isPaid(known.state)) return this.#settlement.serve(purchase.request, known);
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
      return this.#settlement.unknown(request, known, messageOf(error));
    }
    if (isPaid(payment.state)) return this.#settlement.serve(request, payment);
    if (payment.state === 'failed' || payment.state === 'lost') {
      return this.#buy(purchase, presented, same);
    }
    // Two transfers of one purchase must never both be on their way.
    if (payment.key !== presented.transfer.messageHash) {
      return this.#settlement.unknown(request, payment, 'another transfer is under way');
    }
    // A disk that failed may have kept the record without it.
    if ((await this.#parts.store.body(payment.key)) === undefined) {
      return this.#settlement.unknown(
        request,
        payment,
        'its answer is missing, so it is not settled',
      );
    }
    return this.#settlement.settle(request, payment, presented.payload);
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
      written = await this.#handed.write(purchase, presented, terms);
    } catch (error) {
      // It is known that nobody has been asked to settle it.
      if (!isStorageFault(error)) throw error;
      this.#parts.log.error({ reason: messageOf(error) }, 'a payment cannot be written');
      return unavailable(request);
    } finally {
      begun();
    }
    if (!('payment' in written)) return written;
    return this.#settlement.settle(request, written.payment, written.payload);
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
      return requiredReply(
        this.#parts,
        purchase,
        'the transfer was not made and cannot be made any more',
      );
    }
    const refused = await paid.check(request);
    if (refused !== undefined) return refused;
    const terms = await acceptableTerms(this.#parts, purchase, presented);
    return typeof terms === 'string' ? requiredReply(this.#parts, purchase, terms) : terms;
  }

  /**
   * What a payment that buys nothing now is answered with, if a facilitator was given a transfer of its purchase before: what that one has bought,
   * or that nobody can say yet. No refusal may say that nothing was charged before the chain has shown it.
   */
  async #handedBefore(purchase: Purchase, presented: Presented): Promise<ApiReply | undefined> {
    const earlier = await this.#handed.earlier(purchase, presented, { own: true });
    if (earlier === undefined || 'status' in earlier) return earlier;
    return this.#settlement.unsettled(purchase.request);
  }
}
