import type { FinalPrint } from '@assay/chain/reader';
import { finalOf, type VenueRequest, type VenueRpc } from '@assay/chain/venue';

type Listing = Pick<VenueRequest, 'program' | 'publisher' | 'ruleHash' | 'cosigners'>;

/** `now` is unix seconds. Throws a `Fault` where the week is not to be settled on. */
export function finalOfWeek(
  rpc: VenueRpc,
  listing: Listing,
  period: string,
  now: number,
): Promise<FinalPrint> {
  const week = { ticker: 'LAYOFFS', period, required: 2, maxAge: 30 * 86_400, now };
  return finalOf(rpc, { ...listing, ...week });
}
