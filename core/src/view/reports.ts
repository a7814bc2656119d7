import type { HashHex } from '../hash/hash.ts';
import type { Report } from '../report/report.ts';
import type { Ticker } from '../rule/ticker.ts';
import type { DateText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { reportDigest } from './report-digest.ts';
import type { View, ViewState } from './view.ts';

const reportsTable = (ticker: Ticker, period: DateText): string => `reports/${ticker}/${period}`;
const PRINTED = 'printed';

export interface ReportRow {
  readonly seq: number;
  readonly hash: HashHex;
  readonly report: Report;
  readonly signature: string;
}

/** Every report of a period in the order of the log, and the newest period with one. */
export const reportsView: View = {
  name: 'reports',
  apply(entry, state, sha256) {
    if (entry.kind !== 'report/1') return [];
    const { report, signature } = entry.body;
    const table = reportsTable(report.ticker, report.period);
    const row: ReportRow = {
      seq: entry.seq,
      hash: reportDigest(sha256, entry.body),
      report,
      signature,
    };
    const newest = newestPrinted(state, report.ticker);
    return [
      {
        table,
        key: String(nextOrdinal(state, table)).padStart(6, '0'),
        value: wire(row),
      },
      ...(newest === undefined || newest < report.period
        ? [{ table: PRINTED, key: report.ticker, value: report.period }]
        : []),
    ];
  },
};

/** Rows are never removed, so the newest one shows how many there are. */
function nextOrdinal(state: ViewState, table: string): number {
  for (const [newest] of state.descend(table)) return Number(newest) + 1;
  return 0;
}

/** The reports of a period, oldest first. */
export function reportsOf(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
): readonly ReportRow[] {
  return [...state.list(reportsTable(ticker, period))].map(
    ([, row]) => row as unknown as ReportRow,
  );
}

/** The report that ended a period's round: its first final or void. */
export function settledReport(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
): ReportRow | undefined {
  return reportsOf(state, ticker, period).find(
    ({ report }) => report.status === 'final' || report.status === 'void',
  );
}

/** The newest period that has a report. */
export function newestPrinted(state: ViewState, ticker: Ticker): DateText | undefined {
  return state.get(PRINTED, ticker) as DateText | undefined;
}
