import type { HashHex } from '../hash/hash.ts';
import type { Report, Status } from '../report/report.ts';
import type { Revision } from '../kind/revision.ts';
import type { Ticker } from '../rule/ticker.ts';
import type { Baseline } from '../rule/rule.ts';
import { type DateText, dateOf, parseDate, type TimeText, weekdayOf } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { reportDigest } from './report-digest.ts';
import { ruleVersions } from './rules.ts';
import type { View, ViewState, ViewWrite } from './view.ts';

/** The names of tables of some tickers: as the key of a map, a text that is made anew is hashed anew. */
const tableNames = new Map<Ticker, string>();
const MAX_TABLE_NAMES = 1000;

function periodsTable(ticker: Ticker): string {
  let name = tableNames.get(ticker);
  if (name === undefined) {
    if (tableNames.size >= MAX_TABLE_NAMES) tableNames.clear();
    name = `periods/${ticker}`;
    tableNames.set(ticker, name);
  }
  return name;
}

/** One period of an index, as the log shows it now. Values are scaled integers as text. */
export interface PeriodRow {
  /** `print`: there is a report. `history`: loaded from a source, without a first print. */
  readonly basis: 'print' | 'history';
  readonly status: Status | null;
  /** As printed; for history the source's newest figure. Null when void or withheld. */
  readonly value: string | null;
  /** The value of the first final, which is what settles. Null for everything else. */
  readonly settlement_value: string | null;
  /** The source's newest figure if it differs from the print, and the day it was read. */
  readonly revised: string | null;
  readonly revised_on: DateText | null;
  readonly z: string | null;
  readonly band: string | null;
  readonly withheld: boolean;
  /** The commitment that replaces a withheld value. */
  readonly commitment: HashHex | null;
  /** Whether the rule and the terms let the first final settle, once its quorum has signed it. */
  readonly settleable: boolean;
  readonly decimals: number;
  /** The newest report. */
  readonly report: HashHex | null;
  /** The first final; null while there is none. */
  readonly final_report: HashHex | null;
  /** Who must have signed the first final before it settles; null while there is none. */
  readonly cosigners: Report['cosigners'] | null;
  readonly published_at: TimeText | null;
}

/** The periods of every index. */
export const periodsView: View = {
  name: 'periods',
  apply(entry, state, sha256) {
    switch (entry.kind) {
      case 'report/1': {
        const { report } = entry.body;
        return [
          printWrite(
            report,
            reportDigest(sha256, entry.body),
            periodRow(state, report.ticker, report.period),
          ),
        ];
      }
      case 'revision/1':
        return revisionWrites(entry.body, state);
      default:
        return [];
    }
  },
};

function printWrite(report: Report, hash: HashHex, before: PeriodRow | undefined): ViewWrite {
  const moot = before?.revised === report.value;
  const row: PeriodRow = {
    basis: 'print',
    status: report.status,
    value: report.value,
    settlement_value: before?.settlement_value ?? (report.status === 'final' ? report.value : null),
    revised: moot ? null : (before?.revised ?? null),
    revised_on: moot ? null : (before?.revised_on ?? null),
    z: report.z,
    band: report.band,
    withheld: report.withheld,
    commitment: report.commitment,
    // A correction does not change what was settled on.
    settleable: before?.settlement_value == null ? report.settleable : before.settleable,
    decimals: report.decimals,
    report: hash,
    final_report: before?.final_report ?? (report.status === 'final' ? hash : null),
    cosigners: before?.cosigners ?? (report.status === 'final' ? report.cosigners : null),
    published_at: report.published_at,
  };
  return {
    table: periodsTable(report.ticker),
    key: report.period,
    value: wire(row),
  };
}

function revisionWrites(revision: Revision, state: ViewState): readonly ViewWrite[] {
  return revision.rows.map(({ period, value }) => {
    const before = periodRow(state, revision.ticker, period);
    let row: PeriodRow;
    if (before === undefined || before.basis === 'history') {
      row = { ...HISTORY, value, decimals: decimalsOf(revision, state) };
    } else if (value === before.value) {
      row = { ...before, revised: null, revised_on: null };
    } else {
      row = { ...before, revised: value, revised_on: dateOf(revision.read_at) };
    }
    return {
      table: periodsTable(revision.ticker),
      key: period,
      value: wire(row),
    };
  });
}

