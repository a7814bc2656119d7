import type { PaymentPayload } from './facilitator.ts';

/** The three headers of x402, version 2: base64 of JSON. */
export interface X402Wire {
  /** The value of PAYMENT-REQUIRED. */
  required(value: object): string;
  /** The value of PAYMENT-RESPONSE. */
  response(value: object): string;
  /** What is in PAYMENT-SIGNATURE; undefined for what is no payment of version 2. */
  payment(header: string): PaymentPayload | undefined;
}

/** The encoding and the schemas of `@x402/core`, which is loaded here and not before. */
export async function loadX402Wire(): Promise<X402Wire> {
  const [http, schemas] = await Promise.all([
    import('@x402/core/http'),
    import('@x402/core/schemas'),
  ]);
  return {
    required: (value) => http.encodePaymentRequiredHeader(value as never),
    response: (value) => http.encodePaymentResponseHeader(value as never),
    payment(header) {
      let value: unknown;
      try {
        value = http.decodePaymentSignatureHeader(header);
      } catch {
        return undefined;
      }
      const parsed = schemas.PaymentPayloadV2Schema.safeParse(value);
      if (!parsed.success) return undefined;
      // The schema takes terms without `extra`, too.
      const { accepted, ...rest } = parsed.data;
      const terms = { ...accepted, extra: accepted.extra ?? {} };
      return { ...rest, accepted: terms } as unknown as PaymentPayload;
    },
  };
}
