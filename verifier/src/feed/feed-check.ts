import { SET_DELAY_S } from '@assay/core/report/cosigner-set';
import {
  type FeedAccount,
  type FeedRule,
  type FeedSet,
  parseFeed,
} from '@assay/core/feed/feed-account';
import { compareFeedKeys } from '@assay/core/feed/feed-keys';
import { formatHex } from '@assay/core/bytes/hex';
import { seriesId } from '@assay/core/report/print';
import { isPeriod, periodOf, shiftPeriod } from '@assay/core/rule/period';
import type { Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseDate, parseTime } from '@assay/core/time/time';
import { cosignerSets, type SetRow } from '@assay/core/view/cosigner-sets';
import { keysOf } from '@assay/core/view/key/keys';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { CHAIN_CLOCK_S, compareFacts, openAccount, type OnchainContext } from './account-check.ts';
import type { AccountBytes } from './chain-lookup.ts';
import { chainPlace } from './onchain-accounts.ts';

/**
 * Compares a feed with the log. It must be the feed of this log and this index; its keys must be those of the log, by
 * steps that the log has recorded or promised; and each rule and each set of co-signers must be one of the log's, in
 * the log's order. Undefined with a finding for an account that is no feed.
 */
export function checkFeed(
  bytes: AccountBytes,
  ticker: Ticker,
  context: OnchainContext,
): FeedAccount | undefined {
  const place = chainPlace(ticker, 'feed');
  const feed = openAccount(bytes, place, parseFeed, context);
  const rule = ruleVersions(context.state, ticker)[0]?.rule;
  if (feed === undefined || rule === undefined) return undefined;
  const { log, sha256, addresses, findings } = context;
  compareFacts(
    {
      bump: addresses.feed(ticker).bump,
      cadence: rule.period,
      decimals: rule.decimals,
      ticker,
      genesis: log.report_key,
      log: log.log,
      series: formatHex(seriesId(sha256, log.log, ticker)),
    },
    { ...feed },
    place,
    findings,
  );
  checkKeys(feed, ticker, place, context);
  checkRules(feed, ticker, place, context);
  checkSets(feed, place, context);
  const [first, set] = [feed.rules[0], feed.sets[0]];
  if (first?.effective !== set?.effective) {
    const found = `${first?.effective} and ${set?.effective}`;
    findings.add('feed_differs', place, 'a first rule and set that began together', found);
  }
  return feed;
}

/** Seconds for which a log may continue without the entry of a rotation that has taken effect on chain. */
const UNLOGGED_KEY_S = 604_800;

/** Checks that the feed's keys are the log's, by steps that the log has recorded or promised. */
function checkKeys(
  feed: FeedAccount,
  ticker: Ticker,
  place: string,
  { state, sha256, findings, notChecked, now }: OnchainContext,
): void {
  const keys = keysOf(state);
  const { differences, unlogged, number } = compareFeedKeys(feed, keys, sha256);
  for (const { field, expected, found } of differences) {
    findings.add('feed_differs', `${place}, ${field}`, expected, found);
  }
  if (unlogged !== undefined) {
    const { coming, effective } = unlogged;
    const change = `to ${coming}, in effect from ${effective} on`;
    if (BigInt(now) >= effective + BigInt(UNLOGGED_KEY_S)) {
      findings.add('feed_differs', `${place}, rotation`, 'an entry of the log that has it', change);
    } else {
      notChecked.add(
        'chain',
        `a change of the publisher's key in the feed of ${ticker}, ${change}`,
        'the log has promised that key, and no entry brings it yet',
        'later',
      );
    }
  }
  if (differences.length === 0 && number !== undefined && number < keys.length - 1) {
    notChecked.add(
      'chain',
      `that the feed of ${ticker} comes to the report key of the log`,
      `it takes key ${number} of the log, which has key ${keys.length - 1} in force`,
      'later',
    );
  }
}

/** The first period of a rule on chain: the rule's own first, but none before 1970. */
export function firstOnChain({ applies_from: from, period: kind }: Rule): number {
  const day = Math.max(parseDate(from), 0);
  const period = periodOf(kind, day);
  if (period >= day && isPeriod(kind, period)) return period;
  return shiftPeriod(kind, period, 1);
}

