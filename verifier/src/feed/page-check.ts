import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type FeedAccount, type FeedSet, setNumberAt } from '@assay/core/feed/feed-account';
import { PAGE_PERIODS, periodOfOrdinal } from '@assay/core/feed/ordinal';
import { type PageAccount, type PageSlot, parsePage } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { type Print, printOf, seriesId } from '@assay/core/report/print';
import { quorumOf } from '@assay/core/round/quorum';
import type { PeriodKind } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { cosignsOf, dissentsOf } from '@assay/core/view/cosigns';
import { onchainRow } from '@assay/core/view/onchain';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { CHAIN_CLOCK_S, compareFacts, openAccount, type OnchainContext } from './account-check.ts';
import type { AccountBytes } from './chain-lookup.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { Unlogged } from './feed-check.ts';
import { chainPlace } from './onchain-accounts.ts';

/** A feed as it was read, the slot of its bytes, and those of its contents that the log does not have. */
export interface ReadFeed {
  readonly ticker: Ticker;
  readonly kind: PeriodKind;
  readonly feed: FeedAccount;
  readonly slot: number;
  readonly unlogged: Unlogged;
}

/**
 * Compares a page with the log. Each print in it must be that of a report of the log, equal in all 128 bytes that were
 * signed, under a rule and a set of the log. A settlement or a correction must have the co-signatures that the chain
 * and the log require. Each co-signature and each dissent that the page shows must have its entry. Undefined with a
 * finding for an account that is no page.
 */
export function checkPage(
  bytes: AccountBytes,
  index: number,
  of: ReadFeed,
  context: OnchainContext,
): PageAccount | undefined {
  const { ticker, kind } = of;
  const { addresses, findings } = context;
  const place = chainPlace(ticker, `page ${index}`);
  const page = openAccount(bytes, place, parsePage, context);
  if (page === undefined) return undefined;
  compareFacts(
    {
      bump: addresses.page(ticker, index).bump,
      index,
      feed: formatHex(addresses.feed(ticker).bytes),
    },
    { ...page },
    place,
    findings,
  );
  for (const [i, slot] of page.slots.entries()) {
    if (slot === null) continue;
    const period = periodOfOrdinal(kind, index * PAGE_PERIODS + i);
    if (slot.period !== period) {
      const found = chainPlace(ticker, slot.period);
      findings.add('feed_differs', `${place}, slot ${i}`, chainPlace(ticker, period), found);
      continue;
    }
    checkSlot(slot, bytes.slot, of, context);
  }
  return page;
}

/** The prints of a period that a page holds. */
export function recordsOf({ provisional, settled, corrected }: PageSlot): readonly ChainRecord[] {
  return [provisional, settled, corrected].filter((record) => record !== null);
}

function checkSlot(slot: PageSlot, readAt: number, of: ReadFeed, context: OnchainContext): void {
  const { ticker } = of;
  const { findings, counts, state } = context;
  const place = chainPlace(ticker, slot.period);
  const rows = reportsOf(state, ticker, formatDate(slot.period));
  const records = recordsOf(slot);
  for (const record of records) {
    if (record.slot > BigInt(readAt)) {
      const found = `slot ${record.slot}`;
      findings.add('feed_differs', place, `a slot of ${readAt} at most, its account's`, found);
      continue;
    }
    const row = rows.find(({ hash }) => hash === record.report);
    if (row !== undefined) {
      counts.prints += 1;
      checkRecord(record, row, place, of, context);
    } else if (record.slot > BigInt(context.slot)) {
      counts.newer += 1;
    } else {
      const expected = `a ${record.status} report of ${ticker} in the log`;
      findings.add('feed_print_unknown', place, expected, `report ${record.report}`);
    }
  }
  const shown = records.some(({ dissents }) => dissents !== 0);
  if (shown && !slot.dissent) {
    findings.add('feed_differs', place, 'the flag of a dissent', 'none');
  }
  // A later print may have replaced the print that was dissented from.
  if (slot.dissent && !shown && !rows.some(({ hash }) => dissentsOf(state, hash).length > 0)) {
    alone('a dissent from a print of the period', place, context);
  }
}

function checkRecord(
  record: ChainRecord,
  row: ReportRow,
  place: string,
  of: ReadFeed,
  context: OnchainContext,
): void {
  const { feed, slot } = of;
  const { findings, counts } = context;
  const [rule, set] = [feed.rules[record.rule], feed.sets[record.set]];
  if (rule === undefined || set === undefined) {
    if (record.slot > BigInt(slot)) counts.newer += 1;
    else {
      const expected = `a rule and a set of the feed`;
      findings.add('feed_differs', place, expected, `rule ${record.rule}, set ${record.set}`);
    }
    return;
  }
  const { sha256, log } = context;
  const period = parseDate(row.report.period);
  const series = formatHex(seriesId(sha256, log.log, of.ticker)) as HashHex;
  const differs = firstDifference(
    texts(printOf(sha256, row.report)),
    texts(printIn(record, period, series, rule.hash)),
  );
  if (differs !== undefined) {
    findings.add('print_differs', `${place}${differs.path}`, differs.expected, differs.found);
  }
  checkLogged(record, place, of, context);
  checkNumbers(record, row, place, of, context);
  checkBits(record, row, set.keys, place, context);
  if (record.status !== 'provisional') checkQuorum(record, row, set, place, context);
}

