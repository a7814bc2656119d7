import type { PaymentPayload as WirePayload, PaymentRequirements } from '@x402/core/types';
import type { Facilitator, PaymentPayload } from './facilitator.ts';
import type { PaymentTerms } from './payment.ts';

export interface FacilitatorOptions {
  readonly url: string;
  /** Milliseconds of one exchange. */
  readonly timeoutMs: number;
  /** Seconds of a clock without steps. */
  readonly elapsed: () => number;
  /** Sent with each call as a bearer token. */
  readonly token?: string;
}

/** Seconds for which the account that pays fees is remembered. */
const SUPPORTED_S = 600;
/** The longest reason that is passed on. */
const MAX_REASON = 120;

/**
 * A facilitator over HTTP, by the client of `@x402/core`, whose answers are checked against its schemas. Only a refusal in the form of
 * the protocol and with a status below 500 is a refusal. A failed connection, a time-out, a status of 500 or more, and an
 * answer of another shape leave open what has happened.
 */
export async function httpFacilitator({
  url,
  timeoutMs,
  elapsed,
  token,
}: FacilitatorOptions): Promise<Facilitator> {
  const { HTTPFacilitatorClient } = await import('@x402/core/server');
  const { VerifyError, SettleError } = await import('@x402/core/types');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const client = new HTTPFacilitatorClient({
    url,
    timeoutMs,
    createAuthHeaders: () =>
      Promise.resolve({ verify: headers, settle: headers, supported: headers, bazaar: headers }),
  });
  const known = new Map<string, { readonly feePayer: string; readonly untilS: number }>();
  return {
    async feePayer(network) {
      const kept = known.get(network);
      if (kept !== undefined && kept.untilS > elapsed()) return kept.feePayer;
      try {
        const { kinds } = await client.getSupported();
        const kind = kinds.find(
          (each) => each.x402Version === 2 && each.scheme === 'exact' && each.network === network,
        );
        const feePayer = kind?.extra?.['feePayer'];
        if (typeof feePayer !== 'string') return kept?.feePayer;
        known.set(network, { feePayer, untilS: elapsed() + SUPPORTED_S });
        return feePayer;
      } catch {
        return kept?.feePayer;
      }
    },
    async verify(payload, terms) {
      try {
        const { isValid, invalidReason } = await client.verify(wire(payload), wireTerms(terms));
        return isValid
          ? { kind: 'valid' }
          : { kind: 'invalid', reason: reasonOf(invalidReason, 'invalid') };
      } catch (error) {
        if (error instanceof VerifyError && error.statusCode < 500) {
          return { kind: 'invalid', reason: reasonOf(error.invalidReason, 'invalid') };
        }
        return { kind: 'unavailable', reason: nameOf(error) };
      }
    },
    async settle(payload, terms) {
      try {
        const { success, transaction, errorReason } = await client.settle(
          wire(payload),
          wireTerms(terms),
        );
        return success
          ? { kind: 'settled', signature: transaction }
          : { kind: 'refused', reason: reasonOf(errorReason, 'refused') };
      } catch (error) {
        if (error instanceof SettleError && error.statusCode < 500) {
          return { kind: 'refused', reason: reasonOf(error.errorReason, 'refused') };
        }
        return { kind: 'unknown', reason: nameOf(error) };
      }
    },
  };
}

function wire(payload: PaymentPayload): WirePayload {
  return payload as unknown as WirePayload;
}

function wireTerms(terms: PaymentTerms): PaymentRequirements {
  return terms as unknown as PaymentRequirements;
}

/** A reason of the protocol, or `other` where it is none: a facilitator may put anything there. */
function reasonOf(reason: string | undefined, other: string): string {
  if (reason === undefined || !/^[\w .,:()/-]+$/.test(reason)) return other;
  return reason.slice(0, MAX_REASON);
}

/** The kind of a failure. Its text may quote what the facilitator sent. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'no answer';
}
