import { createHash, randomBytes } from 'node:crypto';
import { canonicalize } from '@assay/core/wire/canonical';
import type { ApiRequest } from '../http/request.ts';
import { openJws, signJws, type JwsKey } from './jws.ts';
import type { PaymentPayload } from './facilitator.ts';
import type { PaymentTerms } from './record/payment.ts';

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

/** What is bought: the pattern of its path, its path and query as they are asked for, and its address. */
export interface Resource {
  readonly path: string;
  readonly name: string;
  readonly url: string;
  readonly summary: string;
}

export const OFFER_RECEIPT = 'offer-receipt';
export const PAYMENT_IDENTIFIER = 'payment-identifier';

/** The version of an offer and of a receipt. */
const VERSION = 1;

/** The path and query of a request, the same for every way to write it: without `/v1`, with its parameters sorted. */
export function requestName({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  const text = parameters.toString();
  const decoded = path
    .replace(/^\/v1(?=\/)/, '')
    .split('/')
    .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
    .join('/');
  return `${decoded}${text === '' ? '' : `?${text}`}`;
}

/** The name of the request that an address is of, whatever its host is; undefined for what is no address. */
export function requestNameIn(url: string): string | undefined {
  try {
    const { pathname, search } = new URL(url);
    return requestName({ path: pathname, query: search.slice(1) });
  } catch {
    return undefined;
  }
}

/** What ties a transfer to what it buys: both are in `extra` of the terms, and the memo is in what the buyer signs. */
export interface Binding {
  /** 16 bytes in base64url. It makes the transfers of two purchases differ, and keeps the chain from showing what was bought. */
  readonly nonce: string;
  readonly memo: string;
}

/** The type of what a memo is the hash of. */
const BINDING = 'assay-payment/1';
const NONCE = /^[A-Za-z0-9_-]{22}$/;

/** A new binding to something that is sold under a key. */
export function newBinding(resource: Resource, key: Pick<JwsKey, 'publicKey'>): Binding {
  const nonce = randomBytes(16).toString('base64url');
  return { nonce, memo: memoOf(nonce, resource, key) };
}

/**
 * The binding that the memo of a transfer and the terms that its buyer accepted prove; undefined if the transfer is not for this address
 * of this seller.
 */
export function bindingOf(
  { accepted }: Pick<PaymentPayload, 'accepted'>,
  memo: string | null,
  resource: Resource,
  key: Pick<JwsKey, 'publicKey'>,
): Binding | undefined {
  const { nonce } = accepted.extra;
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) return undefined;
  return memo !== null && memo === memoOf(nonce, resource, key) ? { nonce, memo } : undefined;
}

/** The SHA-256, in base64url, of the canonical JSON (RFC 8785) of what is bought, from whom, and the nonce. */
function memoOf(
  nonce: string,
  { url }: Resource,
  { publicKey }: Pick<JwsKey, 'publicKey'>,
): string {
  const key = Buffer.from(publicKey).toString('hex');
  const text = canonicalize({ type: BINDING, key, nonce, resourceUrl: url });
  return createHash('sha256').update(text).digest('base64url');
}

/** The terms of now. */
export function termsOf(
  terms: TierTerms,
  { path }: Resource,
  feePayer: string,
  { memo, nonce }: Binding,
): PaymentTerms {
  const environment = terms.isDevelopment ? { environment: 'development' } : {};
  return {
    scheme: 'exact',
    network: terms.network,
    amount: priceOf(terms, path),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.validS,
    extra: { feePayer, memo, nonce, ...environment },
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
