import { z } from 'zod';

/** What can be sold, as a configuration and the OpenAPI document write its path. */
export const SOLD_PATHS = ['/history/{symbol}', '/board/at', '/receipts/full'] as const;

/** The machine tier's part of a configuration, which `docs/config.md` explains. Without it the tier is closed. */
export interface TierConfig {
  /**
   * What a call costs, in the smallest unit of the asset, decimal, by path. A path that has no price is closed, but for what was bought while
   * it had one.
   */
  readonly prices: Readonly<Partial<Record<(typeof SOLD_PATHS)[number], string | undefined>>>;
  /** The chain, as CAIP-2 names it. */
  readonly network: string;
  /** The mint of the tokens that are taken. */
  readonly asset: string;
  /** Who is paid. It must have a token account of the asset. */
  readonly pay_to: string;
  /** The facilitator that checks and settles payments. */
  readonly facilitator: string;
  /** The name of the secret that is sent to it as a bearer token; null for none. */
  readonly facilitator_token: string | null;
  readonly facilitator_timeout_s: number;
  /** The address of the service as buyers see it. */
  readonly origin: string;
  /** The JSON-RPC address of a node of the chain, which is only read. */
  readonly rpc: string;
  /** Seconds for which an offer is honoured. */
  readonly valid_s: number;
  /** How much may be served in all on the facilitator's word before the chain shows it, in the smallest unit, decimal. */
  readonly trusted_amount: string;
  /** Seconds for which a payment that the facilitator calls settled is looked for on the chain while its buyer waits. */
  readonly confirm_timeout_s: number;
  /** Seconds for which a bought answer is kept for repeats. */
  readonly answer_kept_s: number;
  /** Seconds between two rounds in which open payments are compared with the chain. */
  readonly reconcile_s: number;
  /** The sources, by name, whose prices and volumes may be sold. */
  readonly shown_sources: readonly string[];
}

const amount = z.string().regex(/^(?:0|[1-9][0-9]{0,18})$/, 'a whole number as text');
const price = z.string().regex(/^[1-9][0-9]{0,18}$/, 'a whole number above 0 as text');
const account = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'an address of Solana');
const url = z.url({ protocol: /^https?$/ }).refine((text) => {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}, 'an address without user and password');
const withoutSlash = url.transform((text) => text.replace(/\/+$/, ''));
/** Of `origin`. The header of a 402 has it twice, and proxies allow a few thousand characters for all headers. */
const MAX_ORIGIN = 80;
/** Buyers build on it: it has neither a query nor a path. */
const origin = withoutSlash
  .refine((text) => {
    return !URL.canParse(text) || new URL(text).origin === text;
  }, 'an address without a path')
  .refine((text) => text.length <= MAX_ORIGIN, `an address of at most ${MAX_ORIGIN} characters`);

/** The machine tier's part of a node's configuration. */
export const tierField: z.ZodType<TierConfig> = z.strictObject({
  prices: z.strictObject({
    '/history/{symbol}': price.optional(),
    '/board/at': price.optional(),
    '/receipts/full': price.optional(),
  }),
  network: z
    .string()
    .regex(/^solana:[1-9A-HJ-NP-Za-km-z]{32}$/, 'a chain of Solana, as CAIP-2 names it'),
  asset: account,
  pay_to: account,
  facilitator: withoutSlash,
  facilitator_token: z
    .string()
    .regex(/^[A-Z0-9_]{1,64}$/)
    .nullable()
    .default(null),
  facilitator_timeout_s: z.number().positive().max(120).default(20),
  origin,
  rpc: url,
  valid_s: z.int().min(10).max(3600).default(60),
  trusted_amount: amount.default('0'),
  confirm_timeout_s: z.number().min(0).max(120).default(15),
  answer_kept_s: z
    .int()
    .min(600)
    .max(366 * 86_400)
    .default(86_400),
  reconcile_s: z.number().min(1).max(3600).default(30),
  shown_sources: z
    .array(z.string().regex(/^[a-z0-9_]{1,64}$/))
    .max(16)
    .default([]),
});
