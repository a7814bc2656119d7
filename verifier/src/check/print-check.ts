import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import type { HashHex } from '@assay/core/hash/hash';
import type { PrintEntry } from '@assay/core/kind/print-entry';
import { quorumOf } from '@assay/core/round/quorum';
import { parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import { cosignersAt, setByHash } from '@assay/core/view/cosigner-sets';
import { cosignsOf } from '@assay/core/view/cosigns';
import { type Due, onchainRow } from '@assay/core/view/onchain';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from './read-check.ts';
import type { FeedAddresses } from '@assay/core/feed/program-address';

/** The log before an entry that records what is on chain. */
export interface LogBeforePrint {
  readonly state: ViewState;
  /** The addresses of the log's accounts; undefined for a log that names no chain. */
  readonly addresses: FeedAddresses | undefined;
  /** What the earlier entries require on chain, by its digest. */
  readonly due: (digest: HashHex) => Due | undefined;
}

/**
 * Checks an entry which records that a print or a Close is on chain. The print or Close must belong there and be
 * recorded once, at the addresses that the program derives. For a settlement or a correction, enough co-signers must
 * have agreed in the log before. The entry lists the co-signers that the chain showed when it was written; more may
 * follow. What the chain itself holds is checked in `onchain-check.ts`.
 */
export function checkPrintEntry(
  entry: PrintEntry,
  at: TimeText,
  place: string,
  logBefore: LogBeforePrint,
  { findings, tally }: Pick<CheckContext, 'findings' | 'tally'>,
): void {
  tally.prints += 1;
  const add = (member: string, expected: string, found: string): void => {
    findings.add('feed_entry_wrong', `${place}/${member}`, expected, found);
  };
  const { state, addresses } = logBefore;
  if (addresses === undefined) {
    add('feed', 'nothing on chain of a log that names no chain and program', entry.feed);
    return;
  }
  const due = logBefore.due(entry.digest);
  if (due === undefined || due.of !== entry.of) {
    add('digest', `a ${nounOf(entry)} before it that belongs on chain`, entry.digest);
    return;
  }
  if (due.ticker !== entry.ticker) add('ticker', due.ticker, entry.ticker);
  if (due.period !== entry.period) add('period', due.period, entry.period);
  const before = onchainRow(state, entry.digest);
  if (before !== undefined) add('digest', 'each once', `recorded in entry ${before.seq}`);
  const [feed, account] = addressesOf(due, state, addresses);
  if (entry.feed !== feed) add('feed', feed, entry.feed);
  if (entry.account !== account) add('account', account, entry.account);
  if (entry.of === 'close') return;
  const row = reportsOf(state, due.ticker, due.period).find(({ hash }) => hash === due.digest);
  if (row !== undefined) checkCosigners(entry, row, at, state, add);
}

function nounOf({ of }: PrintEntry): string {
  return of === 'print' ? 'report' : 'Close';
}

/** The feed that something belongs in, and the account under that feed. */
export function addressesOf(
  { of, ticker, period }: Pick<Due, 'of' | 'ticker' | 'period'>,
  state: ViewState,
  addresses: FeedAddresses,
): readonly [feed: string, account: string] {
  const day = parseDate(period);
  const feed = addresses.feed(ticker).address;
  if (of === 'close') return [feed, addresses.close(ticker, day).address];
  const kind = ruleVersions(state, ticker)[0]?.rule.period;
  if (kind === undefined || day < 0) return [feed, 'none'];
  const { index } = pagePlace(ordinalOf(kind, day));
  return [feed, addresses.page(ticker, index).address];
}

function checkCosigners(
  { cosigners }: PrintEntry,
  row: ReportRow,
  at: TimeText,
  state: ViewState,
  add: (member: string, expected: string, found: string) => void,
): void {
  const { report, hash } = row;
  const { set } = report.cosigners;
  const members = (set === null ? undefined : setByHash(state, set))?.cosigners ?? [];
  const signed = new Set(cosignsOf(state, hash).map(({ statement }) => statement.cosigner));
  const stranger = cosigners.find(
    (each) => !signed.has(each) || !members.some(({ key }) => key === each),
  );
  if (stranger !== undefined) {
    add('cosigners', "keys of the report's set that had signed it in the log", stranger);
  }
  if (report.status === 'provisional') return;
  const { required, have } = quorumOf(state, row);
  // The chain asks its newest set of co-signers, which may have come after the report's set.
  const least = cosignersAt(state, parseTime(at))?.hash === set ? required : 1;
  if (have < required || cosigners.length < least) {
    const found = `${have} in the log, ${cosigners.length} on chain`;
    add('cosigners', `${required} co-signatures of a ${report.status} print`, found);
  }
}
