import { parseSymbol } from '@assay/core/terminal/tick/asset-symbol';
import { z } from 'zod';
import { binance } from './binance.ts';
import { bybit } from './bybit.ts';
import { coinbase } from './coinbase.ts';
import { hyperliquid } from './hyperliquid.ts';
import { kalshi } from './kalshi.ts';
import { kraken } from './kraken.ts';
import { polymarket } from './polymarket.ts';
import type { SlugMap } from './slug-map.ts';
import { type Venue, VENUE_IDS, type VenueId } from './venue.ts';

/** The venues in a configuration, which `docs/config.md` explains. */
export interface VenuesConfig {
  /** Venues that do not serve customers in the United States. */
  readonly not_us: readonly VenueId[];
  /** Series tickers by symbol. */
  readonly kalshi: SlugMap;
  /** Market slugs by symbol. */
  readonly polymarket: SlugMap;
}

const MAX_SYMBOLS = 64;
const MAX_SLUGS = 8;

const slugMap = (slug: RegExp): z.ZodType<SlugMap> =>
  z
    .record(z.string().refine(isSymbol, 'a symbol'), z.array(z.string().regex(slug)).max(MAX_SLUGS))
    .refine((map) => Object.keys(map).length <= MAX_SYMBOLS, `at most ${MAX_SYMBOLS} symbols`)
    .refine(
      (map) => Object.values(map).every((slugs) => new Set(slugs).size === slugs.length),
      'each slug of a symbol once',
    );

/** The venues' part of a node's configuration. Without it none is asked. */
export const venuesField: z.ZodType<VenuesConfig> = z.strictObject({
  not_us: z.array(z.enum(VENUE_IDS)).max(VENUE_IDS.length).default(['binance', 'bybit']),
  kalshi: slugMap(/^[A-Z0-9-]{1,64}$/).default({}),
  polymarket: slugMap(/^[a-z0-9-]{1,200}$/).default({}),
});

/** The venues that a configuration wants checked. */
export function venuesOf(config: VenuesConfig): readonly Venue[] {
  return [
    binance,
    bybit,
    coinbase,
    hyperliquid,
    kraken,
    kalshi(config.kalshi),
    polymarket(config.polymarket),
  ];
}

function isSymbol(text: string): boolean {
  try {
    parseSymbol(text, 'symbol');
    return true;
  } catch {
    return false;
  }
}
