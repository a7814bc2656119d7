import { hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parsePrint, PRINT_BYTES, seriesId } from '@assay/core/report/print';
import { reportClocks } from '@assay/core/round/period-clocks';
import type { Clocks } from '@assay/core/rule/clocks';
import type { Statement } from '@assay/core/report/statement';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate } from '@assay/core/time/time';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { type RuleRow, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';

/**
 * A report with its rule and the clocks that it was published by, and the reports of its period before it,
 * oldest first.
 */
export interface NamedReport {
  readonly row: ReportRow;
  readonly rule: RuleRow;
  readonly clocks: Clocks;
  readonly before: readonly ReportRow[];
}

/** The days of the years 1 to 9999, counted from 1970. A print may contain any number. */
const FIRST_DAY = -719_162;
const LAST_DAY = 2_932_896;

/** Finds the report that a statement is about by the series and the period of its print, without a search. */
export class NamedReports {
  readonly #sha256: Sha256;
  readonly #tickers = new Map<string, Ticker>();

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** Undefined if the log `log`, whose rows these are, has no such report. */
  find(
    state: ViewState,
    log: HashHex,
    { print, report }: Pick<Statement, 'print' | 'report'>,
  ): NamedReport | undefined {
    const { series, period } = parsePrint(parseHex(print, PRINT_BYTES));
    const ticker = this.#tickerOf(state, log, series);
    if (ticker === undefined || period < FIRST_DAY || period > LAST_DAY) return undefined;
    const rows = reportsOf(state, ticker, formatDate(period));
    const at = rows.findIndex(({ hash }) => hash === report);
    const row = rows[at];
    const rule = ruleVersions(state, ticker).find(({ hash }) => hash === row?.report.rule.hash);
    if (row === undefined || rule === undefined) return undefined;
    const clocks = reportClocks(state, rule, row);
    return { row, rule, clocks, before: rows.slice(0, at) };
  }

  /** The ids of all series are computed once, and again when there is another index. */
  #tickerOf(state: ViewState, log: HashHex, series: string): Ticker | undefined {
    const all = tickers(state);
    if (all.length !== this.#tickers.size) {
      for (const ticker of all) {
        this.#tickers.set(hashHex(seriesId(this.#sha256, log, ticker)), ticker);
      }
    }
    return this.#tickers.get(series);
  }
}
