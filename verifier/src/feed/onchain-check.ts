import { Fault, faultCode } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { CloseAccount } from '@assay/core/feed/close-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { type PageAccount, parsePage } from '@assay/core/feed/page-account';
import type { Ticker } from '@assay/core/rule/ticker';
import { logRow } from '@assay/core/view/log';
import { onchainBack } from '@assay/core/view/onchain';
import { firstTicker } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { OnchainContext, OnchainCounts } from './account-check.ts';
import { type ChainLookup, madeAccount } from './chain-lookup.ts';
import { checkCloseAccount } from './close-account-check.ts';
import { checkFeed, unloggedIn } from './feed-check.ts';
import type { Findings } from '../verdict/finding.ts';
import { checkListedFeeds } from './listed-feeds.ts';
import { chainPlace, type OnchainAccounts, type TickerAccounts } from './onchain-accounts.ts';
import { type Compared, type Held, pageName } from './compared.ts';
import { checkPage, type ReadFeed } from './page-check.ts';
import type { FeedAddresses } from '@assay/core/feed/program-address';
import { behindOf, checkLogged } from './logged-check.ts';
import type { NotCheckedList, OnchainFacts } from '../verdict/verdict.ts';

/** The log, once it has been followed at least up to the time at which the accounts were read. */
export interface OnchainSubject {
  readonly sha256: Sha256;
  readonly state: ViewState;
  readonly addresses: FeedAddresses;
  /**
   * The time up to which the log must hold what is on chain, in Unix seconds: its newest entry's time, or for a live
   * log the clock's where that is later.
   */
  readonly now: number;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
}

/**
 * Throws `refused` for accounts of another chain than the log's. That is no finding, because the log has claimed
 * nothing wrong; but whoever asked for the comparison must not get a positive verdict without it.
 */
export function requireSameChain(lookup: ChainLookup, chain: string): void {
  if (lookup.chain === chain) return;
  throw new Fault('refused', 'accounts given', {
    at: lookup.description,
    expected: `accounts of ${chain}, which the log names`,
    found: `of ${lookup.chain}`,
  });
}

/**
 * Compares accounts of the chain with the log in both directions: what is on chain must be what the log records, and
 * what the log records must be on chain. What belongs there and is missing is counted. Each difference is a finding.
 */
export async function checkOnchain(
  lookup: ChainLookup,
  accounts: OnchainAccounts,
  subject: OnchainSubject,
): Promise<OnchainFacts | undefined> {
  const { state, notChecked } = subject;
  const log = logRow(state);
  if (log?.chain == null || log.program === null) return undefined;
  const counts: OnchainCounts = {
    feeds: 0,
    prints: 0,
    closes: 0,
    newer: 0,
    later: 0,
    dissentsBehind: 0,
  };
  const context: OnchainContext = {
    ...subject,
    log,
    slot: lookup.slot,
    counts,
  };
  const compared = await compareAll(lookup, accounts, context);
  let notGiven = 0;
  for (const row of onchainBack(state)) {
    const sought = checkLogged(row, compared, context);
    if (sought === 'later') counts.later += 1;
    if (sought === 'not given') notGiven += 1;
  }
  checkListedFeeds(accounts.listing, context);
  const behind = behindOf(compared, context);
  nameLimits(lookup, counts, log.program, notChecked);
  nameUnseen(notGiven, compared, notChecked);
  return {
    chain: log.chain,
    program: log.program,
    source: lookup.description,
    slot: lookup.slot,
    feeds: counts.feeds,
    prints: counts.prints,
    closes: counts.closes,
    behind,
    newer: counts.newer,
    unseen: counts.later + notGiven,
  };
}

async function compareAll(
  lookup: ChainLookup,
  { tickers, closes, otherCloses, slot }: OnchainAccounts,
  context: OnchainContext,
): Promise<Compared> {
  const { counts, state } = context;
  const feeds = new Map<Ticker, ReadFeed>();
  const pages = new Map<string, Held<PageAccount>>();
  const heldCloses = new Map<number, Held<CloseAccount>>();
  for (const read of tickers) {
    const { ticker, kind, feed: bytes } = read;
    if (bytes === undefined) continue;
    if (bytes === null) {
      comparePages(read, undefined, pages, context);
      continue;
    }
    counts.feeds += 1;
    const feed = checkFeed(bytes, ticker, context);
    if (feed === undefined) continue;
    const unlogged = unloggedIn(feed, ticker, state);
    const of: ReadFeed = { ticker, kind, feed, slot: bytes.slot, unlogged };
    feeds.set(ticker, of);
    comparePages(read, of, pages, context);
    await checkLatest(lookup, of, read.whole, pages, context);
  }
  const ticker = firstTicker(state);
  for (const [day, bytes] of closes) {
    if (ticker === undefined) break;
    const account = bytes === null ? null : checkCloseAccount(bytes, day, ticker, context);
    if (account === undefined) continue;
    heldCloses.set(day, account === null ? null : { account, slot: bytes?.slot ?? 0 });
  }
  for (const [other, found] of otherCloses) {
    for (const [day, bytes] of found) {
      if (bytes !== null) checkCloseAccount(bytes, day, other, context);
    }
  }
  const kinds = new Map(tickers.map(({ ticker: name, kind }) => [name, kind]));
  return { feeds, pages, closes: heldCloses, kinds, slot };
}

