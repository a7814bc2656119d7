import {
  add,
  formatScaled,
  multiply,
  parseDecimal,
  type Rational,
} from '@assay/core/number/rational';
import type { SourceJson, SourceRecord } from '@assay/core/source/source-json';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { formatTime, parseTime } from '@assay/core/time/time';
import type { Source } from '../../source/source.ts';
import { type TickSource, type TickSourceRead, unread, type VendorNames } from './tick-source.ts';
import { askVendor, isRecord, type VendorAnswer, vendorRequest } from './vendor-answer.ts';
import { readBatches } from './vendor-batches.ts';
import { figureOf, isoStamp, priceOf } from './vendor-figures.ts';

const PROVIDER = 'alpaca';

/**
 * The symbols of a request. With bars from 04:00 to 20:00, at most 64 on most days, they fit into the vendor's
 * 10,000 rows.
 */
const BATCH = 100;
const MAX_ROWS = 10_000;
/** The most pages of a request whose rows do not fit. */
const MAX_PAGES = 8;
const MAX_TOKEN = 1000;

/** The quarter hours of a whole session, over which a day's volume is summed. */
const DAY_TICKS = 26;

export interface AlpacaOptions {
  readonly source: Source;
  /** The vendor's symbols, such as `BRK.B`. */
  readonly names: VendorNames;
  /** Which of its feeds the licence is for: `sip` is the consolidated tape. */
  readonly feed: string;
  /** The names of the secrets with the key's id and the key. */
  readonly keyId: string;
  readonly key: string;
}

/**
 * Alpaca's `/v2/stocks/bars` in quarter hours. The price is the close of the newest bar, with that bar's end as
 * its timestamp, and the volume is shares times their average price over the last 26 quarter hours of sessions.
 * Bars outside the regular session count for neither. An answer of several pages is read to its end, or not at
 * all.
 */
export function alpaca({ source, names, feed, keyId, key }: AlpacaOptions): TickSource {
  const headers = [
    { name: 'apca-api-key-id', value: `{secret:${keyId}}` },
    { name: 'apca-api-secret-key', value: `{secret:${key}}` },
  ];
  return {
    provider: PROVIDER,
    read(ts, symbols, signal) {
      const index = xnysGrid.indexOf(ts);
      if (index === undefined || index < DAY_TICKS) {
        return Promise.resolve(
          symbols.map((symbol) => unread(PROVIDER, symbol, 'no time of a session')),
        );
      }
      const from = xnysGrid.timeOf(index - DAY_TICKS + 1) - GRID_SECONDS;
      const span = `start=${formatTime(from)}&end=${formatTime(ts - 1)}`;
      const how = `timeframe=15Min&adjustment=raw&limit=${MAX_ROWS}&feed=${encodeURIComponent(feed)}`;
      return readBatches(
        {
          provider: PROVIDER,
          names,
          size: BATCH,
          ask(asked) {
            const list = asked.map(encodeURIComponent).join(',');
            const url = `https://data.alpaca.markets/v2/stocks/bars?symbols=${list}&${how}&${span}`;
            return askPages(url, (each) => askVendor(source, vendorRequest(each, headers), signal));
          },
          take(bars, batch) {
            return batch.map(({ symbol, name }) =>
              barsRead(symbol, isRecord(bars) ? bars.get(name) : undefined, from, ts),
            );
          },
        },
        symbols,
        signal,
      );
    },
  };
}

/** The bars of all pages by the vendor's symbols: all of them, or a reason. */
async function askPages(
  url: string,
  ask: (url: string) => Promise<VendorAnswer>,
): Promise<VendorAnswer> {
  const all = new Map<string, readonly SourceJson[]>();
  let token = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ask(token === '' ? url : `${url}&page_token=${encodeURIComponent(token)}`);
    if (answer.kind !== 'json') return answer;
    const { value } = answer;
    const bars = isRecord(value) ? value.get('bars') : undefined;
    if (!isRecord(value) || !isRecord(bars)) break;
    for (const [name, rows] of bars) {
      if (Array.isArray(rows)) all.set(name, [...(all.get(name) ?? []), ...rows]);
    }
    const next = value.get('next_page_token') ?? null;
    if (next === null) return { kind: 'json', value: all };
    if (typeof next !== 'string' || next === '' || next === token || next.length > MAX_TOKEN) break;
    token = next;
  }
  return { kind: 'nothing', reason: 'no whole answer' };
}

/** The read of an asset from its bars, which must rise. */
function barsRead(
  symbol: string,
  list: SourceJson | undefined,
  from: number,
  ts: number,
): TickSourceRead {
  const rows = Array.isArray(list) ? (list as readonly SourceJson[]) : [];
  let last: { readonly price: string; readonly end: number } | undefined;
  let volume: Rational | undefined = { n: 0n, d: 1n };
  for (const row of rows) {
    const start = isRecord(row) ? isoStamp(row.get('t')) : undefined;
    if (!isRecord(row) || start === undefined) {
      return unread(PROVIDER, symbol, 'a bar without its time');
    }
    const end = parseTime(start) + GRID_SECONDS;
    if (end <= from || end > ts || xnysGrid.indexOf(end) === undefined) continue;
    if (last !== undefined && end <= last.end) {
      return unread(PROVIDER, symbol, 'bars that do not rise');
    }
    const price = priceOf(row.get('c'));
    if (price === undefined) return unread(PROVIDER, symbol, 'no price');
    last = { price, end };
    const traded = tradedIn(row);
    volume = volume === undefined || traded === undefined ? undefined : add(volume, traded);
  }
  if (last === undefined) return unread(PROVIDER, symbol, 'no bar');
  const volume_24h = volume === undefined ? null : wholeOf(volume);
  const stamped_at = formatTime(last.end);
  return {
    symbol,
    said: { provider: PROVIDER, price: last.price, volume_24h, stamped_at },
    reason: null,
  };
}

/** What was traded in a bar, in dollars; undefined if the bar does not show it. */
function tradedIn(row: SourceRecord): Rational | undefined {
  const [shares, average] = [figureOf(row.get('v')), figureOf(row.get('vw'))];
  if (shares === undefined || average === undefined) return undefined;
  return multiply(parseDecimal(shares), parseDecimal(average));
}

/** Whole units, rounded half away from zero. */
function wholeOf({ n, d }: Rational): string {
  return formatScaled((2n * n + d) / (2n * d), 0);
}
