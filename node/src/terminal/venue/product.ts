import type { VenueGroup } from '../answer/venues.ts';
import type { Offer } from './venue.ts';

/** Something that trades at an exchange now. */
export interface Product {
  readonly kind: Exclude<VenueGroup, 'prediction_markets'>;
  readonly base: string;
  readonly quote: string;
  /** When it ends, in unix milliseconds; 0 if it does not. */
  readonly ends: number;
  readonly url: string;
}

/** US dollars and the two dollar coins, in the order of preference for links. */
const QUOTES: readonly string[] = ['USD', 'USDT', 'USDC'];

/**
 * The products on listed assets: those whose base is exactly the asset's symbol, in the venue's own upper case,
 * against USD, USDT or USDC. Of several of a kind on one asset, the one that ends first is linked, and among
 * those the first quote of these three.
 */
export function matched(
  products: Iterable<Product>,
  symbols: ReadonlySet<string>,
): readonly Offer[] {
  const best = new Map<string, Product>();
  for (const product of products) {
    if (!symbols.has(product.base) || !QUOTES.includes(product.quote)) continue;
    const key = `${product.kind} ${product.base}`;
    const other = best.get(key);
    if (other === undefined || isBefore(product, other)) best.set(key, product);
  }
  return [...best.values()].map(({ kind, base: symbol, url }) => ({ kind, symbol, url }));
}

function isBefore(a: Product, b: Product): boolean {
  if (a.ends !== b.ends) return a.ends < b.ends;
  return QUOTES.indexOf(a.quote) < QUOTES.indexOf(b.quote);
}
