import { closeAddress, pageAddress } from '@assay/chain/addresses';
import { chainCalls } from '@assay/chain/client/chain-calls';
import type { FeedClient, FeedClientParts } from '@assay/chain/client/feed-client';
import { type Held, heldAccount, requireSame } from '@assay/chain/client/held-account';
import type { FoundAccount } from '@assay/chain/client/chain-calls';
import type { ChainRpc } from '@assay/chain/client/rpc';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseCloseAccount } from '@assay/core/feed/close-account';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { parsePage } from '@assay/core/feed/page-account';
import { isPeriod, periodOf, shiftPeriod } from '@assay/core/rule/period';
import { isWithheld } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { closesOf, firstClose } from '@assay/core/view/closes';
import { type Due, onchainRow } from '@assay/core/view/onchain';
import { firstTicker, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { DueQueue } from './due-queue.ts';
import {
  closeDifferences,
  feedDifferences,
  missingPrints,
  pageDifferences,
} from './feed-difference.ts';
import { isItemFault } from './item-fault.ts';

/** For how many days the Closes are compared each time. */
const CLOSE_DAYS = 8;
/** How many newest periods have their pages compared each time. */
const RECENT_PERIODS = 16;
/** The most accounts in one call. */
const TOGETHER = 100;
/** How many accounts of the round are compared each time. */
const NEAR_TURN = 100;
/** How many days before the log's first rule belong to its round. */
const DAYS_BEFORE = 365;
/** How many of the days before these have their Closes compared each time. Nobody would read them. */
const FAR_TURN = 200;
/** How many accounts are compared each time because they differed the last time. */
const MOST_TROUBLED = 100;

export interface ComparisonParts {
  readonly client: FeedClient;
  readonly rpc: ChainRpc;
  readonly program: FeedClientParts['program'];
  readonly queue: DueQueue;
  /** The rows at the time of the call. Accounts are read first, so that what is new in the log is known. */
  readonly state: () => ViewState;
  readonly sha256: Sha256;
  /** Unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The result of comparing one account. */
interface Found {
  /** Whole sentences. */
  readonly words: readonly string[];
  /** What the log says is on chain, but is not. */
  readonly missing: readonly Due[];
}

type Address = FeedClientParts['program'];

/** The prefixes of the keys of Closes. */
const NEAR = 'close/';
const FAR = 'close-before/';

/** A page or a Close account, which may or may not exist. */
interface Place {
  /** Identifies the account permanently. */
  readonly key: string;
  /** Its name in messages. */
  readonly what: string;
  /** Whether it is compared each time. */
  readonly isHot: boolean;
  readonly addressOf: () => Promise<Address>;
  readonly compare: (found: FoundAccount | null, address: Address, slot: bigint) => Found;
}

/**
 * Compares the chain with the log. Each time it compares the feeds, the newest pages and Closes, what differed
 * the last time, and in turn some of all the others. One round goes over the pages from the feed's first rule
 * on and the Closes since a year before the log's first; another goes over the Closes of all days before, back
 * to 1970.
 */
export class Comparison {
  readonly #words = new Map<string, readonly string[]>();
  /** The last account of each round that was compared. */
  #near: string | undefined;
  #far: number | undefined;

  /** What differs, in whole sentences, as each account was last seen. */
  get words(): readonly string[] {
    return [...this.#words.values()].flat();
  }

  /**
   * Makes one comparison. Returns what the log says is on chain but is missing there. Throws what the client
   * throws.
   */
  async compare(parts: ComparisonParts): Promise<readonly Due[]> {
    const near: Place[] = [];
    const known = new Set<string>();
    for (const ticker of tickers(parts.state())) {
      const key = `feed/${ticker}`;
      known.add(key);
      const { words, pages } = await comparedFeed(parts, ticker);
      this.#keep(key, words);
      near.push(...pages);
    }
    const closes = await closePlaces(parts);
    near.push(...closes.near);
    const farTurn = daysBefore(closes.first, this.#far);
    const far = [...this.#troubledDays(closes.first), ...farTurn].map(closes.farOf);
    for (const { key } of [...near, ...far]) known.add(key);
    for (const key of this.#words.keys()) if (!known.has(key)) this.#words.delete(key);

    const hot = near.filter(({ isHot }) => isHot);
    const troubled = near.filter(({ key }) => this.#words.has(key)).slice(0, MOST_TROUBLED);
    const nearTurn = turnAfter(near, this.#near);
    const missing = await this.#compare([...new Set([...hot, ...troubled, ...nearTurn])], parts);
    this.#near = nearTurn.at(-1)?.key;
    await this.#compare(far, parts);
    this.#far = farTurn.at(-1);
    return missing;
  }

  /** Days before the log whose Closes differed the last time. */
  #troubledDays(first: number): readonly number[] {
    return [...this.#words.keys()]
      .filter((key) => key.startsWith(FAR))
      .map((key) => Number(key.slice(FAR.length)))
      .filter((day) => day < first);
  }

  async #compare(
    places: readonly Place[],
    { rpc, signal }: ComparisonParts,
  ): Promise<readonly Due[]> {
    const calls = chainCalls(rpc);
    const missing: Due[] = [];
    for (let from = 0; from < places.length; from += TOGETHER) {
      const some = places.slice(from, from + TOGETHER);
      const addresses: Address[] = [];
      for (const place of some) addresses.push(await place.addressOf());
      const { slot, accounts } = await calls.accounts(addresses, signal);
      for (const [i, place] of some.entries()) {
        const found = comparedPlace(place, accounts[i] ?? null, addresses[i] as Address, slot);
        this.#keep(place.key, found.words);
        missing.push(...found.missing);
      }
    }
    return missing;
  }

  #keep(key: string, words: readonly string[]): void {
    if (words.length === 0) this.#words.delete(key);
    else this.#words.set(key, words);
  }
}

/** The next days of the round after `last`, going back to 1970 and then starting again. */
function daysBefore(first: number, last: number | undefined): readonly number[] {
  const from = last === undefined || last > first ? first : last;
  const count = Math.min(FAR_TURN, first);
  return Array.from({ length: count }, (_, i) => (((from - 1 - i) % first) + first) % first);
}

/** The next places of a round after `last`. */
function turnAfter(places: readonly Place[], last: string | undefined): readonly Place[] {
  const from = places.findIndex(({ key }) => key === last) + 1;
  return [...places.slice(from), ...places.slice(0, from)].slice(0, NEAR_TURN);
}

function comparedPlace(
  place: Place,
  found: FoundAccount | null,
  address: Address,
  slot: bigint,
): Found {
  try {
    return place.compare(found, address, slot);
  } catch (error) {
    if (!isItemFault(error)) throw error;
    return { words: [unreadable(place.what, error)], missing: [] };
  }
}

function unreadable(what: string, { message }: Error): string {
  return `On chain ${what} cannot be read: ${message}.`;
}

/** Compares a feed, and returns its pages that are to be compared. */
async function comparedFeed(
  parts: ComparisonParts,
  ticker: Ticker,
): Promise<{ readonly words: readonly string[]; readonly pages: readonly Place[] }> {
  const { client, queue, sha256, signal } = parts;
  let held: Held<FeedAccount> | undefined;
  try {
    held = await client.feed(ticker, signal);
  } catch (error) {
    if (!isItemFault(error)) throw error;
    return { words: [unreadable(`the feed of ${ticker}`, error)], pages: [] };
  }
  const state = parts.state();
  const address = held?.address ?? (await client.feedAt(ticker));
  if (held === undefined) {
    const stood = queue.isRecorded(ticker);
    const words = `The log says that prints of ${ticker} stand on chain, and there is no feed at ${address}.`;
    return { words: stood ? [words] : [], pages: [] };
  }
  const feed = held.account;
  const words = [...feedDifferences({ state, sha256, ticker, address }, feed)];
  const [first] = ruleVersions(state, ticker);
  // The Closes are under the feed of the first index, whatever its level.
  if (first !== undefined && isWithheld(first.rule) && firstTicker(state) !== ticker) {
    words.push(`The feed of ${ticker} stands on chain, at ${address}, and the index is withheld.`);
  }
  const periods = queue.periods(ticker).map(parseDate);
  for (const period of periods.filter((each) => !isPeriod(feed.cadence, each))) {
    words.push(
      `The feed of ${ticker} at ${address} has no place for the print of ${formatDate(period)}.`,
    );
  }
  return { words, pages: pagesOf(parts, ticker, address, feed) };
}

function pagesOf(
  parts: ComparisonParts,
  ticker: Ticker,
  address: Address,
  feed: FeedAccount,
): readonly Place[] {
  const { cadence, latest } = feed;
  const today = periodOf(cadence, Math.floor(parts.now / DAY_SECONDS));
  const periods = parts.queue
    .periods(ticker)
    .map(parseDate)
    .filter((period) => isPeriod(cadence, period));
  const indexOf = (period: number): number => pagePlace(ordinalOf(cadence, period)).index;
  const onPage = new Map<number, number[]>();
  for (const period of periods) {
    const index = indexOf(period);
    const some = onPage.get(index);
    if (some === undefined) onPage.set(index, [period]);
    else some.push(period);
  }
  const recent = [today, shiftPeriod(cadence, today, -1), ...periods.slice(-RECENT_PERIODS)];
  const hot = new Set([...recent, ...(latest === null ? [] : [latest])].map(indexOf));
  const [rule] = feed.rules;
  const ends = [...hot, ...onPage.keys(), ...(rule === undefined ? [] : [indexOf(rule.first)])];
  const pages: Place[] = [];
  const last = ends.reduce((a, b) => Math.max(a, b));
  for (let index = ends.reduce((a, b) => Math.min(a, b)); index <= last; index += 1) {
    pages.push({
      key: `page/${address}/${index}`,
      what: `page ${index} of ${ticker}`,
      isHot: hot.has(index),
      addressOf: async () => (await pageAddress(parts.program, address, index))[0],
      compare: (found, page, slot) => {
        const { program } = parts;
        const title = 'page account';
        const held = heldAccount(found, { title, program, address: page, slot, parse: parsePage });
        if (held !== undefined) requireSame(title, 'index', `${index}`, `${held.account.index}`);
        const compared = { state: parts.state(), sha256: parts.sha256, ticker, address: page };
        const missing = (onPage.get(index) ?? []).flatMap((period) => {
          const { slot: place } = pagePlace(ordinalOf(cadence, period));
          const shown = held?.account.slots[place] ?? null;
          return missingPrints(compared, formatDate(period), shown);
        });
        return {
          words: [
            ...(held === undefined ? [] : pageDifferences(compared, feed, held.account)),
            ...missing.flatMap(({ words }) => (words === undefined ? [] : [words])),
          ],
          missing: missing.map(({ row }) => ({
            seq: row.seq,
            of: 'print',
            ticker,
            period: row.report.period,
            digest: row.hash,
          })),
        };
      },
    });
  }
  return pages;
}

/**
 * The Closes since a year before the log's first rule, and the day `first` before which they are compared one
 * by one.
 */
async function closePlaces(parts: ComparisonParts): Promise<{
  readonly near: readonly Place[];
  readonly first: number;
  readonly farOf: (day: number) => Place;
}> {
  const state = parts.state();
  const ticker = firstTicker(state);
  const [rule] = ticker === undefined ? [] : ruleVersions(state, ticker);
  const none = (): never => {
    throw new TypeError('closePlaces: no day');
  };
  if (ticker === undefined || rule === undefined) return { near: [], first: 0, farOf: none };
  const feed = await parts.client.feedAt(ticker);
  const today = Math.floor(parts.now / DAY_SECONDS);
  const oldest = firstClose(state);
  const begun = Math.floor(parseTime(rule.at) / DAY_SECONDS);
  const first = Math.min(begun - DAYS_BEFORE, oldest === undefined ? today : parseDate(oldest));
  const near: Place[] = [];
  for (let day = first; day <= today; day += 1) {
    near.push(closePlace(parts, ticker, feed, day, NEAR, day >= today - CLOSE_DAYS));
  }
  return { near, first, farOf: (day) => closePlace(parts, ticker, feed, day, FAR, false) };
}

function closePlace(
  parts: ComparisonParts,
  ticker: Ticker,
  feed: Address,
  day: number,
  round: string,
  isHot: boolean,
): Place {
  const text = formatDate(day);
  return {
    key: `${round}${day}`,
    what: `the Close of ${text}`,
    isHot,
    addressOf: async () => (await closeAddress(parts.program, feed, day))[0],
    compare: (found, address, slot) => {
      const { program } = parts;
      const title = 'Close account';
      const held = heldAccount(found, { title, program, address, slot, parse: parseCloseAccount });
      if (held !== undefined) requireSame(title, 'day', `${day}`, `${held.account.day}`);
      const state = parts.state();
      const lacking = closesOf(state, text).filter(
        ({ hash }) =>
          onchainRow(state, hash) !== undefined && held?.account.hashes.includes(hash) !== true,
      );
      const said = lacking.map(
        ({ hash }) =>
          `The log says that the Close ${hash} of ${text} stands on chain, and it does not.`,
      );
      const differs = held === undefined ? [] : closeDifferences({ state, address }, held.account);
      return {
        words: [...differs, ...said],
        missing: lacking.map(({ seq, hash }) => ({
          seq,
          of: 'close',
          ticker,
          period: text,
          digest: hash,
        })),
      };
    },
  };
}
