/** How an asset is traded at a venue. */
export const VENUE_GROUPS = ['spot', 'perpetuals', 'futures', 'prediction_markets'] as const;
export type VenueGroup = (typeof VENUE_GROUPS)[number];

/** Where an asset trades: a plain link that nobody pays for. */
export interface VenuePayload {
  readonly venue: string;
  readonly name: string;
  readonly url: string;
  /** Whether customers in the United States are served there, by the operator's list. */
  readonly us_available: boolean;
  /** When the venue's product list last named it. */
  readonly checked_at: string;
}

/** Venues by the way in which the asset is traded. */
export type VenuesPayload = { readonly [G in VenueGroup]: readonly VenuePayload[] };

export const NO_VENUES: VenuesPayload = {
  spot: [],
  perpetuals: [],
  futures: [],
  prediction_markets: [],
};
