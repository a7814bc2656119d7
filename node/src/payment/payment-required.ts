import { NO_STORE, whole } from '../http/reply.ts';
import type { WholeReply } from '../http/request.ts';
import type { JwsKey } from './jws.ts';
import type { PaymentTerms } from './record/payment.ts';
import {
  OFFER_RECEIPT,
  PAYMENT_IDENTIFIER,
  type Resource,
  signOffer,
  type TierTerms,
} from './tier-terms.ts';
import type { X402Wire } from './x402-wire.ts';

/**
 * The most characters of the header. Servers between a client and this one allow 4 to 8 KiB for all headers of an answer together.
 */
export const MAX_REQUIRED_HEADER = 3000;

/** The schema of the extension `payment-identifier`, which the buyer fills in. */
const IDENTIFIER_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    required: { type: 'boolean' },
    id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
  },
  required: ['required', 'id'],
};

/** The part of the schema of `offer-receipt` that our offers need: they are JWS, whose payload is in the signature. */
const OFFER_SCHEMA = {
  type: 'object',
  properties: { offers: { type: 'array', items: { type: 'object' } } },
  required: ['offers'],
};

/** What a 402 says (`PaymentRequired` of x402, version 2). */
export function paymentRequired(
  resource: Resource,
  terms: PaymentTerms,
  tier: Pick<TierTerms, 'isDevelopment' | 'validS'>,
  key: JwsKey,
  nowS: number,
  error: string,
): object {
  const { url, summary } = resource;
  const about = tier.isDevelopment
    ? {
        description: `development: ${summary}. Paid on a chain of this machine, whose tokens have no value.`,
        tags: ['development'],
      }
    : { description: `${summary}.` };
  const signature = signOffer(terms, resource, nowS + tier.validS, key);
  return {
    x402Version: 2,
    error,
    resource: { url, ...about, mimeType: 'application/json', serviceName: 'Assay' },
    accepts: [terms],
    extensions: {
      [PAYMENT_IDENTIFIER]: { info: { required: true }, schema: IDENTIFIER_SCHEMA },
      [OFFER_RECEIPT]: {
        info: { offers: [{ format: 'jws', acceptIndex: 0, signature }] },
        schema: OFFER_SCHEMA,
      },
    },
  };
}

/** A 402: PaymentRequired in its header and, the same, in its body. `response` is the value of PAYMENT-RESPONSE after a payment that failed. */
export function paymentRequiredReply(
  wire: X402Wire,
  required: object,
  response?: string,
): WholeReply {
  const header = wire.required(required);
  return whole('application/json; charset=utf-8', JSON.stringify(required), {
    status: 402,
    cacheControl: NO_STORE,
    headers: [
      ['payment-required', header],
      ...(response === undefined ? [] : [['payment-response', response] as const]),
    ],
  });
}
