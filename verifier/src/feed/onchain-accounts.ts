import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { type PeriodKind, periodOf } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate, parseDate } from '@assay/core/time/time';
import { firstTicker, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import {
  type AccountBytes,
  type ChainLookup,
  type FeedListing,
  madeAccount,
} from './chain-lookup.ts';
import type { FeedAddresses } from '@assay/core/feed/program-address';
import type { NotCheckedList } from '../verdict/verdict.ts';

/**
 * The accounts of an index: its feed, and its pages by their number. Null is an account that does not exist. For an
 * account that was not read, the feed is undefined and the page is absent.
 */
export interface TickerAccounts {
  readonly ticker: Ticker;
  readonly kind: PeriodKind;
  readonly feed: AccountBytes | null | undefined;
  readonly pages: ReadonlyMap<number, AccountBytes | null>;
  /** Whether every page was read. */
  readonly whole: boolean;
}

type Closes = ReadonlyMap<number, AccountBytes | null>;

/** Every account that a log may have on chain, as it was read. */
export interface OnchainAccounts {
  readonly tickers: readonly TickerAccounts[];
  /** Closes by their day, under the feed of the log's first index. */
  readonly closes: Closes;
  /** Closes under the feeds of its other indexes, where anybody may submit one too. */
  readonly otherCloses: ReadonlyMap<Ticker, Closes>;
  /** All feeds under the log's genesis key, as far as the source lists them. */
  readonly listing: FeedListing;
  /** Every account was read at this slot or later. */
  readonly slot: number;
  /** How many accounts exist. */
  readonly count: number;
}

/** Days after a log's newest entry for which pages are still read, because a print there may be hidden from the log. */
const DAYS_AHEAD = 366;
/** Pages of an index: over 170 years of days. The bound keeps a log with later dates from costing an hour. */
const MAX_PAGES = 2048;
/** Days of Closes under the first index, for the same reason. */
const MAX_DAYS = 65_536;
/** Days of Closes under each other index, where an honest publisher submits none. */
const OTHER_DAYS = 32;

/** The times that a log's first and newest entries claim, in Unix seconds. */
export interface LogSpan {
  readonly first: number;
  readonly newest: number;
}

/**
 * Reads the feed of every index and its pages, from the first period of its first rule to a year after the log's newest
 * entry. It also reads the Closes of every day from that of the log's first entry to the day after its newest; under
 * feeds other than the first index's, those of the newest days. Pages are read before their feed, so that the feed has
 * every rule and set that they name. Without their feed nothing tells what is in them, and they count as not given.
 */
export async function readOnchain(
  lookup: ChainLookup,
  state: ViewState,
  addresses: FeedAddresses,
  span: LogSpan,
  pause: () => Promise<void>,
  notChecked: NotCheckedList,
): Promise<OnchainAccounts> {
  const read: TickerAccounts[] = [];
  let unseen = 0;
  for (const ticker of tickers(state)) {
    await pause();
    const rule = ruleVersions(state, ticker)[0]?.rule;
    if (rule === undefined) continue;
    const kind = rule.period;
    const from = pageOf(kind, parseDate(rule.applies_from));
    const last = Math.max(from, pageOf(kind, Math.floor(span.newest / DAY_SECONDS) + DAYS_AHEAD));
    const to = Math.min(last, from + MAX_PAGES - 1);
    if (to < last) {
      notChecked.add(
        'chain',
        `pages of ${ticker} on chain from number ${to + 1} on`,
        'there are too many',
        'limits',
      );
    }
    const indexes = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const wanted = indexes.map((index) => addresses.page(ticker, index).address);
    const found = await lookup.accounts([...wanted, addresses.feed(ticker).address]);
    const feed = madeAccount(found[indexes.length]);
    const pages = feed === undefined ? new Map<number, null>() : looked(indexes, found);
    const whole = pages.size === indexes.length;
    unseen += indexes.length - pages.size + (feed === undefined ? 1 : 0);
    read.push({ ticker, kind, feed, pages, whole });
  }
  await pause();
  const first = firstTicker(state);
  const others = tickers(state).filter((ticker) => ticker !== first);
  const { from, to } = daysOf(span);
  const closes = await readCloses(lookup, addresses, first, from, to);
  if (first !== undefined) unseen += to - from + 1 - closes.size;
  const otherFrom = Math.max(from, to - OTHER_DAYS + 1);
  const otherCloses = new Map<Ticker, Closes>();
  for (const ticker of others) {
    await pause();
    const found = await readCloses(lookup, addresses, ticker, otherFrom, to);
    unseen += to - otherFrom + 1 - found.size;
    otherCloses.set(ticker, found);
  }
  nameDays(first, from, to, others.length > 0 ? otherFrom : from, notChecked);
  if (unseen > 0) {
    notChecked.add(
      'chain',
      `${unseen} of the accounts that the log may have on chain`,
      'they, or the feed over them, are not among those given',
      'other_node',
    );
  }
  const listing = await lookup.feeds(addresses.program, addresses.genesis);
  const all = [
    ...read.flatMap(({ feed, pages }) => [feed, ...pages.values()]),
    ...[closes, ...otherCloses.values()].flatMap((each) => [...each.values()]),
  ];
  const count = all.filter((each) => each !== null && each !== undefined).length;
  return { tickers: read, closes, otherCloses, listing, slot: lookup.slot, count };
}

/** The page of the period that a day belongs to. Days before 1970 have no page and map to the first one. */
function pageOf(kind: PeriodKind, day: number): number {
  return pagePlace(ordinalOf(kind, periodOf(kind, Math.max(day, 0)))).index;
}

/** The first and the last day whose Closes are read. */
function daysOf({ first, newest }: LogSpan): { readonly from: number; readonly to: number } {
  const to = Math.floor(newest / DAY_SECONDS) + 1;
  return { from: Math.max(Math.floor(first / DAY_SECONDS), to - MAX_DAYS + 1, 0), to };
}

async function readCloses(
  lookup: ChainLookup,
  addresses: FeedAddresses,
  ticker: Ticker | undefined,
  from: number,
  to: number,
): Promise<Closes> {
  if (ticker === undefined) return new Map();
  const days = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const found = await lookup.accounts(days.map((day) => addresses.close(ticker, day).address));
  return looked(days, found);
}

function nameDays(
  ticker: Ticker | undefined,
  from: number,
  to: number,
  otherFrom: number,
  notChecked: NotCheckedList,
): void {
  if (ticker === undefined) return;
  const others =
    otherFrom > from
      ? `, and under other feeds than that of ${ticker} before ${dayName(otherFrom)}`
      : '';
  notChecked.add(
    'chain',
    `Closes on chain of days before ${dayName(from)} or after ${dayName(to)}${others}`,
    'each day has an address of its own',
    'none',
  );
}

/** The accounts that were read, by their names. */
function looked(
  names: readonly number[],
  found: readonly (AccountBytes | null | undefined)[],
): ReadonlyMap<number, AccountBytes | null> {
  const accounts = new Map<number, AccountBytes | null>();
  for (const [i, name] of names.entries()) {
    const account = madeAccount(found[i]);
    if (account !== undefined) accounts.set(name, account);
  }
  return accounts;
}

/** The place on chain that a finding is about. */
export function chainPlace(ticker: Ticker, what: string | number): string {
  return `chain ${ticker} ${typeof what === 'number' ? dayName(what) : what}`;
}

function dayName(day: number): string {
  try {
    return formatDate(day);
  } catch {
    return `day ${day}`;
  }
}