/**
 * A print that was on chain before the log was read is under a rule and a set that were in the log before. Differing
 * clocks do not excuse one that the log lacks.
 */
function checkLogged(
  record: ChainRecord,
  place: string,
  { feed, unlogged }: ReadFeed,
  { findings, slot }: OnchainContext,
): void {
  if (record.slot > BigInt(slot)) return;
  if (unlogged.rules.has(record.rule)) {
    const found = `rule ${record.rule} of the feed, ${feed.rules[record.rule]?.hash}`;
    findings.add('feed_differs', place, 'a print under a rule of the log', found);
  }
  const set = feed.sets[record.set];
  if (set !== undefined && unlogged.sets.has(record.set)) {
    const found = `set ${record.set} of the feed, ${set.threshold} of ${set.keys.join(', ')}`;
    findings.add('feed_differs', place, 'a print under a set of co-signers of the log', found);
  }
}

/** The program requires the threshold of the current set; the log requires that of the set that the report names. */
function checkQuorum(
  record: ChainRecord,
  row: ReportRow,
  { keys, threshold }: FeedSet,
  place: string,
  { findings, state }: OnchainContext,
): void {
  const signed = keysOf(record.cosigners, keys)?.length ?? 0;
  if (signed < threshold) {
    const expected = `${threshold} co-signatures on chain of a ${record.status} print`;
    findings.add('feed_differs', place, expected, `${signed}`);
  }
  const { have, required } = quorumOf(state, row);
  if (have < required) {
    const expected = `${required} co-signatures in the log of a ${record.status} print on chain`;
    findings.add('feed_differs', place, expected, `${have}`);
  }
}

/** The print that a record is of, rebuilt from what the page and the feed hold of the signed bytes. */
function printIn(record: ChainRecord, period: number, series: HashHex, rule: HashHex): Print {
  const { value, publishedAt, report, status, decimals, settleable, withheld, issue } = record;
  const own = { value, publishedAt, report, status, decimals, settleable, withheld, issue };
  return { series, rule, period, ...own };
}

/** A print with its big integers as text, for display. */
function texts({ value, publishedAt, ...print }: Print): object {
  return { value: `${value}`, published_at: `${publishedAt}`, ...print };
}

/**
 * Checks that the rule and the set of a record are those that were in force between its publication and its entry in
 * the log.
 */
function checkNumbers(
  record: ChainRecord,
  { hash, report }: ReportRow,
  place: string,
  { feed }: ReadFeed,
  { state, findings }: OnchainContext,
): void {
  const said = onchainRow(state, hash);
  const until = said === undefined ? undefined : BigInt(parseTime(said.at) + CHAIN_CLOCK_S);
  const from = BigInt(parseTime(report.published_at) - CHAIN_CLOCK_S);
  const [least, most] = [
    setNumberAt(feed, from) ?? 0,
    until === undefined ? feed.sets.length - 1 : (setNumberAt(feed, until) ?? -1),
  ];
  if (record.set < least || record.set > most) {
    const expected = `a set that was in force, ${least} to ${most}`;
    findings.add('feed_differs', place, expected, `set ${record.set}`);
  }
  const rule = feed.rules[record.rule];
  if (rule !== undefined && until !== undefined && rule.effective > until) {
    const expected = `a rule in effect by ${until}`;
    findings.add('feed_differs', place, expected, `from ${rule.effective}`);
  }
}

/** The keys of a set that a record's bits name; undefined where a bit has no key. */
export function keysOf(bits: number, keys: readonly HashHex[]): readonly HashHex[] | undefined {
  if (bits >= 2 ** keys.length) return undefined;
  return keys.filter((_, i) => (bits & (1 << i)) !== 0);
}

/**
 * Checks that each co-signature and each dissent has its entry, before or after the entry which records that the print
 * is on chain. A record gains bits and loses none.
 */
function checkBits(
  record: ChainRecord,
  { hash }: ReportRow,
  keys: readonly HashHex[],
  place: string,
  context: OnchainContext,
): void {
  const { findings, counts, state } = context;
  const [signed, against] = [keysOf(record.cosigners, keys), keysOf(record.dissents, keys)];
  if (signed === undefined || against === undefined) {
    const found = `bits ${record.cosigners} and ${record.dissents}`;
    findings.add('feed_differs', place, `co-signers of a set of ${keys.length}`, found);
    return;
  }
  const agreed = new Set(cosignsOf(state, hash).map(({ statement }) => statement.cosigner));
  const dissented = new Set(dissentsOf(state, hash).map(({ statement }) => statement.cosigner));
  for (const key of signed) {
    if (!agreed.has(key)) alone(`the co-signature by ${key}`, place, context);
  }
  for (const key of against) {
    if (!dissented.has(key)) alone(`the dissent by ${key}`, place, context);
  }
  for (const key of keys) {
    if (dissented.has(key) && !against.includes(key)) counts.dissentsBehind += 1;
  }
}

function alone(what: string, place: string, { findings }: OnchainContext): void {
  // A co-signer can submit a signature without the publisher, so it is not the publisher's doing alone that the log
  // lacks it.
  const found =
    'on chain alone: the publisher was given none, or left it out; the chain cannot tell which';
  findings.add('feed_signature_unlogged', place, `${what}, in the log`, found);
}
