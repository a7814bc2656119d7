import type { HashHex, Sha256 } from '../hash/hash.ts';
import { contentHash, hashHex } from '../hash/hash.ts';
import type { CloseContent, CloseFile, CloseItem } from '../report/close.ts';
import type { Ticker } from '../rule/ticker.ts';
import { type DateText, dateOf } from '../time/time.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { type CloseRow } from '../view/closes.ts';
import { logRow } from '../view/log.ts';
import { periodRow, periodsBack } from '../view/periods.ts';
import { settledReport } from '../view/reports.ts';
import { ruleVersions, tickers } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';
import { historyCsv } from './history-csv.ts';
import { currentRule, indexSummary, type IndexPayload, LISTED_PERIODS } from './index.ts';
import { closedListingOf, type Kit } from './listing.ts';
import { reportPayload, type ReportPayload } from './report.ts';

/**
 * What a market settles from when the service cannot be reached: one index as the log showed it when
 * the Close was made, with the signed report of the period that the Close froze. Written once, and
 * never changed.
 */
export interface SettlementPayload {
  readonly type: 'assay-settlement/1';
  readonly day: string;
  /** Leaf hash of entry 0. */
  readonly log: string;
  readonly index: IndexPayload;
  /** The report of the period that the Close froze. */
  readonly report: ReportPayload | null;
  readonly kit: Kit | null;
  /** Why there is no kit; null where there is one. */
  readonly no_kit: string | null;
}

/** A settlement file with its bytes. */
export interface SettlementFile {
  readonly path: string;
  readonly contentType: 'application/json' | 'text/csv';
  readonly body: Uint8Array;
}

/** The newest period of an index whose round was over by the end of `day`. */
function newestPrint(state: ViewState, ticker: Ticker, day: DateText): DateText | undefined {
  for (const [period, { basis }] of periodsBack(state, ticker)) {
    const settled = basis === 'print' ? settledReport(state, ticker, period) : undefined;
    if (settled !== undefined && dateOf(settled.report.published_at) <= day) return period;
  }
  return undefined;
}

export function settlementPayload(
  state: ViewState,
  ticker: Ticker,
  sha256: Sha256,
  day: DateText,
  period: DateText,
): SettlementPayload {
  const listed = closedListingOf(state, ticker);
  return {
    type: 'assay-settlement/1',
    day,
    log: logRow(state)?.log ?? '',
    index: indexSummary(state, ticker),
    report: reportPayload(state, ticker, sha256, period) ?? null,
    kit: 'kit' in listed ? listed.kit : null,
    no_kit: 'kit' in listed ? null : listed.no_kit,
  };
}

/** The path of an index's settlement file; a later version of a day has a folder of its own. */
export function settlementPath(
  day: DateText,
  version: number,
  display: string,
  format: 'json' | 'csv',
): string {
  return `${day}${version === 0 ? '' : `/v${version}`}/${display}.${format}`;
}

/** The settlement files of a Close's items, by path. */
function settlementFiles(
  state: ViewState,
  sha256: Sha256,
  day: DateText,
  version: number,
  items: readonly CloseItem[],
): readonly SettlementFile[] {
  const files = items.flatMap(({ ticker, period }): readonly SettlementFile[] => {
    const { display } = currentRule(state, ticker).rule;
    const payload = settlementPayload(state, ticker, sha256, day, period);
    return [
      {
        path: settlementPath(day, version, display, 'json'),
        contentType: 'application/json',
        body: formatUtf8(`${JSON.stringify(payload, null, 1)}\n`),
      },
      {
        path: settlementPath(day, version, display, 'csv'),
        contentType: 'text/csv',
        body: formatUtf8(historyCsv(state, ticker, LISTED_PERIODS)),
      },
    ];
  });
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A Close before it is signed, with the files that it names. */
export interface CloseDraft {
  readonly content: CloseContent;
  readonly version: number;
  readonly supersedes: HashHex | null;
  readonly files: readonly SettlementFile[];
}

/**
 * The Close of a day on these rows: for every index the newest period that was complete by the day's end, with its
 * newest report. A later version keeps the periods; `before` is the version that it replaces. Undefined where there is
 * nothing to freeze. The publisher and the verifier both use this function.
 */
export function draftClose(
  state: ViewState,
  sha256: Sha256,
  day: DateText,
  before: CloseRow | undefined,
): CloseDraft | undefined {
  const version = before === undefined ? 0 : before.version + 1;
  const periods: readonly (readonly [Ticker, DateText])[] =
    before === undefined
      ? tickers(state).flatMap((ticker) => {
          const period = newestPrint(state, ticker, day);
          return period === undefined ? [] : [[ticker, period] as const];
        })
      : before.content.items.map(({ ticker, period }) => [ticker, period] as const);
  const items = periods.flatMap(([ticker, period]): readonly CloseItem[] => {
    const row = periodRow(state, ticker, period);
    const known = ruleVersions(state, ticker).length > 0;
    if (row === undefined || row.report === null || !known) return [];
    return [{ ticker, period, report: row.report, value: row.value }];
  });
  if (items.length === 0) return undefined;
  const files = settlementFiles(state, sha256, day, version, items);
  const named = files.map(({ path, body }): CloseFile => ({
    path,
    sha256: hashHex(contentHash(sha256, body)),
  }));
  const content: CloseContent = { day, items, files: named };
  return { content, version, supersedes: before?.hash ?? null, files };
}

/** Whether a period of a Close has a newer report than the one that the Close froze. */
export function isOutdated({ content }: CloseRow, state: ViewState): boolean {
  return content.items.some(
    ({ ticker, period, report }) => periodRow(state, ticker, period)?.report !== report,
  );
}
