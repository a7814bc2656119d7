import type { HashHex } from '@assay/core/hash/hash';
import { periodsBack } from '@assay/core/view/periods';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';

/** A publisher's log, followed and folded. */
export interface PublisherLog {
  readonly state: ViewState;
  readonly log: HashHex;
  readonly size: number;
  /**
   * Since when co-signers can know of the report in an entry, in Unix seconds: the entry's time, or the time when it
   * was first seen where that is known and later. Undefined for a report without a valid signature of the publisher, on
   * which nobody has to make a statement.
   */
  readonly owedSince: (seq: number) => number | undefined;
}

/** All reports of a log, period by period, each period's in their order. */
export function* periodReports(state: ViewState): Generator<readonly ReportRow[]> {
  for (const ticker of tickers(state)) {
    for (const [period] of periodsBack(state, ticker)) yield reportsOf(state, ticker, period);
  }
}

/** A report's name in findings: index, period, status and issue. */
export function reportName({ report: { ticker, period, status, issue } }: ReportRow): string {
  return `${ticker} ${period} ${status}${issue === 0 ? '' : ` ${issue}`}`;
}
