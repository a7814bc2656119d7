import type { ApiRequest } from '../http/request.ts';
import { openJws, signJws, type JwsKey } from './jws.ts';
import type { PaymentPayload } from './facilitator.ts';
import type { PaymentTerms } from './payment.ts';

/** What a tier asks for. */
export interface TierTerms {
  /** The address of the service as buyers see it, without a slash at its end. */
  readonly origin: string;
  /** CAIP-2. */
  readonly network: string;
  /** The mint. */
  readonly asset: string;
  readonly payTo: string;
  /** In the smallest unit of the asset, decimal, by the pattern of a path. */
  readonly prices: Readonly<Record<string, string>>;
  /** Seconds for which an offer is honoured. */
  readonly validS: number;
  /** Whether the chain is one of this machine, on which nothing has a value. */
  readonly isDevelopment: boolean;
}

/** What is bought: the pattern of its path, and its address. */
export interface Resource {
  readonly path: string;
  readonly url: string;
  readonly summary: string;
}

export const OFFER_RECEIPT = 'offer-receipt';
export const PAYMENT_IDENTIFIER = 'payment-identifier';

/** The version of an offer and of a receipt. */
const VERSION = 1;

/** The address of a request, the same for every way to write it: without `/v1`, with its parameters sorted. */
export function resourceUrl(
  origin: string,
  { path, query }: Pick<ApiRequest, 'path' | 'query'>,
): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  const text = parameters.toString();
  const decoded = path
    .replace(/^\/v1(?=\/)/, '')
    .split('/')
    .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
    .join('/');
  return `${origin}${decoded}${text === '' ? '' : `?${text}`}`;
}

/** The terms of now. */
export function termsOf(terms: TierTerms, { path }: Resource, feePayer: string): PaymentTerms {
  return {
    scheme: 'exact',
    network: terms.network,
    amount: priceOf(terms, path),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.validS,
    extra: { feePayer, ...(terms.isDevelopment ? { environment: 'development' } : {}) },
  };
}

function priceOf({ prices }: TierTerms, path: string): string {
  const price = prices[path];
  if (price === undefined) throw new TypeError(`no price for ${path}`);
  return price;
}

/** The signed offer of some terms (x402 extension `offer-receipt`, version 1). */
export function signOffer(
  terms: PaymentTerms,
  { url }: Resource,
  validUntil: number,
  key: JwsKey,
): string {
  const { scheme, network, asset, payTo, amount } = terms;
  return signJws(
    { version: VERSION, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil },
    key,
  );
}

/**
 * The amount that a payment may pay for something; undefined if it accepts other terms than there are. It is the price of now, or that
 * of an offer of ours which the payment brings back and which is not over.
 */
export function acceptedAmount(
  { accepted, extensions }: PaymentPayload,
  terms: TierTerms,
  resource: Resource,
  key: JwsKey,
  nowS: number,
): string | undefined {
  const isOurs =
    accepted.scheme === 'exact' &&
    accepted.network === terms.network &&
    accepted.asset === terms.asset &&
    accepted.payTo === terms.payTo;
  if (!isOurs) return undefined;
  if (accepted.amount === priceOf(terms, resource.path)) return accepted.amount;
  const isOffered = offersIn(extensions).some((jws) => {
    const offer = openJws(jws, key);
    return (
      offer?.['version'] === VERSION &&
      offer['resourceUrl'] === resource.url &&
      offer['scheme'] === 'exact' &&
      offer['network'] === terms.network &&
      offer['asset'] === terms.asset &&
      offer['payTo'] === terms.payTo &&
      offer['amount'] === accepted.amount &&
      typeof offer['validUntil'] === 'number' &&
      offer['validUntil'] >= nowS
    );
  });
  return isOffered ? accepted.amount : undefined;
}

/** How many offers of a payment are looked at. */
const MAX_OFFERS = 4;

function offersIn(extensions: PaymentPayload['extensions']): readonly string[] {
  const offers = infoOf(extensions, OFFER_RECEIPT)?.['offers'];
  if (!Array.isArray(offers)) return [];
  return offers.slice(0, MAX_OFFERS).flatMap((each: unknown) => {
    const signature = recordOf(each)?.['signature'];
    return typeof signature === 'string' ? [signature] : [];
  });
}

const IDENTIFIER = /^[a-zA-Z0-9_-]{16,128}$/;

/** The identifier of a payment; undefined if it has none, or one that is none. */
export function identifierOf(extensions: PaymentPayload['extensions']): string | undefined {
  const id = infoOf(extensions, PAYMENT_IDENTIFIER)?.['id'];
  return typeof id === 'string' && IDENTIFIER.test(id) ? id : undefined;
}

function infoOf(
  extensions: PaymentPayload['extensions'],
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  return recordOf(recordOf(extensions?.[name])?.['info']);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return value as Readonly<Record<string, unknown>>;
}
