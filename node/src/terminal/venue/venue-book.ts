import type { AssetVenues } from '../answer/asset.ts';
import {
  NO_VENUES,
  VENUE_GROUPS,
  type VenueGroup,
  type VenuePayload,
  type VenuesPayload,
} from '../answer/venues.ts';
import type { VenueBook } from '../../api/terminal-routes.ts';
import type { KeptVenue, KeptVenues } from './kept-venues.ts';
import { VENUE_NAMES, type VenueId } from './venue.ts';

type Groups = Record<VenueGroup, VenuePayload[]>;

/** Where the assets trade, for readers. */
export class CheckedVenues implements VenueBook {
  readonly #notUs: ReadonlySet<VenueId>;
  #version = 0;
  #shown: ReadonlyMap<string, VenuesPayload> = new Map();
  #rest: Omit<AssetVenues, 'venues'> = {
    venues_checked_at: null,
    venues_notice: 'The venues have not been checked yet.',
  };

  /** `notUs` lists venues that do not serve customers in the United States. */
  constructor(notUs: readonly VenueId[]) {
    this.#notUs = new Set(notUs);
  }

  get version(): number {
    return this.#version;
  }

  readonly of = (symbol: string): AssetVenues => ({
    venues: this.#shown.get(symbol) ?? NO_VENUES,
    ...this.#rest,
  });

  /** Shows these from now on. */
  show(kept: KeptVenues): void {
    const shown = new Map<string, Groups>();
    for (const { venue, checked_at: checkedAt, offers } of kept.venues) {
      if (checkedAt === null) continue;
      for (const { kind, symbol, url } of offers) {
        const groups = shown.get(symbol) ?? noGroups();
        groups[kind].push({
          venue,
          name: VENUE_NAMES[venue],
          url,
          us_available: !this.#notUs.has(venue),
          checked_at: checkedAt,
        });
        shown.set(symbol, groups);
      }
    }
    this.#shown = shown;
    this.#rest = { venues_checked_at: kept.checked_at, venues_notice: noticeOf(kept.venues) };
    this.#version += 1;
  }
}

function noGroups(): Groups {
  return Object.fromEntries(VENUE_GROUPS.map((group) => [group, []])) as unknown as Groups;
}

/** What a check did not get, as text; null if it got everything. */
function noticeOf(venues: readonly KeptVenue[]): string | null {
  const missing = venues.flatMap(({ venue, checked_at: checkedAt, note }) => {
    if (note === null) return [];
    const instead = checkedAt === null ? 'nothing is known of it' : `its list is of ${checkedAt}`;
    return [`${VENUE_NAMES[venue]} (${note}; ${instead})`];
  });
  return missing.length === 0 ? null : `Not checked: ${missing.join(', ')}.`;
}
