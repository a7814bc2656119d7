import type { PaymentTerms } from './record/payment.ts';

/** What a buyer sent in PAYMENT-SIGNATURE (`PaymentPayload` of x402, version 2). */
export interface PaymentPayload {
  readonly x402Version: 2;
  readonly resource?: { readonly url: string } | undefined;
  readonly accepted: PaymentTerms;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** What a facilitator says of a payment that is not settled. `unavailable` is no answer, and says nothing about the payment. */
export type Verification =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** What a facilitator says when it is asked to settle. With anything but `settled` the money may have moved. */
export type Settlement =
  | { readonly kind: 'settled'; readonly signature: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Who checks payments and sends them to the chain. No method throws; a reason is a short code or text, and never shown as markup. */
export interface Facilitator {
  /** The account that pays the network's fees for a network; undefined if it cannot be had now. */
  feePayer(network: string): Promise<string | undefined>;
  verify(payload: PaymentPayload, terms: PaymentTerms): Promise<Verification>;
  settle(payload: PaymentPayload, terms: PaymentTerms): Promise<Settlement>;
}
