import type { SourceRequest } from '@assay/core/source/request';
import { parseTime } from '@assay/core/time/time';
import type { KeptVenue, KeptVenues } from '@assay/node/terminal/venue/kept-venues';
import type { ListedAssets, Venue } from '@assay/node/terminal/venue/venue';
import { checkVenues } from '@assay/node/terminal/venue/venue-check';
import { never, type TestVendor, vendor } from '../vendor-fixture.ts';

export const AT = parseTime('2026-11-20T03:00:00Z');

export function listed(crypto: readonly string[], stocks: readonly string[] = []): ListedAssets {
  return { crypto: new Set(crypto), all: new Set([...crypto, ...stocks]) };
}

export const LISTED = listed(['BTC', 'ETH', 'DOGE'], ['META']);

/** One venue's check against a source, with what an earlier one left. */
export async function checked(
  venue: Venue,
  source: TestVendor,
  assets: ListedAssets = LISTED,
  before?: KeptVenues,
): Promise<KeptVenue | undefined> {
  return (await checkVenues([venue], assets, before, source, AT, never)).venues[0];
}

/** A venue whose every list has its own answer, by a part of the request's URL or body. */
export function answering(answers: Readonly<Record<string, unknown>>): TestVendor {
  return vendor((request) => {
    const found = Object.entries(answers).find(([part]) => said(request).includes(part));
    return found === undefined
      ? { kind: 'failed', reason: 'unreachable', detail: said(request) }
      : JSON.stringify(found[1]);
  });
}

function said({ url, body }: SourceRequest): string {
  return `${url} ${body ?? ''}`;
}

/** An earlier check that a failing one must leave as it is. */
export function earlier(venue: KeptVenue['venue']): KeptVenues {
  const checked_at = '2026-11-19T03:00:00Z' as KeptVenues['checked_at'];
  const offers = [{ kind: 'spot', symbol: 'BTC', url: 'https://venue.example/BTC' }] as const;
  return { checked_at, venues: [{ venue, checked_at, note: null, offers }] };
}

/** Each answer in place of `part`'s must leave the earlier list alone; those that did not. */
export async function taken(
  venue: Venue,
  good: Readonly<Record<string, unknown>>,
  part: string,
  hostile: readonly unknown[],
): Promise<readonly string[]> {
  const before = earlier(venue.id);
  const wrongly: string[] = [];
  for (const answer of hostile) {
    const kept = await checked(venue, answering({ ...good, [part]: answer }), LISTED, before);
    const [last] = before.venues;
    const same = kept?.offers === last?.offers && kept?.checked_at === last?.checked_at;
    if (!same || kept?.note !== 'the answer is not its product list') {
      wrongly.push(JSON.stringify(answer));
    }
  }
  return wrongly;
}
