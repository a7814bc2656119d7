import type { ListedAssets } from './venue.ts';

/**
 * The names, by symbol, of a prediction market's markets on an asset. The operator writes them, and none is
 * guessed.
 */
export type SlugMap = Readonly<Record<string, readonly string[]>>;

export interface Slug {
  readonly symbol: string;
  readonly slug: string;
}

/** The slugs of listed assets, in the order of the map. */
export function slugsOf(map: SlugMap, { all }: ListedAssets): readonly Slug[] {
  return Object.entries(map)
    .filter(([symbol]) => all.has(symbol))
    .flatMap(([symbol, slugs]) => slugs.map((slug) => ({ symbol, slug })));
}
