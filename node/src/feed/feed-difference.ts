import type { FeedAccount, FeedRule } from '@assay/core/feed/feed-account';
import { compareFeedKeys } from '@assay/core/feed/feed-keys';
import type { CloseAccount } from '@assay/core/feed/close-account';
import type { PageAccount, PageSlot } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { keysAt, isRecordOf } from '@assay/chain/client/print-record';
import { seriesId, printOf } from '@assay/core/report/print';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { Status } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatDate } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { cosignsOf, dissentsOf } from '@assay/core/view/cosigns';
import { type LogRow, logRow } from '@assay/core/view/log';
import { keysOf } from '@assay/core/view/key/keys';
import { onchainRow } from '@assay/core/view/onchain';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { firstPeriodOf, setsOf } from './feed-plan.ts';

/** An account on chain, and the log that it is compared with. */
interface Compared {
  readonly state: ViewState;
  readonly sha256: Sha256;
  readonly ticker: Ticker;
  /** The address in base58. */
  readonly address: string;
}

/** How a feed differs from the log, in whole sentences. */
export function feedDifferences(
  { state, sha256, ticker, address }: Compared,
  feed: FeedAccount,
): readonly string[] {
  const log = logRow(state);
  if (log === undefined) return [];
  const words: string[] = [];
  const say = (what: string): void => {
    words.push(`The feed of ${ticker} at ${address} ${what}.`);
  };
  for (const [name, found, expected] of fixedOf(sha256, log, ticker, feed)) {
    if (found !== expected) say(`has the ${name} ${found}, and the log has ${expected}`);
  }
  for (const { field, expected, found } of compareFeedKeys(feed, keysOf(state), sha256)
    .differences) {
    if (field !== 'rotation')
      say(`has the ${KEY_WORDS[field]} ${found}, and the log has ${expected}`);
    else say(`has a change of its key ${found}, which the log does not have`);
  }
  for (const rule of feed.rules)
    if (!isOfLog(state, ticker, rule)) {
      say(
        `has the rule ${rule.hash} from ${formatDate(rule.first)} on, which the log does not have`,
      );
    }
  const [rule] = ruleVersions(state, ticker);
  if (rule !== undefined && rule.rule.period !== feed.cadence)
    say(`has the cadence ${feed.cadence}`);
  if (rule !== undefined && rule.rule.decimals !== feed.decimals) {
    say(`has ${feed.decimals} decimals`);
  }
  if (setsOf(state, feed) === undefined) say('has co-signer sets that the log does not have');
  return words;
}

const KEY_WORDS = {
  publisher: 'publisher',
  nextHash: 'commitment to the next key',
  recoveryHash: 'commitment to the recovery key',
} as const;

function fixedOf(
  sha256: Sha256,
  log: LogRow,
  ticker: Ticker,
  feed: FeedAccount,
): readonly (readonly [string, string, string])[] {
  return [
    ['log', feed.log, log.log],
    ['series', feed.series, formatHex(seriesId(sha256, log.log, ticker))],
  ];
}

function isOfLog(state: ViewState, ticker: Ticker, { hash, first }: FeedRule): boolean {
  const row = ruleVersions(state, ticker).find((each) => each.hash === hash);
  return row !== undefined && firstPeriodOf(row.rule) === first;
}

/** What a page holds that the log does not, and what the log says it holds although it does not. */
export function pageDifferences(
  compared: Compared,
  feed: FeedAccount,
  page: PageAccount,
): readonly string[] {
  return page.slots.flatMap((slot) => (slot === null ? [] : slotDifferences(compared, feed, slot)));
}