function comparePages(
  { ticker, pages }: TickerAccounts,
  of: ReadFeed | undefined,
  held: Map<string, Held<PageAccount>>,
  context: OnchainContext,
): void {
  for (const [index, bytes] of pages) {
    if (bytes === null) {
      held.set(pageName(ticker, index), null);
      continue;
    }
    if (of === undefined) {
      const place = chainPlace(ticker, `page ${index}`);
      context.findings.add('feed_differs', place, 'no page without a feed', 'an account');
      continue;
    }
    const account = checkPage(bytes, index, of, context);
    if (account !== undefined) held.set(pageName(ticker, index), { account, slot: bytes.slot });
  }
}

/** The newest settled period that a feed names must be the newest in its pages. */
async function checkLatest(
  lookup: ChainLookup,
  of: ReadFeed,
  whole: boolean,
  pages: ReadonlyMap<string, Held<PageAccount>>,
  { findings, addresses, counts }: OnchainContext,
): Promise<void> {
  const { ticker, feed } = of;
  let newest: number | null = null;
  for (const [name, held] of pages) {
    if (!name.startsWith(`${ticker}/`) || held === null) continue;
    for (const slot of held.account.slots) {
      if (slot?.settled == null) continue;
      newest = newest === null ? slot.period : Math.max(newest, slot.period);
    }
  }
  if (feed.latest === newest) return;
  if (!whole && feed.latest !== null && (newest === null || newest < feed.latest)) return;
  // The feed was read after its pages, so a print may have come between the two.
  if (await isSettledNow(lookup, of, addresses)) {
    counts.newer += 1;
    return;
  }
  const expected = newest === null ? 'none settled' : chainPlace(ticker, newest);
  const found = feed.latest === null ? 'none' : chainPlace(ticker, feed.latest);
  findings.add('feed_differs', `${chainPlace(ticker, 'feed')}, latest`, expected, found);
}

async function isSettledNow(
  lookup: ChainLookup,
  { ticker, kind, feed: { latest } }: ReadFeed,
  addresses: FeedAddresses,
): Promise<boolean> {
  if (latest === null) return false;
  try {
    const { index, slot } = pagePlace(ordinalOf(kind, latest));
    const [found] = await lookup.accounts([addresses.page(ticker, index).address]);
    const bytes = madeAccount(found);
    if (bytes == null) return false;
    const settled = parsePage(bytes.data).slots[slot]?.settled ?? null;
    return settled !== null && settled.slot > BigInt(lookup.slot);
  } catch (error) {
    const code = faultCode(error);
    if (code === 'out_of_range' || code === 'malformed' || code === 'bad_length') return false;
    throw error;
  }
}

function nameLimits(
  { description }: ChainLookup,
  { later, dissentsBehind }: OnchainCounts,
  program: string,
  notChecked: NotCheckedList,
): void {
  notChecked.add(
    'chain',
    'that the account bytes are what the chain holds',
    `they are ${description}; ask another as well`,
    'accounts',
  );
  notChecked.add(
    'chain',
    `that the program at ${program} is the published one, and who can replace it`,
    'assay chain verify-program compares it',
    'program',
  );
  notChecked.add(
    'chain',
    'the transactions that brought prints on chain',
    'accounts show what is there, not who sent it',
    'none',
  );
  if (later > 0) {
    notChecked.add(
      'chain',
      `${later} prints and Closes that the log puts at slots after those of the accounts`,
      'the accounts are older than that: ask a node for them, or verify again',
      'other_node',
    );
  }
  if (dissentsBehind > 0) {
    notChecked.add(
      'chain',
      `${dissentsBehind} dissents in the log that the chain does not show`,
      'anybody may bring them there; a reader of the chain alone does not see them yet',
      'later',
    );
  }
}

function nameUnseen(notGiven: number, { feeds }: Compared, notChecked: NotCheckedList): void {
  if (notGiven > 0) {
    notChecked.add(
      'chain',
      `${notGiven} prints and Closes that the log says are on chain`,
      'their accounts, or the feed over them, are not among those given',
      'other_node',
    );
  }
  let unlogged = 0;
  for (const {
    unlogged: { rules, sets },
  } of feeds.values())
    unlogged += rules.size + sets.size;
  if (unlogged > 0) {
    notChecked.add(
      'chain',
      `${unlogged} rules and co-signer sets on chain that the log does not have`,
      'they were registered after its newest entry: a newer copy of the log must have them',
      'newer_log',
    );
  }
}
