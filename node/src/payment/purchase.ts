import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { ApiRequest } from '../http/request.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { Exposure } from './exposure.ts';
import type { Facilitator, PaymentPayload } from './facilitator.ts';
import type { JwsKey } from './jws.ts';
import type { PaidAnswer, PaidResource } from './paid-resource.ts';
import type { ChainHead, SignedTransfer, TransferFormat } from './payment-chain.ts';
import type { PaymentResolver } from './payment-resolver.ts';
import type { HandedTransfer, Payment, PaymentTerms } from './record/payment.ts';
import type { PaymentStore } from './record/payment-store.ts';
import { identifierOf, type Resource, type TierTerms } from './tier-terms.ts';
import type { X402Wire } from './x402-wire.ts';

/** What sells answers is made of. */
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
export interface Presented {
  readonly payload: PaymentPayload;
  readonly transfer: SignedTransfer;
  readonly identifier: string;
  readonly transaction: string;
}

/** One request and what it is for. */
export interface Purchase {
  readonly paid: PaidResource;
  readonly request: ApiRequest;
  /** Whether it is sold now. What was bought is answered in any case. */
  readonly isPriced: boolean;
  readonly resource: Resource;
  readonly fingerprint: string;
}

/** The most characters of PAYMENT-SIGNATURE. A transaction has at most 1,644, and an offer about 700. */
const MAX_HEADER = 12_288;

/** What a header presents, or why it cannot be read. */
export function parsePresented(
  header: string,
  { wire, format }: Pick<EngineParts, 'wire' | 'format'>,
): Presented | string {
  if (header.length > MAX_HEADER) return `The header has over ${MAX_HEADER} characters.`;
  const payload = wire.payment(header);
  if (payload === undefined) return 'The header is no base64 of a payment of x402, version 2.';
  const identifier = identifierOf(payload.extensions);
  if (identifier === undefined) {
    return 'The payment has no `extensions["payment-identifier"].info.id` of 16 to 128 letters, digits, hyphens or underscores. It is what keeps you from paying twice.';
  }
  const { transaction } = payload.payload;
  if (typeof transaction !== 'string') return 'The payment has no `payload.transaction`.';
  let transfer: SignedTransfer;
  try {
    transfer = format.parse(transaction);
  } catch (error) {
    return `The payment has no transfer of the scheme "exact" on Solana: ${messageOf(error)}.`;
  }
  if (!nodeVerifySignature(transfer.payerKey, transfer.message, transfer.signature)) {
    return 'The transfer is not signed by its payer.';
  }
  return { payload, transfer, identifier, transaction };
}

/** The record of a transfer before a facilitator is given it. */
export function handedOf(
  { resource, fingerprint }: Purchase,
  { transfer, identifier, transaction }: Presented,
  terms: PaymentTerms,
  head: ChainHead,
  nowMs: number,
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
    at_ms: nowMs,
    head,
  };
}

/** The record of a transfer that is about to be settled, with the answer that it buys. */
export function recordOf(
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
