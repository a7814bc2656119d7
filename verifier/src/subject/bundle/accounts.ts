import { parseBase64 } from '@assay/core/bytes/base64';
import type { BundleAccount, BundleAccounts } from '@assay/core/proof/bundle';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type FeedAccount, ruleNumberOf, setNumberAt } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { type PageSlot, parsePage } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { formatPrint, type Print, printOf } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import type { Rule } from '@assay/core/rule/rule';
import { formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { cosignerSets, setByHash } from '@assay/core/view/cosigner-sets';
import { cosignsOf, dissentsOf } from '@assay/core/view/cosigns';
import { logRow } from '@assay/core/view/log';
import { onchainRow } from '@assay/core/view/onchain';
import {
  CHAIN_CLOCK_S,
  compareFacts,
  openAccount,
  type OnchainContext,
} from '../../feed/account-check.ts';
import type { Recounting } from './recount.ts';
import type { AccountBytes } from '../../feed/chain-lookup.ts';
import { checkFeed } from '../../feed/feed-check.ts';
import { keysOf } from '../../feed/page-check.ts';
import { type FeedAddresses, feedAddresses } from '@assay/core/feed/program-address';
import type { CheckContext } from '../../check/read-check.ts';
import type { AccountFacts, NotCheckedList } from '../../verdict/verdict.ts';

const FEED = 'bundle account, feed';
const PAGE = 'bundle account, page';

interface BundleContext extends OnchainContext {
  readonly notChecked: NotCheckedList;
}

/**
 * Checks the accounts in which a bundle shows its print. They must be at the addresses that the log's program derives
 * and be of this log, and the period's slot must hold exactly this print, co-signed and dissented from as in the log.
 * Their other contents are about other numbers. That the chain has these bytes rests on whoever gave them. Undefined
 * with a finding where the print is not there.
 */
export function checkAccounts(
  { feed, page }: BundleAccounts,
  rule: Rule,
  { state, row }: Recounting,
  sha256: Sha256,
  { findings, notChecked, tally }: CheckContext,
): AccountFacts | undefined {
  const log = logRow(state);
  const addresses = log === undefined ? undefined : feedAddresses(sha256, log);
  if (log?.chain == null || log.program === null || addresses === undefined) {
    const expected = 'none, for the log names no chain and program';
    findings.add('bundle_malformed', 'bundle account', expected, feed.address);
    return undefined;
  }
  const context: BundleContext = {
    notChecked,
    sha256,
    log,
    state,
    addresses,
    // Nothing can be checked about rules and sets that are not in the bundle, so they count as newer ones.
    slot: -1,
    now: -1,
    findings,
    counts: { feeds: 0, prints: 0, closes: 0, newer: 0, later: 0, dissentsBehind: 0 },
  };
  tally.accounts += 2;
  notChecked.add(
    'chain',
    `that ${log.chain} holds the accounts in the bundle`,
    `they come from an RPC node, at slot ${page.slot}`,
    'whole_log',
  );
  const { report } = row;
  const { index, slot } = pagePlace(ordinalOf(rule.period, parseDate(report.period)));
  checkAddress(feed, addresses.feed(report.ticker).address, FEED, context);
  checkAddress(page, addresses.page(report.ticker, index).address, PAGE, context);
  const held = checkFeed(bytesOf(feed), report.ticker, context);
  const account = openAccount(bytesOf(page), PAGE, parsePage, context);
  if (held === undefined || account === undefined) return undefined;
  compareFacts(placeFacts(addresses, report, index), { ...account }, PAGE, findings);
  const record = recordOf(account.slots[slot] ?? null, row.report);
  if (record?.report !== row.hash) {
    const found = record === undefined ? 'nothing' : `report ${record.report}`;
    findings.add('feed_print_missing', PAGE, `the print of report ${row.hash}`, found);
    return undefined;
  }
  checkRecord(record, held, page, row.report, context);
  checkSet(record, held, row.report, context);
  checkFlags(record, account.slots[slot]?.dissent === true, held, row.report, context);
  const keys = held.sets[record.set]?.keys ?? [];
  return {
    chain: log.chain,
    program: log.program,
    feed: feed.address,
    page: page.address,
    written: `${record.slot}`,
    slot: page.slot,
    ...checkStatements(record, keys, row.hash, context),
    dissent: account.slots[slot]?.dissent === true,
  };
}

function bytesOf({ owner, slot, data }: BundleAccount): AccountBytes {
  return { owner, slot, data: parseBase64(data) };
}

function checkAddress(
  { address }: BundleAccount,
  expected: string,
  place: string,
  { findings }: OnchainContext,
): void {
  if (address !== expected) findings.add('feed_differs', `${place}, address`, expected, address);
}

function placeFacts(
  addresses: FeedAddresses,
  { ticker }: Report,
  index: number,
): Readonly<Record<string, unknown>> {
  const { bump } = addresses.page(ticker, index);
  return { bump, index, feed: formatHex(addresses.feed(ticker).bytes) };
}

/** The record that holds a report of its status. */
function recordOf(slot: PageSlot | null, { period, status }: Report): ChainRecord | undefined {
  if (slot === null || slot.period !== parseDate(period)) return undefined;
  const { provisional, settled, corrected } = slot;
  switch (status) {
    case 'provisional':
      return provisional ?? undefined;
    case 'corrected':
      return corrected ?? undefined;
    default:
      return settled ?? undefined;
  }
}

/** Checks that the record's print is the report's in all of its 128 bytes. */
function checkRecord(
  record: ChainRecord,
  feed: FeedAccount,
  page: BundleAccount,
  report: Report,
  { findings, sha256 }: OnchainContext,
): void {
  const period = parseDate(report.period);
  const { value, publishedAt, report: hash, status, decimals } = record;
  const { settleable, withheld, issue } = record;
  const rule = feed.rules[record.rule]?.hash ?? ('00'.repeat(32) as HashHex);
  const shown: Print = {
    series: feed.series,
    rule,
    report: hash,
    value,
    publishedAt,
    period,
    status,
    decimals,
    settleable,
    withheld,
    issue,
  };
  const own = formatPrint(printOf(sha256, report));
  const found = formatPrint(shown);
  if (!equalBytes(own, found)) {
    findings.add('print_differs', PAGE, formatHex(own), formatHex(found));
  }
  const number = ruleNumberOf(feed, period);
  if (record.rule !== number) {
    findings.add('feed_differs', `${PAGE}, rule`, `${number}`, `${record.rule}`);
  }
  if (record.slot > BigInt(page.slot)) {
    const expected = `slot ${page.slot} at most, the account's`;
    findings.add('feed_differs', `${PAGE}, slot`, expected, `${record.slot}`);
  }
}

/**
 * Checks that the set under which a record was written is one of the log's, and that a print which is not provisional
 * has the threshold of that set.
 */
function checkSet(
  record: ChainRecord,
  feed: FeedAccount,
  { status, cosigners, published_at: published }: Report,
  { findings, state, notChecked }: BundleContext,
): void {
  const place = `${PAGE}, set`;
  const set = feed.sets[record.set];
  if (set === undefined) {
    const expected = `one of the feed's ${feed.sets.length} sets`;
    findings.add('feed_differs', place, expected, `set ${record.set}`);
    return;
  }
  const least = setNumberAt(feed, BigInt(parseTime(published) - CHAIN_CLOCK_S)) ?? 0;
  if (record.set < least) {
    const expected = `set ${least} or a later one, in force when it was published`;
    findings.add('feed_differs', place, expected, `set ${record.set}`);
    return;
  }
  const keys = keysOf(record.cosigners, set.keys) ?? [];
  const shown = textOf(set.threshold, set.keys);
  const sets = cosignerSets(state).map((row) =>
    textOf(
      row.threshold,
      row.cosigners.map(({ key }) => key),
    ),
  );
  if (!sets.includes(shown)) {
    if (cosigners.set === null && status === 'provisional') {
      const why = 'its report names none: the whole log shows whether it is one of its sets';
      notChecked.add(
        'chain',
        'the set of co-signers that the account was written under',
        why,
        'whole_log',
      );
      return;
    }
    // The chain asks its newest set of co-signers. For a print that came late, the log may have that set after the
    // report.
    const own = cosigners.set === null ? undefined : setByHash(state, cosigners.set);
    const members = new Set(own?.cosigners.map(({ key }) => key));
    const late = set.effective > BigInt(parseTime(published));
    if (late && keys.length > 0 && keys.every((key) => members.has(key))) {
      const why = 'it came after the report: the whole log shows whether it is one of its sets';
      notChecked.add(
        'chain',
        'the set of co-signers that the account was written under',
        why,
        'whole_log',
      );
    } else {
      findings.add('feed_differs', place, `a set of the bundle: ${sets.join('; ')}`, shown);
    }
  }
  const signed = keys.length;
  if (status === 'provisional' || signed >= set.threshold) return;
  const expected = `${set.threshold} co-signers at least, the threshold of set ${record.set}`;
  findings.add('feed_differs', `${PAGE}, co-signers`, expected, `${signed}`);
}

function textOf(threshold: number, keys: readonly string[]): string {
  return `${threshold} of ${keys.toSorted().join(', ')}`;
}

/** Checks that a dissent from the print has set the period's flag, and that the feed is as new as what is settled. */
function checkFlags(
  { dissents }: ChainRecord,
  dissent: boolean,
  { latest }: FeedAccount,
  { period, status }: Report,
  { findings }: OnchainContext,
): void {
  if (dissents !== 0 && !dissent) {
    findings.add('feed_differs', `${PAGE}, dissent`, 'the flag of a dissent', 'none');
  }
  if (status === 'provisional' || (latest !== null && latest >= parseDate(period))) return;
  const found = latest === null ? 'none' : formatDate(latest);
  findings.add('feed_differs', `${FEED}, latest`, `${period} or later`, found);
}

/**
 * Checks that whoever co-signed or dissents on chain stated the same in the log, and that the log's entry about the
 * print agrees.
 */
function checkStatements(
  record: ChainRecord,
  keys: readonly HashHex[],
  report: HashHex,
  { findings, state }: OnchainContext,
): Pick<AccountFacts, 'cosigners' | 'dissents'> {
  const [signed, against] = [keysOf(record.cosigners, keys), keysOf(record.dissents, keys)];
  if (signed === undefined || against === undefined) {
    const found = `bits ${record.cosigners} and ${record.dissents}`;
    findings.add('feed_differs', PAGE, `co-signers of a set of ${keys.length}`, found);
    return { cosigners: [], dissents: 0 };
  }
  const agreed = new Set(cosignsOf(state, report).map(({ statement }) => statement.cosigner));
  const dissented = new Set(dissentsOf(state, report).map(({ statement }) => statement.cosigner));
  for (const key of signed) {
    if (agreed.has(key)) continue;
    const expected = `the co-signature by ${key}, in the bundle`;
    findings.add('feed_signature_unlogged', PAGE, expected, 'on chain alone');
  }
  for (const key of against) {
    if (dissented.has(key)) continue;
    const expected = `the dissent by ${key}, in the bundle`;
    findings.add('feed_signature_unlogged', PAGE, expected, 'on chain alone');
  }
  const logged = onchainRow(state, report);
  if (logged !== undefined) {
    const expected = { slot: `${logged.slot}`, cosigners: logged.cosigners };
    // Co-signers may be added on chain after the entry was written.
    const there = logged.cosigners.filter((key) => (signed as readonly string[]).includes(key));
    const found = { slot: `${record.slot}`, cosigners: there };
    compareFacts(expected, found, PAGE, findings);
  }
  return { cosigners: signed, dissents: against.length };
}