function checkRules(
  feed: FeedAccount,
  ticker: Ticker,
  place: string,
  context: OnchainContext,
): void {
  const rows = ruleVersions(context.state, ticker);
  let last = 0;
  for (const [number, rule] of feed.rules.entries()) {
    const at = `${place}, rule ${number}`;
    const row = rows.find(({ hash }) => hash === rule.hash);
    if (row === undefined) {
      unknown(rule, number, at, `a rule of ${ticker} in the log`, rule.hash, context);
      continue;
    }
    const expected = { first: firstOnChain(row.rule) };
    compareFacts(expected, { first: rule.first }, at, context.findings);
    if (row.rule.version <= last) {
      const found = `version ${row.rule.version}`;
      context.findings.add('feed_differs', at, `a version after ${last}`, found);
    }
    last = row.rule.version;
    checkBegin(rule, number, parseTime(row.at), at, context);
  }
}

function checkSets(feed: FeedAccount, place: string, context: OnchainContext): void {
  for (const [number, row] of loggedSets(feed, context.state).entries()) {
    const at = `${place}, set ${number}`;
    const set = feed.sets[number] as FeedSet;
    if (row === undefined) {
      unknown(set, number, at, 'a set of co-signers of the log, in its order', words(set), context);
      continue;
    }
    checkBegin(set, number, parseTime(row.at), at, context);
  }
}

/**
 * The log's sets of co-signers that correspond to a feed's, in the feed's order; undefined for one that the log does
 * not have.
 */
function loggedSets(feed: FeedAccount, state: ViewState): readonly (SetRow | undefined)[] {
  const sets = cosignerSets(state);
  let next = 0;
  return feed.sets.map((set) => {
    const keys = [...set.keys].sort().join();
    const found = sets.findIndex(
      ({ threshold, cosigners }, i) =>
        i >= next && threshold === set.threshold && cosigners.map(({ key }) => key).join() === keys,
    );
    if (found >= 0) next = found + 1;
    return sets[found];
  });
}

function words({ threshold, keys }: FeedSet): string {
  return `${threshold} of ${keys.join(', ')}`;
}

/** What a feed has and its log does not have, by number. */
export interface Unlogged {
  readonly rules: ReadonlySet<number>;
  readonly sets: ReadonlySet<number>;
}

export function unloggedIn(feed: FeedAccount, ticker: Ticker, state: ViewState): Unlogged {
  const rules = ruleVersions(state, ticker);
  return {
    rules: new Set(
      [...feed.rules.entries()].flatMap(([number, rule]) =>
        rules.some(({ hash }) => hash === rule.hash) ? [] : [number],
      ),
    ),
    sets: new Set(
      [...loggedSets(feed, state).entries()].flatMap(([number, row]) =>
        row === undefined ? [number] : [],
      ),
    ),
  };
}

/**
 * What the log does not have is wrong, unless it came after the log was read. In that case its own time shows it, as
 * far as the two clocks agree. Whether a print uses it is checked with the page.
 */
function unknown(
  { effective }: Pick<FeedRule, 'effective'>,
  number: number,
  place: string,
  expected: string,
  found: string,
  { findings, counts, now }: OnchainContext,
): void {
  const added = number === 0 ? effective : effective - BigInt(SET_DELAY_S);
  if (added > BigInt(now - CHAIN_CLOCK_S)) counts.newer += 1;
  else findings.add('feed_differs', place, expected, found);
}

/** Nothing takes effect on chain before it is in the log, and everything after the first waits a week. */
function checkBegin(
  { effective }: Pick<FeedRule, 'effective'>,
  number: number,
  recorded: number,
  place: string,
  { findings }: OnchainContext,
): void {
  const least = recorded + (number === 0 ? 0 : SET_DELAY_S) - CHAIN_CLOCK_S;
  if (effective >= BigInt(least)) return;
  findings.add('feed_differs', place, `in effect from ${least} at the earliest`, `${effective}`);
}
