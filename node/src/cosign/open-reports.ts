import type { HashHex } from '@assay/core/hash/hash';
import { reportClocks } from '@assay/core/round/period-clocks';
import { quorumOf } from '@assay/core/round/quorum';
import type { Clocks } from '@assay/core/rule/clocks';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { type SetRow, setByHash } from '@assay/core/view/cosigner-sets';
import { periodsBack } from '@assay/core/view/periods';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { type RuleRow, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { countedReports } from './counted-reports.ts';

/** A report that co-signers have to make statements on. */
export interface OpenReport {
  readonly row: ReportRow;
  readonly rule: RuleRow;
  readonly set: SetRow;
  /** The clocks by which it was published. */
  readonly clocks: Clocks;
}

/** The reports of its period before a report, oldest first. */
export function reportsBefore(state: ViewState, { seq, report }: ReportRow): readonly ReportRow[] {
  return reportsOf(state, report.ticker, report.period).filter((each) => each.seq < seq);
}

const TABLE = /^reports\/([^/]+)\/([^/]+)$/;

/** Whether a report that ends a round, or corrects one, still lacks its quorum. */
export function lacksQuorum(state: ViewState, { row }: Pick<OpenReport, 'row'>): boolean {
  if (row.report.status === 'provisional') return false;
  const { have, required } = quorumOf(state, row);
  return have < required;
}

/**
 * The reports of the newest periods of each index on which somebody has made no statement yet, and, of all
 * periods, those that end a round or correct one and lack their quorum. The log is searched once; after that
 * only what changes.
 */
export class OpenReports {
  readonly #periods: number;
  readonly #open = new Map<HashHex, OpenReport>();
  /** The newest report of each period that was considered, by seq. */
  readonly #seen = new Map<string, number>();
  readonly #changed = new Set<string>();
  #built = false;

  /** Considers so many periods of each index, and all periods for what lacks its quorum. */
  constructor(periods: number) {
    this.#periods = periods;
  }

  /** Called with the tables that a publication changed. Returns whether there is a report among them. */
  changed(tables: Iterable<string> | 'all'): boolean {
    if (tables === 'all') {
      this.#built = false;
      return true;
    }
    let reports = false;
    for (const table of tables) {
      if (!TABLE.test(table)) continue;
      reports = true;
      this.#changed.add(table);
    }
    return reports;
  }

  /** Takes what was published since the last call. */
  update(state: ViewState): void {
    if (!this.#built) this.#build(state);
    for (const table of this.#changed) {
      const [, ticker, period] = TABLE.exec(table) as unknown as [string, Ticker, DateText];
      const known = this.#seen.has(`${ticker}/${period}`);
      this.#add(state, ticker, period);
      if (!known) this.#forget(state, ticker);
    }
    this.#changed.clear();
  }

  /** Newest first. */
  list(): readonly OpenReport[] {
    return [...this.#open.values()].reverse();
  }

  has(report: HashHex): boolean {
    return this.#open.has(report);
  }

  /** Whether a report is of one of the newest periods. */
  isRecent({ row: { report } }: OpenReport): boolean {
    return this.#seen.has(`${report.ticker}/${report.period}`);
  }

  /** Everybody has made a statement on it. */
  close(report: HashHex): void {
    this.#open.delete(report);
  }

  #build(state: ViewState): void {
    this.#built = true;
    for (const ticker of tickers(state)) {
      for (const [period, { report }] of periodsBack(state, ticker)) {
        if (report !== null) this.#add(state, ticker, period);
      }
      this.#forget(state, ticker);
    }
    const sorted = [...this.#open].sort(([, a], [, b]) => a.row.seq - b.row.seq);
    this.#open.clear();
    for (const [hash, open] of sorted) this.#open.set(hash, open);
  }

  #newest(state: ViewState, ticker: Ticker): readonly DateText[] {
    const found: DateText[] = [];
    for (const [period, { report }] of periodsBack(state, ticker)) {
      if (found.length >= this.#periods) break;
      if (report !== null) found.push(period);
    }
    return found;
  }

  #add(state: ViewState, ticker: Ticker, period: DateText): void {
    const rows = reportsOf(state, ticker, period);
    const key = `${ticker}/${period}`;
    const seen = this.#seen.get(key) ?? -1;
    for (const row of countedReports(rows)) {
      const { hash, report, seq } = row;
      // Only the publisher can recount a withheld level.
      if (seq <= seen || report.cosigners.set === null || report.withheld) continue;
      const set = setByHash(state, report.cosigners.set);
      const rule = ruleVersions(state, ticker).find((each) => each.hash === report.rule.hash);
      // A report that is repeated stays where it was first.
      if (set === undefined || rule === undefined || this.#open.has(hash)) continue;
      this.#open.set(hash, { row, rule, set, clocks: reportClocks(state, rule, row) });
    }
    this.#seen.set(key, rows.at(-1)?.seq ?? -1);
  }

  /** Drops the periods that have become too old, except what lacks its quorum. */
  #forget(state: ViewState, ticker: Ticker): void {
    const oldest = this.#newest(state, ticker).at(-1);
    if (oldest === undefined) return;
    for (const [hash, open] of this.#open) {
      const { report } = open.row;
      if (report.ticker !== ticker || report.period >= oldest) continue;
      // For a late number, the statements on its provisionals set the clocks, however old its period is.
      const isLate = open.clocks.frozen === Number.POSITIVE_INFINITY;
      if (!isLate && !lacksQuorum(state, open)) this.#open.delete(hash);
    }
    for (const key of this.#seen.keys()) {
      const [other, period = ''] = key.split('/');
      if (other === ticker && period < oldest) this.#seen.delete(key);
    }
  }
}
