import { requireWhole } from '@assay/core/rule/paging';
import { parseSourceJson } from '@assay/core/source/source-json';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import type { Source } from '../../source/source.ts';
import type { KeptVenue, KeptVenues } from './kept-venues.ts';
import type { ListedAssets, Offer, ProductList, Venue } from './venue.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

/** The most bytes of all pages of a list. Anything longer is no product list. */
export const MAX_LIST_BYTES: number = 24 * 1024 * 1024;

/**
 * Asks each venue, one after the other, what it offers on the listed assets. A venue of which any list is
 * missing or invalid keeps its earlier offers, with the reason in `note`; nothing that a venue answers makes
 * this throw. Of the answers only the offers are stored. Throws only the signal's reason.
 */
export async function checkVenues(
  venues: readonly Venue[],
  listed: ListedAssets,
  before: KeptVenues | undefined,
  source: Source,
  at: number,
  signal: AbortSignal,
): Promise<KeptVenues> {
  const checkedAt = formatTime(at);
  const kept: KeptVenue[] = [];
  for (const venue of venues) {
    const lists = venue.lists(listed);
    if (lists.length === 0) continue;
    const found = await readVenue(lists, source, signal);
    const last = before?.venues.find((each) => each.venue === venue.id);
    kept.push(keptOf(venue, found, checkedAt, last));
  }
  return { checked_at: checkedAt, venues: kept };
}

function keptOf(
  { id }: Venue,
  found: readonly Offer[] | string,
  checkedAt: TimeText,
  last: KeptVenue | undefined,
): KeptVenue {
  if (typeof found !== 'string') {
    return { venue: id, checked_at: checkedAt, note: null, offers: found };
  }
  const none = { venue: id, checked_at: null, offers: [] };
  return { ...(last ?? none), note: found };
}

/** What all lists of a venue offer, or why that is not known. */
async function readVenue(
  lists: readonly ProductList[],
  source: Source,
  signal: AbortSignal,
): Promise<readonly Offer[] | string> {
  const offers: Offer[] = [];
  for (const list of lists) {
    const found = await readList(list, source, signal);
    if (typeof found === 'string') return found;
    offers.push(...found);
  }
  return offers;
}

async function readList(
  { request, offers }: ProductList,
  source: Source,
  signal: AbortSignal,
): Promise<readonly Offer[] | string> {
  const answer = await source.read(request, { signal });
  if (answer.kind === 'failed') return answer.reason;
  const bad = answer.pages.find(({ status }) => status !== 200);
  if (bad !== undefined) return `status ${bad.status}`;
  const pages = answer.pages.map(({ bytes }) => bytes);
  const length = pages.reduce((sum, bytes) => sum + bytes.length, 0);
  if (length > MAX_LIST_BYTES) return 'too_large';
  try {
    requireWhole(request.paging, pages);
    return offers(pages.map((bytes) => parseSourceJson(parseUtf8(bytes), NO_LIMIT)));
  } catch {
    // The message of such a fault may contain the venue's own text, which readers are not shown.
    return 'the answer is not its product list';
  }
}
