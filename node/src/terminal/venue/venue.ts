import type { VenueGroup } from '../answer/venues.ts';
import type { SourceRequest } from '@assay/core/source/request';
import type { SourceJson } from '@assay/core/source/source-json';

/** Venues whose product lists are read, in the order in which they are shown. */
export const VENUE_IDS = [
  'binance',
  'bybit',
  'coinbase',
  'hyperliquid',
  'kraken',
  'kalshi',
  'polymarket',
] as const;
export type VenueId = (typeof VENUE_IDS)[number];

export const VENUE_NAMES: Readonly<Record<VenueId, string>> = {
  binance: 'Binance',
  bybit: 'Bybit',
  coinbase: 'Coinbase',
  hyperliquid: 'Hyperliquid',
  kraken: 'Kraken',
  kalshi: 'Kalshi',
  polymarket: 'Polymarket',
};

/** What a venue offers on an asset. Nothing else of its answer is stored. */
export interface Offer {
  readonly kind: VenueGroup;
  readonly symbol: string;
  /** A page of the venue, without anything that pays for the link. */
  readonly url: string;
}

/** The symbols that the Terminal lists when a check begins. */
export interface ListedAssets {
  /** Those of class crypto, because a share may have the name of a coin. */
  readonly crypto: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/** A public list of a venue. */
export interface ProductList {
  readonly request: SourceRequest;
  /** What its pages, each one JSON text, offer. Throws `malformed` for anything but the venue's list. */
  readonly offers: (pages: readonly SourceJson[]) => readonly Offer[];
}

export interface Venue {
  readonly id: VenueId;
  /** The lists to request; none if the venue could offer nothing. */
  readonly lists: (listed: ListedAssets) => readonly ProductList[];
}
