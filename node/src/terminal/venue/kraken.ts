import { Fault } from '@assay/core/fault';
import type { SourceJson } from '@assay/core/source/source-json';
import { vendorRequest } from '../vendor/vendor-answer.ts';
import { matched, type Product } from './product.ts';
import { optionalText, recordOf, requireOnce, textOf } from './product-row.ts';
import type { Venue } from './venue.ts';

const PAIRS = 'https://api.kraken.com/0/public/AssetPairs';

/** The two coins that the exchange calls by names of its own. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['XBT', 'BTC'],
  ['XDG', 'DOGE'],
]);

/**
 * Kraken's `GET /0/public/AssetPairs`: `{ "error": [], "result": { "XXBTZUSD": { "wsname": "XBT/USD", "status",
 * ... } } }`. Base and quote are those of `wsname`, with XBT read as BTC and XDG as DOGE; a pair without one is
 * skipped. What trades is `online`. All of it is spot.
 */
export const kraken: Venue = {
  id: 'kraken',
  lists: ({ crypto }) => {
    if (crypto.size === 0) return [];
    const request = vendorRequest(PAIRS);
    return [{ request, offers: (pages) => matched(products(pages), crypto) }];
  },
};

function products(pages: readonly SourceJson[]): readonly Product[] {
  const answer = recordOf(pages[0], 'answer');
  const errors = answer.get('error');
  const pairs = recordOf(answer.get('result'), 'result');
  if (!Array.isArray(errors) || errors.length > 0 || pairs.size === 0) {
    throw new Fault('malformed', 'product list', { expected: 'pairs and no errors' });
  }
  const rows = [...pairs.values()].map((row) => recordOf(row, 'result'));
  requireOnce(rows.flatMap((row) => optionalText(row, 'wsname') ?? []));
  return rows.flatMap((row) => {
    const status = textOf(row, 'status');
    const [, from = '', quote = ''] =
      /^([^/]+)\/([^/]+)$/.exec(optionalText(row, 'wsname') ?? '') ?? [];
    if (status !== 'online' || from === '') return [];
    const base = OWN_NAMES.get(from) ?? from;
    const url = `https://pro.kraken.com/app/trade/${base}-${quote}`.toLowerCase();
    return [{ kind: 'spot', base, quote, ends: 0, url }];
  });
}
