import { Fault } from '@assay/core/fault';
import type { SourceRequest } from '@assay/core/source/request';
import type { SourceJson } from '@assay/core/source/source-json';
import { matched, type Product } from './product.ts';
import {
  countOf,
  flagOf,
  optionalFlag,
  recordOf,
  requireOnce,
  someRows,
  textOf,
} from './product-row.ts';
import type { Venue } from './venue.ts';

/** The currency in which perpetuals are settled and most coins are quoted. */
const DOLLAR = 'USDC';

/**
 * Hyperliquid's `POST https://api.hyperliquid.xyz/info`. `{ "type": "meta" }` answers
 * `{ "universe": [{ "name", "isDelisted"?, ... }] }`, perpetuals against USDC, those of the venue's own list alone.
 * `{ "type": "spotMeta" }` answers `{ "tokens": [{ "name", "index", "isCanonical", ... }], "universe": [{ "name",
 * "tokens": [base, quote], ... }] }`, where a pair names its tokens by their indices. A token that is not canonical is
 * none of a listed asset: anybody may make one. A bridged coin has a name of its own, such as UBTC, and matches nothing.
 */
export const hyperliquid: Venue = {
  id: 'hyperliquid',
  lists: ({ crypto }) => {
    if (crypto.size === 0) return [];
    return [
      { request: info('meta'), offers: (pages) => matched(perpetuals(pages), crypto) },
      { request: info('spotMeta'), offers: (pages) => matched(pairs(pages), crypto) },
    ];
  },
};

function info(type: string): SourceRequest {
  return {
    method: 'POST',
    url: 'https://api.hyperliquid.xyz/info',
    headers: [{ name: 'content-type', value: 'application/json' }],
    body: JSON.stringify({ type }),
    follow: [],
    paging: { kind: 'none' },
  };
}

function perpetuals(pages: readonly SourceJson[]): readonly Product[] {
  const rows = someRows(recordOf(pages[0], 'answer').get('universe'), 'universe');
  requireOnce(rows.map((row) => textOf(row, 'name')));
  return rows
    .filter((row) => !optionalFlag(row, 'isDelisted'))
    .map((row) => {
      const base = textOf(row, 'name');
      const url = `https://app.hyperliquid.xyz/trade/${base}`;
      return { kind: 'perpetuals', base, quote: DOLLAR, ends: 0, url };
    });
}

function pairs(pages: readonly SourceJson[]): readonly Product[] {
  const answer = recordOf(pages[0], 'answer');
  const tokens = someRows(answer.get('tokens'), 'tokens');
  const universe = someRows(answer.get('universe'), 'universe');
  requireOnce(tokens.map((row) => countOf(row.get('index'), 'index')));
  requireOnce(universe.map((row) => textOf(row, 'name')));
  const names = new Map<number, string>();
  for (const row of tokens) {
    const name = textOf(row, 'name');
    if (flagOf(row, 'isCanonical')) names.set(countOf(row.get('index'), 'index'), name);
  }
  return universe.flatMap((row) => {
    const both = row.get('tokens');
    if (!Array.isArray(both) || both.length !== 2) {
      throw new Fault('malformed', 'product list', { at: 'tokens', expected: 'base and quote' });
    }
    const [base, quote] = (both as readonly SourceJson[]).map((each) =>
      names.get(countOf(each, 'tokens')),
    );
    if (base === undefined || quote === undefined) return [];
    const url = `https://app.hyperliquid.xyz/trade/${base}/${quote}`;
    return [{ kind: 'spot', base, quote, ends: 0, url }];
  });
}
