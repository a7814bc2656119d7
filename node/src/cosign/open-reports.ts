import type { HashHex } from '@assay/core/hash/hash';
import { reportClocks } from '@assay/core/round/period-clocks';
import { quorumOf } from '@assay/core/round/quorum';
import type { Clocks } from '@assay/core/rule/clocks';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { newestSet, type SetRow, setByHash } from '@assay/core/view/cosigner-sets';
import { periodsBack } from '@assay/core/view/periods';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { type RuleRow, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { Turns } from '../ledger/store/slices.ts';
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

/** How far the periods before the newest ones were searched. After all has changed there is another one. */
interface Older {
  state: 'unsearched' | 'searching' | 'searched';
}

/** Whether co-signers still have to make statements on a report, of the newest `periods` of its index or of any. */
export function isOpenReport(state: ViewState, row: ReportRow, periods: number): boolean {
  const { ticker, period } = row.report;
  const open = openOf(state, ticker, period, -1).find(({ row: { hash } }) => hash === row.hash);
  if (open === undefined) return false;
  const oldest = newestPeriods(state, ticker, periods).at(-1);
  return oldest === undefined || period >= oldest || isKeptWhenOld(state, open);
}

/**
 * The reports of the newest periods of each index on which somebody has made no statement yet, and, of all
 * periods, those that end a round or correct one and lack their quorum. The log is searched once; after that
 * only what changes.
 */
export class OpenReports {
  readonly #periods: number;
  readonly #open = new Map<HashHex, OpenReport>();
  /** The newest report of each of the newest periods that was considered, by seq, in the periods of each index. */
  readonly #seen = new Map<Ticker, Map<DateText, number>>();
  readonly #changed = new Set<string>();
  /** Whether the newest periods were taken. */
  #built = false;
  #older: Older = { state: 'unsearched' };
  #searching: Promise<void> = Promise.resolve();

  /** Considers so many periods of each index, and all periods for what lacks its quorum. */
  constructor(periods: number) {
    this.#periods = periods;
  }

  /** Called with the tables that a publication changed. Returns whether there is a report among them. */
  changed(tables: Iterable<string> | 'all'): boolean {
    if (tables === 'all') {
      this.#built = false;
      this.#older = { state: 'unsearched' };
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

  /** Takes what was published since the last call. At first these are the newest periods of each index. */
  update(state: ViewState): void {
    if (!this.#built) this.#build(state);
    const grown = new Set<Ticker>();
    for (const table of this.#changed) {
      const [, ticker, period] = TABLE.exec(table) as unknown as [string, Ticker, DateText];
      if (this.#seen.get(ticker)?.has(period) !== true) grown.add(ticker);
      this.#add(state, ticker, period);
    }
    this.#changed.clear();
    this.#forget(state, grown);
  }

  /**
   * Takes what lacks its quorum in all older periods, after `update`. That is done once, and again after all has changed. A
   * call while it is under way returns the same promise. In a short log all of it is done when the call returns.
   */
  search(state: ViewState, turns: Turns): Promise<void> {
    if (this.#older.state === 'unsearched') {
      const older: Older = { state: 'searching' };
      this.#older = older;
      this.#searching = this.#search(state, turns, older);
    }
    return this.#searching;
  }

  /** Whether all periods were searched, so that what is not here is not open. */
  get isWhole(): boolean {
    return this.#built && this.#older.state === 'searched';
  }

  /** Newest first. */
  list(): readonly OpenReport[] {
    return [...this.#open.values()].reverse();
  }

  has(report: HashHex): boolean {
    return this.#open.has(report);
  }

  /** Whether a report is of one of the newest periods. */
  isRecent({ row: { report } }: Pick<OpenReport, 'row'>): boolean {
    return this.#seen.get(report.ticker)?.has(report.period) === true;
  }

  /** Everybody has made a statement on it. */
  close(report: HashHex): void {
    this.#open.delete(report);
  }

  #build(state: ViewState): void {
    this.#built = true;
    const all = tickers(state);
    for (const ticker of all) {
      for (const period of newestPeriods(state, ticker, this.#periods)) {
        this.#add(state, ticker, period);
      }
    }
    this.#forget(state, new Set(all));
    this.#sort();
  }

  async #search(state: ViewState, { pause, signal }: Turns, older: Older): Promise<void> {
    const found: OpenReport[] = [];
    let isWhole = false;
    try {
      // Without a set nobody has to make a statement.
      const all = newestSet(state) === undefined ? [] : tickers(state);
      for (const ticker of all) {
        let before = newestPeriods(state, ticker, this.#periods).at(-1);
        while (before !== undefined) {
          const some = reportedBefore(state, ticker, before);
          for (const period of some) {
            const waiting = pause();
            if (waiting !== undefined) await waiting;
            if (signal?.aborted === true || this.#older !== older) return;
            for (const open of openOf(state, ticker, period, -1)) {
              if (isKeptWhenOld(state, open)) found.push(open);
            }
          }
          before = some.at(-1);
        }
      }
      isWhole = true;
    } finally {
      older.state = isWhole ? 'searched' : 'unsearched';
      // All at once, so that the list is in its order at any moment.
      for (const open of found) this.#take(open);
      this.#sort();
    }
  }

  #add(state: ViewState, ticker: Ticker, period: DateText): void {
    const seen = this.#seen.get(ticker) ?? new Map<DateText, number>();
    this.#seen.set(ticker, seen);
    for (const open of openOf(state, ticker, period, seen.get(period) ?? -1)) this.#take(open);
    seen.set(period, reportsOf(state, ticker, period).at(-1)?.seq ?? -1);
  }

  /** A report that is repeated stays where it was first. */
  #take(open: OpenReport): void {
    const { hash } = open.row;
    if (!this.#open.has(hash)) this.#open.set(hash, open);
  }

  /** Drops the periods of some indexes that have become too old, except what lacks its quorum. */
  #forget(state: ViewState, of: ReadonlySet<Ticker>): void {
    if (of.size === 0) return;
    const oldest = new Map<Ticker, DateText>();
    for (const ticker of of) {
      const period = newestPeriods(state, ticker, this.#periods).at(-1);
      if (period === undefined) continue;
      oldest.set(ticker, period);
      const seen = this.#seen.get(ticker);
      for (const each of seen?.keys() ?? []) if (each < period) seen?.delete(each);
    }
    for (const [hash, open] of this.#open) {
      const { ticker, period } = open.row.report;
      const first = oldest.get(ticker);
      if (first === undefined || period >= first) continue;
      if (!isKeptWhenOld(state, open)) this.#open.delete(hash);
    }
  }

  #sort(): void {
    const sorted = [...this.#open].sort(([, a], [, b]) => a.row.seq - b.row.seq);
    this.#open.clear();
    for (const [hash, open] of sorted) this.#open.set(hash, open);
  }
}

/** The newest periods of an index with a report, at most `most`, newest first. */
function newestPeriods(state: ViewState, ticker: Ticker, most: number): readonly DateText[] {
  const found: DateText[] = [];
  for (const [period, { report }] of periodsBack(state, ticker)) {
    if (found.length >= most) break;
    if (report !== null) found.push(period);
  }
  return found;
}

/** How many periods are listed at a time. */
const SOME = 64;

/** Some periods of an index with a report before one, or the newest, newest first; none if there are no more. */
export function reportedBefore(
  state: ViewState,
  ticker: Ticker,
  before?: DateText,
): readonly DateText[] {
  const found: DateText[] = [];
  for (const [period, { report }] of periodsBack(state, ticker, before)) {
    if (report !== null) found.push(period);
    if (found.length === SOME) break;
  }
  return found;
}

/** The reports of a period after entry `seen` that co-signers have to make statements on. */
function openOf(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
  seen: number,
): readonly OpenReport[] {
  const found: OpenReport[] = [];
  for (const row of countedReports(reportsOf(state, ticker, period))) {
    const { report, seq } = row;
    // Only the publisher can recount a withheld level.
    if (seq <= seen || report.cosigners.set === null || report.withheld) continue;
    const set = setByHash(state, report.cosigners.set);
    const rule = ruleVersions(state, ticker).find((each) => each.hash === report.rule.hash);
    if (set === undefined || rule === undefined) continue;
    found.push({ row, rule, set, clocks: reportClocks(state, rule, row) });
  }
  return found;
}

/** For a late number, the statements on its provisionals set the clocks, however old its period is. */
function isKeptWhenOld(state: ViewState, open: OpenReport): boolean {
  return open.clocks.frozen === Number.POSITIVE_INFINITY || lacksQuorum(state, open);
}
