import { messageOf } from '@assay/core/fault';
import { problem } from '../http/problem.ts';
import { whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import type { PaymentPayload } from './facilitator.ts';
import type { EngineParts } from './purchase.ts';
import { type HandedTransfer, isPaid, type Payment } from './record/payment.ts';
import { later } from './refusal.ts';

/** Seconds after which to ask again for a payment that is not settled. */
const UNKNOWN_RETRY_S = 2;
/** Milliseconds between two looks at the chain. */
const LOOK_MS = 250;

type SettlementParts = Pick<
  EngineParts,
  'facilitator' | 'resolver' | 'store' | 'exposure' | 'confirmMs' | 'pause' | 'nowMs' | 'log'
>;

/** Settles payments whose records are on the disk, and gives out what they bought. */
export class Settlement {
  readonly #parts: SettlementParts;
  /** Answers that were bought and are read now, by the keys of their payments. */
  readonly #serving = new Map<string, Promise<ApiReply>>();

  constructor(parts: SettlementParts) {
    this.#parts = parts;
  }

  /**
   * Settles a payment whose record is on the disk. To settle one message again is harmless: the chain runs it once. Whatever fails from here
   * on, the payment may have been made.
   */
  async settle(request: ApiRequest, payment: Payment, payload: PaymentPayload): Promise<ApiReply> {
    try {
      return await this.#asked(request, payment, payload);
    } catch (error) {
      const line = { payment: payment.key, reason: messageOf(error) };
      this.#parts.log.error(line, 'a payment that was sent cannot be written');
      return this.unsettled(request);
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
      if (isPaid(after.state)) return await this.serve(request, after);
    } catch (error) {
      return this.unknown(request, noted, messageOf(error));
    }
    return this.unknown(request, noted, reason);
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
        return await this.serve(request, await resolver.paid(payment, 'settled', signature));
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
        if (isPaid(after.state)) return await this.serve(request, after);
      } catch (error) {
        reason = messageOf(error);
      }
      if (looks <= 0 || nowMs() >= until) break;
      await pause(LOOK_MS);
    }
    log.warn({ payment: payment.key, reason }, 'a settlement is not confirmed');
    return this.unknown(request, payment, reason);
  }

  /** Reads what was bought, once for all who ask for it at the same time. */
  serve(request: ApiRequest, payment: Payment): Promise<ApiReply> {
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

  /** That it is not known whether a transfer was made, with a line in the log. */
  unknown(request: ApiRequest, { key }: HandedTransfer, reason: string): ApiReply {
    this.#parts.log.warn({ payment: key, reason }, 'a settlement is unknown');
    return this.unsettled(request);
  }

  /** That it is not known whether a payment was made. */
  unsettled(request: ApiRequest): ApiReply {
    this.#parts.store.tally.noteUnknown();
    return later(request, 'settlement_unknown', UNKNOWN_RETRY_S, undefined);
  }
}