function slotDifferences(
  { state, sha256, ticker, address }: Compared,
  feed: FeedAccount,
  slot: PageSlot,
): readonly string[] {
  const period = formatDate(slot.period);
  const reports = reportsOf(state, ticker, period);
  const words: string[] = [];
  const say = (record: ChainRecord, what: string): void => {
    words.push(`The ${record.status} of ${ticker} ${period} on chain, at ${address}, ${what}.`);
  };
  for (const record of [slot.provisional, slot.settled, slot.corrected]) {
    if (record === null) continue;
    const row = reports.find(({ hash }) => hash === record.report);
    if (row === undefined) {
      say(record, `is of report ${record.report}, which the log does not have`);
      continue;
    }
    if (row.report.withheld) say(record, 'is withheld: nobody can recount it');
    if (!isRecordOf(feed, record, printOf(sha256, row.report))) {
      say(record, `is not what report ${record.report} says`);
    }
    const unknown = (
      keys: readonly string[],
      said: readonly { statement: { cosigner: string } }[],
    ) => keys.filter((key) => !said.some(({ statement }) => statement.cosigner === key));
    const signed = keysAt(feed, record.set, record.cosigners);
    for (const key of unknown(signed, cosignsOf(state, row.hash))) {
      say(record, `is co-signed by ${key}, of whom the log has no agreement`);
    }
    const dissents = keysAt(feed, record.set, record.dissents);
    for (const key of unknown(dissents, dissentsOf(state, row.hash))) {
      say(record, `has a dissent by ${key}, of whom the log has none`);
    }
  }
  return words;
}

/** A print that the log says is on chain, but its slot does not show. */
export interface MissingPrint {
  readonly row: ReportRow;
  /**
   * A whole sentence; undefined for a correction that a later one has superseded, and that has to be posted
   * before it.
   */
  readonly words: string | undefined;
}

/**
 * Finals, voids and corrections of a period that the log says are on chain but its slot does not show, oldest
 * first; a provisional if there is nothing later.
 */
export function missingPrints(
  { state, ticker, address }: Compared,
  period: DateText,
  slot: PageSlot | null,
): readonly MissingPrint[] {
  const reports = reportsOf(state, ticker, period);
  const place = (report: HashHex | undefined): number =>
    reports.findIndex(({ hash }) => hash === report);
  const said = (...statuses: readonly Status[]): readonly number[] =>
    [...reports.keys()].filter((i) => {
      const row = reports[i];
      return (
        row !== undefined &&
        statuses.includes(row.report.status) &&
        onchainRow(state, row.hash) !== undefined
      );
    });
  const settled = said('final', 'void');
  const overtaken = settled.length > 0 || slot?.settled != null;
  // A correction may have been posted since, and not be in the log yet.
  const shown: readonly (readonly [readonly number[], number])[] = [
    [overtaken ? [] : said('provisional').slice(-1), place(slot?.provisional?.report)],
    [settled.slice(-1), place(slot?.settled?.report)],
    [said('corrected'), place(slot?.corrected?.report)],
  ];
  return shown.flatMap(([all, found]) =>
    all
      .filter((i) => found < i)
      .flatMap((i) => {
        const row = reports[i];
        if (row === undefined) return [];
        const where = `${ticker} ${period} stands on chain, and ${address} does not show it`;
        const words =
          i === all.at(-1) ? `The log says that report ${row.hash} of ${where}.` : undefined;
        return [{ row, words }];
      }),
  );
}

/** How a Close account differs from the log. */
export function closeDifferences(
  { state, address }: Omit<Compared, 'ticker' | 'sha256'>,
  close: CloseAccount,
): readonly string[] {
  const day = formatDate(close.day);
  const known = closesOf(state, day).map(({ hash }) => hash);
  const unknown = close.hashes
    .filter((hash) => !known.includes(hash))
    .map(
      (hash) =>
        `The Close of ${day} on chain, at ${address}, has ${hash}, which the log does not have.`,
    );
  const places = close.hashes.map((hash) => known.indexOf(hash)).filter((place) => place >= 0);
  const inOrder = places.every((place, i) => i === 0 || place > (places[i - 1] ?? -1));
  return inOrder
    ? unknown
    : [
        ...unknown,
        `The Close of ${day} on chain, at ${address}, has its versions in another order than the log.`,
      ];
}
