import { messageOf } from '@assay/core/fault';
import { type FeedHead, parseFeedHead } from '@assay/core/feed/feed-account';
import { ruleVersions } from '@assay/core/view/rules';
import { CHAIN_CLOCK_S, type OnchainContext } from './account-check.ts';
import { type FeedListing, type ListedFeed, MAX_LISTED_FEEDS } from './chain-lookup.ts';

/**
 * Compares a listing of all feeds under the log's genesis key with the log. A feed of a ticker that has no rule in the
 * log, a feed of another log, and a second feed of a ticker are findings. A feed without a rule that was made after the
 * time up to which the log is checked is newer, so it is counted and named. A listing that may be incomplete is a
 * reservation.
 */
export function checkListedFeeds(listing: FeedListing, context: OnchainContext): void {
  const { log, notChecked } = context;
  const listed = listing.feeds.slice(0, MAX_LISTED_FEEDS);
  for (const each of listed) checkListed(each, context);
  const tooMany =
    listing.feeds.length > listed.length ? `there are ${listing.feeds.length}` : undefined;
  const why = listing.incomplete ?? tooMany;
  if (why === undefined) return;
  notChecked.add(
    'chain',
    `whether there are more feeds on chain under the key ${log.report_key} than the log names`,
    why,
    'other_node',
  );
}

function checkListed(listed: ListedFeed, context: OnchainContext): void {
  const { findings, log } = context;
  const place = `chain feed ${listed.address}`;
  const add = (expected: string, found: string): void =>
    findings.add('feed_unknown', place, expected, found);
  const head = headOf(listed, context);
  if (head === undefined) return;
  if (head.log !== log.log) {
    add(`a feed of the log ${log.log}`, `${head.ticker} of the log ${head.log}`);
  } else if (ruleVersions(context.state, head.ticker).length === 0) {
    if (isNewer(head, context)) return;
    add('a feed of a ticker with a rule in the log', head.ticker);
  } else {
    // The program makes one feed for each ticker, so it did not make a second one.
    const { address } = context.addresses.feed(head.ticker);
    if (address !== listed.address) add(`the feed of ${head.ticker} at ${address}`, 'another one');
  }
}

/**
 * Whether a feed was made after what is known of the log, as far as the two clocks agree. If so, it is counted and
 * named.
 */
function isNewer({ effective, ticker }: FeedHead, context: OnchainContext): boolean {
  const { counts, now, notChecked } = context;
  if (effective <= BigInt(now - CHAIN_CLOCK_S)) return false;
  counts.newer += 1;
  notChecked.count('newer_feeds', 1);
  notChecked.add(
    'chain',
    "feeds on chain under the log's key that the log has no rule for",
    'they were made after its newest entry, or less than two hours ago: a newer copy of the log must have them',
    'newer_log',
    ticker,
  );
  return true;
}

/** The head of a listed account; undefined with a finding where it is not what was asked for. */
function headOf(listed: ListedFeed, { findings, log }: OnchainContext): FeedHead | undefined {
  const place = `chain feed ${listed.address}`;
  if (listed.owner !== log.program) {
    findings.add('feed_differs', place, `an account of ${log.program}`, `of ${listed.owner}`);
    return undefined;
  }
  try {
    const head = parseFeedHead(listed.data);
    if (head.genesis === log.report_key) return head;
    findings.add('feed_differs', place, `a feed under the key ${log.report_key}`, head.genesis);
  } catch (error) {
    findings.add('feed_differs', place, 'an account that its program writes', messageOf(error));
  }
  return undefined;
}
