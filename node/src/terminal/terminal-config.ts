import { z } from 'zod';
import { type VenuesConfig, venuesField } from './venue/venue-config.ts';

/** CoinGecko, in a configuration. `secret` is not used on the public plan. */
export interface CoinGeckoConfig {
  readonly kind: 'coingecko';
  readonly plan: 'public' | 'demo' | 'pro';
  readonly secret: string;
}

export interface BinanceConfig {
  readonly kind: 'binance';
}

/** Alpaca: its feed, and the names of its two secrets. */
export interface AlpacaConfig {
  readonly kind: 'alpaca';
  readonly feed: string;
  readonly key_id: string;
  readonly key: string;
}

export interface TiingoConfig {
  readonly kind: 'tiingo';
  readonly token: string;
}

/** A file of reads, for development logs. */
export interface RecordedConfig {
  readonly kind: 'recorded';
  readonly provider: string;
  readonly file: string;
}

export type TickSourceConfig =
  | CoinGeckoConfig
  | BinanceConfig
  | AlpacaConfig
  | TiingoConfig
  | RecordedConfig;

/** The Terminal's part of a configuration, which `docs/config.md` explains. */
export interface TerminalConfig {
  /** The file of the assets and splits. */
  readonly assets: string;
  /** The sources of crypto assets, with the one that is scored first; null for no ticks of them. */
  readonly crypto: readonly TickSourceConfig[] | null;
  readonly stock: {
    /** The agreement that allows these prices to be read and shown. Without it the node does not start. */
    readonly licence: string | null;
    readonly sources: readonly TickSourceConfig[];
  } | null;
  /** Seconds that sources have for a tick. */
  readonly read_timeout_s: number;
  /** The day from which readings older than 45 days are thinned; null for never. */
  readonly thin_from: string | null;
  /** The venues whose product lists are read each night; null: none are asked. */
  readonly venues: VenuesConfig | null;
}

/** Names of secrets in the environment. */
const secretName = z.string().regex(/^[A-Z0-9_]{1,64}$/);

const coinGeckoField = z.strictObject({
  kind: z.literal('coingecko'),
  plan: z.enum(['public', 'demo', 'pro']).default('public'),
  secret: secretName.default('COINGECKO'),
});

const binanceField = z.strictObject({ kind: z.literal('binance') });

const alpacaField = z.strictObject({
  kind: z.literal('alpaca'),
  feed: z.enum(['sip', 'iex', 'delayed_sip', 'boats', 'otc']).default('sip'),
  key_id: secretName.default('ALPACA_ID'),
  key: secretName.default('ALPACA_KEY'),
});

const tiingoField = z.strictObject({
  kind: z.literal('tiingo'),
  token: secretName.default('TIINGO'),
});

const recordedField = z.strictObject({
  kind: z.literal('recorded'),
  provider: z.string().regex(/^[a-z0-9_]{1,64}$/),
  file: z.string().min(1),
});

const MAX_SOURCES = 8;

/** The Terminal's part of a node's configuration. Without it nothing of the Terminal runs. */
export const terminalField: z.ZodType<TerminalConfig> = z.strictObject({
  assets: z.string().min(1),
  crypto: z
    .array(z.discriminatedUnion('kind', [coinGeckoField, binanceField, recordedField]))
    .min(1)
    .max(MAX_SOURCES)
    .nullable()
    .default(null),
  stock: z
    .strictObject({
      licence: z.string().min(1).max(500).nullable().default(null),
      sources: z
        .array(z.discriminatedUnion('kind', [alpacaField, tiingoField, recordedField]))
        .min(1)
        .max(MAX_SOURCES),
    })
    .nullable()
    .default(null),
  read_timeout_s: z.int().min(5).max(240).default(120),
  thin_from: z.iso.date().nullable().default('2026-09-29'),
  venues: venuesField.nullable().default(null),
});

/** The same with its paths resolved. */
export function withPaths(
  config: TerminalConfig,
  resolve: (path: string) => string,
): TerminalConfig {
  const resolved = (each: TickSourceConfig): TickSourceConfig =>
    each.kind === 'recorded' ? { ...each, file: resolve(each.file) } : each;
  const { assets, crypto, stock } = config;
  return {
    ...config,
    assets: resolve(assets),
    crypto: crypto === null ? null : crypto.map(resolved),
    stock: stock === null ? null : { ...stock, sources: stock.sources.map(resolved) },
  };
}
