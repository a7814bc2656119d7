import { readFile } from 'node:fs/promises';
import { VENUE_GROUPS } from '../answer/venues.ts';
import { array, nullable, object, oneOf, type Parse, string, time } from '@assay/core/wire/schema';
import { parseSymbol } from '@assay/core/terminal/tick/asset-symbol';
import type { TimeText } from '@assay/core/time/time';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { errorCode, writeDurable } from '../../platform/durable-file.ts';
import { type Offer, VENUE_IDS, type VenueId } from './venue.ts';

/** A venue with its newest list. */
export interface KeptVenue {
  readonly venue: VenueId;
  /** When that list was read; null where none ever was. */
  readonly checked_at: TimeText | null;
  /** Why the newest check did not get a list; null if it did. */
  readonly note: string | null;
  readonly offers: readonly Offer[];
}

/** The result of the newest check. */
export interface KeptVenues {
  readonly checked_at: TimeText;
  readonly venues: readonly KeptVenue[];
}

const MAX_OFFERS = 20_000;
const MAX_URL = 512;

const parseKept: Parse<KeptVenues> = object<KeptVenues>({
  checked_at: time,
  venues: array(
    object<KeptVenue>({
      venue: oneOf(VENUE_IDS),
      checked_at: nullable(time),
      note: nullable(string(1, 200)),
      offers: array(
        object<Offer>({
          kind: oneOf(VENUE_GROUPS),
          symbol: parseSymbol,
          url: string(1, MAX_URL, /^https:\/\/[!-~]+$/),
        }),
        0,
        MAX_OFFERS,
      ),
    }),
    0,
    VENUE_IDS.length,
  ),
});

/** Stores the result of the newest check across restarts. */
export interface VenueStore {
  /** Undefined if there is nothing. Throws if it cannot be read. */
  readonly get: () => Promise<KeptVenues | undefined>;
  /** Durable when it resolves. */
  readonly set: (kept: KeptVenues) => Promise<void>;
}

/** One file, canonical JSON. */
export function venueFile(path: string): VenueStore {
  return {
    async get() {
      let bytes: Uint8Array;
      try {
        bytes = await readFile(path);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
      return parseKept(parseWire(bytes), 'venues');
    },
    set: (kept) => writeDurable(path, formatWire(kept)),
  };
}
