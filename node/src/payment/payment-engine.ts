import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import { problem, type ProblemCode } from '../http/problem.ts';
import { whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import type { Concern } from '../health/concern.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { Exposure } from './exposure.ts';
import type { Facilitator, PaymentPayload } from './facilitator.ts';
import type { JwsKey } from './jws.ts';
import { KeyedLock } from './keyed-lock.ts';
import { asksForSample, type PaidAnswer, type PaidResource } from './paid-resource.ts';
import { isPaid, type Payment, type PaymentTerms } from './payment.ts';
import type { ChainHead, PaymentReader, SignedTransfer, TransferFormat } from './payment-chain.ts';
import { paymentRequired, paymentRequiredReply } from './payment-required.ts';
import type { PaymentResolver } from './payment-resolver.ts';
import type { PaymentStore } from './payment-store.ts';
import {
  acceptedAmount,
  identifierOf,
  type Resource,
  resourceUrl,
  termsOf,
  type TierTerms,
} from './tier-terms.ts';
import type { X402Wire } from './x402-wire.ts';

export interface EngineParts {
  readonly terms: TierTerms;
  readonly facilitator: Facilitator;
  readonly reader: PaymentReader;
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
/** How many payments are under way at once. */
const MAX_PENDING = 256;
/** Seconds after which to repeat: a request that nothing was done for, and a payment that is not settled. */
const RETRY_S = 5;
const UNKNOWN_RETRY_S = 2;
/** Milliseconds between two looks at the chain. */
const LOOK_MS = 250;

/** One request and what it is for. */
interface Purchase {
  readonly paid: PaidResource;
  readonly request: ApiRequest;
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

  constructor(parts: EngineParts, lock: KeyedLock = new KeyedLock()) {
    this.#parts = parts;
    this.#lock = lock;
  }

  /** Answers a request for something that is sold. */
  async answer(paid: PaidResource, request: ApiRequest): Promise<ApiReply> {
    if (asksForSample(request)) return paid.sample(request);
    const url = resourceUrl(this.#parts.terms.origin, request);
    const purchase: Purchase = {
      paid,
      request,
      resource: { path: paid.path, url, summary: paid.operation.summary },
      fingerprint: createHash('sha256').update(`GET ${url}`).digest('hex'),
    };
    const header = request.header('payment-signature');
    // HEAD shows what GET would ask for. It takes no payment, for it could give nothing for it.
    if (header === undefined || request.method === 'HEAD') return this.#unpaid(purchase);
    const presented = this.#parse(header);
    if (typeof presented === 'string') {
      return problem(request, 'invalid_payment', { detail: presented });
    }
    return this.#joined(purchase, presented);
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
    const refused = await purchase.paid.check(purchase.request);
    return refused ?? this.#required(purchase, 'payment required');
  }

  /** A 402 with the terms of now. */
  async #required({ request, resource }: Purchase, error: string): Promise<ApiReply> {
    const { terms, facilitator, wire, key, nowMs } = this.#parts;
    const feePayer = await facilitator.feePayer(terms.network);
    if (feePayer === undefined) return unavailable(request);
    const accepts = termsOf(terms, resource, feePayer);
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
    const { identifier, transfer } = presented;
    const name = `${transfer.messageHash} ${identifier} ${purchase.fingerprint}`;
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    if (this.#pending.size >= MAX_PENDING) {
      return Promise.resolve(later(purchase.request, 'busy', 1, undefined));
    }
    const attempt = this.#lock
      .run(`identifier ${identifier}`, () =>
        this.#lock.run(transfer.messageHash, () => this.#take(purchase, presented)),
      )
      .finally(() => this.#pending.delete(name));
    this.#pending.set(name, attempt);
    return attempt;
  }

  async #take(purchase: Purchase, presented: Presented): Promise<ApiReply> {
    const { store } = this.#parts;
    const { identifier, transfer } = presented;
    const { request, fingerprint } = purchase;
    const same = await store.get(transfer.messageHash);
    if (same !== undefined && same.identifier !== identifier) {
      return conflict(request, 'This transfer was presented under another identifier.');
    }
    const known = await store.byIdentifier(identifier);
    if (known === undefined || known.state === 'failed' || known.state === 'lost') {
      return this.#buy(purchase, presented, same);
    }
    if (known.payer !== transfer.payer) {
      return conflict(request, 'The identifier was used by another payer.');
    }
    if (known.fingerprint !== fingerprint) {
      return conflict(request, `The identifier was used for ${known.resource}.`);
    }
    if (isPaid(known.state)) return this.#serve(request, known);
    return this.#repeated(purchase, presented, known);
  }

  /** A payment that was begun before, and of which it is not known whether it was made. */
  async #repeated(purchase: Purchase, presented: Presented, known: Payment): Promise<ApiReply> {
    const { request } = purchase;
    let payment: Payment;
    try {
      payment = await this.#parts.resolver.resolve(known);
    } catch (error) {
      return this.#unknown(request, known, messageOf(error));
    }
    if (isPaid(payment.state)) return this.#serve(request, payment);
    if (payment.state === 'failed') return this.#buy(purchase, presented, payment);
    // Two transfers of one purchase must never both be on their way.
    if (payment.key !== presented.transfer.messageHash) {
      return this.#unknown(request, payment, 'another transfer is under way');
    }
    return this.#settle(request, payment, presented.payload);
  }

  /** A new purchase. `same` is a record of the same transfer, which has failed. */
  async #buy(
    purchase: Purchase,
    presented: Presented,
    same: Payment | undefined,
  ): Promise<ApiReply> {
    const { request, paid } = purchase;
    if (same?.key === presented.transfer.messageHash) {
      return this.#required(purchase, 'the transfer was not made and cannot be made any more');
    }
    const refused = await paid.check(request);
    if (refused !== undefined) return refused;
    const terms = await this.#acceptable(purchase, presented);
    if (typeof terms === 'string') return this.#required(purchase, terms);
    const verification = await this.#parts.facilitator.verify(presented.payload, terms);
    if (verification.kind === 'invalid') return this.#required(purchase, verification.reason);
    if (verification.kind === 'unavailable') {
      this.#parts.log.warn({ reason: verification.reason }, 'the facilitator did not verify');
      return unavailable(request);
    }
    const prepared = await paid.prepare(request);
    if (prepared.kind !== 'paid') return prepared;
    let head: ChainHead;
    try {
      head = await this.#parts.reader.head('confirmed');
    } catch (error) {
      this.#parts.log.warn({ reason: messageOf(error) }, 'the chain cannot be read');
      return unavailable(request);
    }
    const payment = this.#recordOf(purchase, presented, prepared, terms, head);
    await this.#parts.store.add(payment, prepared.body);
    return this.#settle(request, payment, presented.payload);
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
    if (transfer.mint !== terms.asset) return 'the transfer is of another asset';
    if (transfer.amount !== BigInt(amount)) return 'the transfer is of another amount';
    const { tokenProgram } = transfer;
    if (
      transfer.destination !== (await format.tokenAccountOf(terms.payTo, terms.asset, tokenProgram))
    ) {
      return 'the transfer goes to another account';
    }
    if (transfer.payer === transfer.feePayer) return 'the payer may not be who pays the fees';
    return { ...termsOf(terms, resource, transfer.feePayer), amount };
  }

  #recordOf(
    { resource, fingerprint }: Purchase,
    { transfer, identifier, transaction }: Presented,
    { body, contentType, leafHash, seq }: PaidAnswer,
    terms: PaymentTerms,
    head: ChainHead,
  ): Payment {
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

  /** Settles a payment whose record is on the disk. To settle one message again is harmless: the chain runs it once. */
  async #settle(request: ApiRequest, payment: Payment, payload: PaymentPayload): Promise<ApiReply> {
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

  /** The facilitator says that the transfer ran: believed up to the trusted amount, and looked up on the chain beyond. */
  async #settled(request: ApiRequest, payment: Payment, signature: string): Promise<ApiReply> {
    const { exposure, resolver, confirmMs, pause, nowMs, log } = this.#parts;
    const isTrusted = exposure.take(payment.key, BigInt(payment.terms.amount));
    if (isTrusted) {
      try {
        return await this.#serve(request, await resolver.paid(payment, 'settled', signature));
      } catch (error) {
        exposure.note(payment);
        throw error;
      }
    }
    const until = nowMs() + confirmMs;
    let reason = 'the chain does not show the transfer';
    for (;;) {
      try {
        const after = await resolver.confirm(payment, signature);
        if (isPaid(after.state)) return await this.#serve(request, after);
      } catch (error) {
        reason = messageOf(error);
      }
      if (nowMs() >= until) break;
      await pause(LOOK_MS);
    }
    log.warn({ payment: payment.key, reason }, 'a settlement is not confirmed');
    return this.#unknown(request, payment, reason);
  }

  async #serve(request: ApiRequest, payment: Payment): Promise<ApiReply> {
    const { key, kept, response, answer } = payment;
    const body = kept ? await this.#parts.store.body(key) : undefined;
    if (body === undefined || response === null) return problem(request, 'answer_gone');
    return whole(answer.content_type, body, {
      cacheControl: 'private, no-store',
      headers: [['payment-response', response]],
    });
  }

  #unknown(request: ApiRequest, { key }: Payment, reason: string): ApiReply {
    this.#parts.log.warn({ payment: key, reason }, 'a settlement is unknown');
    return later(request, 'settlement_unknown', UNKNOWN_RETRY_S, undefined);
  }
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