const HISTORY: PeriodRow = {
  basis: 'history',
  status: null,
  value: null,
  settlement_value: null,
  revised: null,
  revised_on: null,
  z: null,
  band: null,
  withheld: false,
  commitment: null,
  settleable: false,
  decimals: 0,
  report: null,
  final_report: null,
  cosigners: null,
  published_at: null,
};

/** 0 under a rule that the log does not have, because the verifier has a finding for that revision. */
function decimalsOf(revision: Revision, state: ViewState): number {
  const found = ruleVersions(state, revision.ticker).find(({ hash }) => hash === revision.rule);
  return found?.rule.decimals ?? 0;
}

/** The row of one period. */
export function periodRow(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
): PeriodRow | undefined {
  return state.get(periodsTable(ticker), period) as unknown as PeriodRow | undefined;
}

/** `periodRow` for many periods of one index. */
export function periodRowsOf(
  state: ViewState,
  ticker: Ticker,
): (period: DateText) => PeriodRow | undefined {
  const table = periodsTable(ticker);
  return (period) => state.get(table, period) as unknown as PeriodRow | undefined;
}

/** The periods of an index, oldest first. */
export function periodRows(
  state: ViewState,
  ticker: Ticker,
): readonly (readonly [DateText, PeriodRow])[] {
  return [...state.list(periodsTable(ticker))].map(
    ([period, row]) => [period as DateText, row as unknown as PeriodRow] as const,
  );
}

/** The periods of an index, newest first. With `before`, only those before it. */
export function* periodsBack(
  state: ViewState,
  ticker: Ticker,
  before?: DateText,
): Generator<readonly [DateText, PeriodRow]> {
  for (const [period, row] of state.descend(periodsTable(ticker), before)) {
    yield [period as DateText, row as unknown as PeriodRow];
  }
}

/** The newest `most` periods that are complete, oldest first. */
export function newestComplete(
  state: ViewState,
  ticker: Ticker,
  most: number,
): readonly (readonly [DateText, PeriodRow])[] {
  const found: (readonly [DateText, PeriodRow])[] = [];
  if (most <= 0) return found;
  for (const each of periodsBack(state, ticker)) {
    if (isComplete(each[1])) found.push(each);
    if (found.length === most) break;
  }
  return found.reverse();
}

/** Whether a period is complete: settled, void, or history. A provisional one is not. */
export function isComplete(row: PeriodRow): boolean {
  return row.status !== 'provisional';
}

/** The newest settlement values before `period`, oldest first, from which z is computed. */
export function settlementHistory(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
  { split, window }: Pick<Baseline, 'split' | 'window'>,
): readonly bigint[] {
  return newestBefore(state, ticker, period, split, window, ({ settlement_value: value }) =>
    value === null ? undefined : BigInt(value),
  );
}

/** The commitments of the newest `most` withheld finals before `period`, oldest first. */
export function withheldFinals(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
  split: Baseline['split'],
  most: number,
): readonly HashHex[] {
  return newestBefore(state, ticker, period, split, most, ({ commitment, status }) =>
    status === 'final' && commitment !== null ? commitment : undefined,
  );
}

/** What `of` returns for the rows before `period`, going back until there are `most` results; oldest first. */
function newestBefore<T extends {}>(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
  split: Baseline['split'],
  most: number,
  of: (row: PeriodRow) => T | undefined,
): readonly T[] {
  const weekday = weekdayOf(parseDate(period));
  const found: T[] = [];
  for (const [each, row] of periodsBack(state, ticker, period)) {
    if (found.length >= most) break;
    if (split === 'weekday' && weekdayOf(parseDate(each)) !== weekday) continue;
    const value = of(row);
    if (value !== undefined) found.push(value);
  }
  return found.reverse();
}
