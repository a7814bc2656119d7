import type { SourceJson, SourceRecord } from '@assay/core/source/source-json';
import { vendorRequest } from '../vendor/vendor-answer.ts';
import { matched, type Product } from './product.ts';
import { countOf, flagOf, recordOf, requireOnce, someRows, textOf } from './product-row.ts';
import type { Venue } from './venue.ts';

const SPOT = 'https://data-api.binance.vision/api/v3/exchangeInfo?showPermissionSets=false';
const FUTURES = 'https://fapi.binance.com/fapi/v1/exchangeInfo';

/** Contracts with an end, by the exchange's names. */
const ENDING: ReadonlySet<string> = new Set([
  'CURRENT_MONTH',
  'NEXT_MONTH',
  'CURRENT_QUARTER',
  'NEXT_QUARTER',
]);

/**
 * Binance's `GET /api/v3/exchangeInfo` (spot) and `GET /fapi/v1/exchangeInfo` (USD-M futures). Both are
 * `{ "symbols": [{ "symbol", "status", "baseAsset", "quoteAsset", ... }] }`: a spot row has `isSpotTradingAllowed`, a
 * futures row `contractType` and `deliveryDate` in milliseconds. What trades has the status `TRADING`.
 */
export const binance: Venue = {
  id: 'binance',
  lists: ({ crypto }) => {
    if (crypto.size === 0) return [];
    return [
      { request: vendorRequest(SPOT), offers: (pages) => matched(products(pages, spot), crypto) },
      {
        request: vendorRequest(FUTURES),
        offers: (pages) => matched(products(pages, contract), crypto),
      },
    ];
  },
};

function products(
  pages: readonly SourceJson[],
  productOf: (row: SourceRecord) => Product | undefined,
): readonly Product[] {
  const rows = someRows(recordOf(pages[0], 'answer').get('symbols'), 'symbols');
  requireOnce(rows.map((row) => textOf(row, 'symbol')));
  return rows.flatMap((row) => productOf(row) ?? []);
}

function spot(row: SourceRecord): Product | undefined {
  const base = textOf(row, 'baseAsset');
  const quote = textOf(row, 'quoteAsset');
  if (textOf(row, 'status') !== 'TRADING' || !flagOf(row, 'isSpotTradingAllowed')) return undefined;
  const url = `https://www.binance.com/en/trade/${base}_${quote}`;
  return { kind: 'spot', base, quote, ends: 0, url };
}

function contract(row: SourceRecord): Product | undefined {
  const base = textOf(row, 'baseAsset');
  const quote = textOf(row, 'quoteAsset');
  const type = textOf(row, 'contractType');
  if (textOf(row, 'status') !== 'TRADING') return undefined;
  const page = 'https://www.binance.com/en/futures/';
  if (type === 'PERPETUAL') {
    return { kind: 'perpetuals', base, quote, ends: 0, url: `${page}${base}${quote}` };
  }
  const [, day] = /_([0-9]{6})$/.exec(textOf(row, 'symbol')) ?? [];
  if (!ENDING.has(type) || day === undefined) return undefined;
  const ends = countOf(row.get('deliveryDate'), 'deliveryDate');
  return { kind: 'futures', base, quote, ends, url: `${page}${base}${quote}_${day}` };
}
