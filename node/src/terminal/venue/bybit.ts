import { Fault } from '@assay/core/fault';
import type { SourceRequest } from '@assay/core/source/request';
import type { SourceJson, SourceRecord } from '@assay/core/source/source-json';
import { vendorRequest } from '../vendor/vendor-answer.ts';
import { matched, type Product } from './product.ts';
import { countOf, recordOf, requireOnce, someRows, textOf } from './product-row.ts';
import type { Venue } from './venue.ts';

const INSTRUMENTS = 'https://api.bybit.com/v5/market/instruments-info';
/** With a thousand per page, more contracts than this many pages hold cannot be a list of this exchange. */
const MAX_PAGES = 10;

/** The contracts come in pages, each with the cursor of the next; the last one's is empty. */
const LINEAR: SourceRequest = {
  ...vendorRequest(`${INSTRUMENTS}?category=linear&limit=1000`),
  paging: {
    kind: 'cursor',
    ptr: '/result/nextPageCursor',
    place: 'query',
    name: 'cursor',
    max_pages: MAX_PAGES,
    until: null,
    total: null,
  },
};

/**
 * Bybit's `GET /v5/market/instruments-info` with `category=spot`, which has no pages, and `category=linear`:
 * `{ "retCode": 0, "result": { "nextPageCursor", "list": [{ "symbol", "status", "baseCoin", "quoteCoin", ... }] } }`.
 * Contracts have a `contractType` and a `deliveryTime` in milliseconds, a text. What trades has the status `Trading`.
 */
export const bybit: Venue = {
  id: 'bybit',
  lists: ({ crypto }) => {
    if (crypto.size === 0) return [];
    return [
      {
        request: vendorRequest(`${INSTRUMENTS}?category=spot`),
        offers: (pages) => matched(products(pages, spot), crypto),
      },
      { request: LINEAR, offers: (pages) => matched(products(pages, contract), crypto) },
    ];
  },
};

function products(
  pages: readonly SourceJson[],
  productOf: (row: SourceRecord) => Product | undefined,
): readonly Product[] {
  const rows = pages.flatMap((page) => {
    const answer = recordOf(page, 'answer');
    if (countOf(answer.get('retCode'), 'retCode') !== 0) {
      throw new Fault('malformed', 'product list', { at: 'retCode', expected: '0' });
    }
    return someRows(recordOf(answer.get('result'), 'result').get('list'), 'list');
  });
  requireOnce(rows.map((row) => textOf(row, 'symbol')));
  return rows.flatMap((row) => productOf(row) ?? []);
}

function spot(row: SourceRecord): Product | undefined {
  const base = textOf(row, 'baseCoin');
  const quote = textOf(row, 'quoteCoin');
  if (textOf(row, 'status') !== 'Trading') return undefined;
  const url = `https://www.bybit.com/en/trade/spot/${base}/${quote}`;
  return { kind: 'spot', base, quote, ends: 0, url };
}

function contract(row: SourceRecord): Product | undefined {
  const base = textOf(row, 'baseCoin');
  const quote = textOf(row, 'quoteCoin');
  const type = textOf(row, 'contractType');
  const time = textOf(row, 'deliveryTime');
  if (textOf(row, 'status') !== 'Trading') return undefined;
  if (type === 'LinearPerpetual') {
    const name = quote === 'USDC' ? `futures/usdc/${base}-PERP` : `usdt/${base}${quote}`;
    const url = `https://www.bybit.com/trade/${name}`;
    return { kind: 'perpetuals', base, quote, ends: 0, url };
  }
  const [, day] = /-([0-9]{1,2}[A-Z]{3}[0-9]{2})$/.exec(textOf(row, 'symbol')) ?? [];
  if (type !== 'LinearFutures' || day === undefined || !/^[1-9][0-9]{12}$/.test(time)) {
    return undefined;
  }
  const name = quote === 'USDC' ? `futures/usdc/${base}-${day}` : `usdt/${base}${quote}-${day}`;
  const url = `https://www.bybit.com/trade/${name}`;
  return { kind: 'futures', base, quote, ends: Number(time), url };
}
