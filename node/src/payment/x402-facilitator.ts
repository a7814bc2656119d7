import type { PaymentPayload as WirePayload, PaymentRequirements } from '@x402/core/types';
import type { Facilitator, PaymentPayload } from './facilitator.ts';
import type { PaymentTerms } from './record/payment.ts';

export interface FacilitatorOptions {
  readonly url: string;
  /** Milliseconds of one exchange. */
  readonly timeoutMs: number;
  /** Seconds of a clock without steps. */
  readonly elapsed: () => number;
  /** Sent with each call as a bearer token. */
  readonly token?: string;
}

/** Seconds for which the account that pays fees is remembered, and for which nobody is asked again after a failure or a payment that is invalid. */
const SUPPORTED_S = 600;
const FAILED_S = 5;
/** The most milliseconds for `/supported`, which every 402 may wait for. */
const SUPPORTED_MS = 5000;
/** The longest reason that is passed on. It is in the header of a 402. */
const MAX_REASON = 90;

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
  const clientWithin = (ms: number): InstanceType<typeof HTTPFacilitatorClient> =>
    new HTTPFacilitatorClient({
      url,
      timeoutMs: ms,
      createAuthHeaders: () =>
        Promise.resolve({ verify: headers, settle: headers, supported: headers, bazaar: headers }),
    });
  const client = clientWithin(timeoutMs);
  const quick = clientWithin(Math.min(timeoutMs, SUPPORTED_MS));
  const feePayers = new FeePayers(async () => {
    const { kinds } = await quick.getSupported();
    return kinds.flatMap(({ x402Version, scheme, network, extra }) => {
      const feePayer = extra?.['feePayer'];
      const isOurs = x402Version === 2 && scheme === 'exact' && typeof feePayer === 'string';
      return isOurs ? [[network, feePayer] as const] : [];
    });
  }, elapsed);
  return {
    feePayer: (network) => feePayers.of(network),
    async verify(payload, terms) {
      try {
        const { isValid, invalidReason } = await client.verify(wire(payload), wireTerms(terms));
        if (isValid) return { kind: 'valid' };
        feePayers.doubt();
        return { kind: 'invalid', reason: reasonOf(invalidReason, 'invalid') };
      } catch (error) {
        if (error instanceof VerifyError && error.statusCode < 500) {
          feePayers.doubt();
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

/**
 * Who pays the network's fees. One request is under way at a time. While it is, and while it fails, what was known before is answered, so
 * that a facilitator that hangs holds up nobody who has asked before.
 */
class FeePayers {
  readonly #ask: () => Promise<readonly (readonly [network: string, feePayer: string])[]>;
  readonly #elapsed: () => number;
  #known: ReadonlyMap<string, string> = new Map();
  #pending: Promise<void> | undefined;
  /** When it was asked last, and whether it answered and nothing speaks against that since. */
  #askedS = Number.NEGATIVE_INFINITY;
  #isAnswered = false;

  constructor(
    ask: () => Promise<readonly (readonly [network: string, feePayer: string])[]>,
    elapsed: () => number,
  ) {
    this.#ask = ask;
    this.#elapsed = elapsed;
  }

  async of(network: string): Promise<string | undefined> {
    const isKnown = this.#known.has(network);
    const waitS = isKnown && this.#isAnswered ? SUPPORTED_S : FAILED_S;
    if (this.#elapsed() >= this.#askedS + waitS) this.#pending ??= this.#refresh();
    if (!isKnown) await this.#pending;
    return this.#known.get(network);
  }

  /** What is known may be the reason why a payment is invalid, so that it is asked for again as after a failure. */
  doubt(): void {
    this.#isAnswered = false;
  }

  async #refresh(): Promise<void> {
    try {
      this.#known = new Map([...this.#known, ...(await this.#ask())]);
      this.#isAnswered = true;
    } catch {
      this.#isAnswered = false;
    } finally {
      this.#askedS = this.#elapsed();
      this.#pending = undefined;
    }
  }
}

/**
 * What a facilitator needs of a payment. The extensions stay here: `payment-identifier` is known to the buyer and the seller alone, and proves
 * who a buyer is, so that a facilitator that had it could be answered in the place of the buyer.
 */
function wire({ x402Version, resource, accepted, payload }: PaymentPayload): WirePayload {
  const named = resource === undefined ? {} : { resource };
  return { x402Version, ...named, accepted, payload } as unknown as WirePayload;
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
