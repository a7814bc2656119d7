import type { HashHex } from '../hash/hash.ts';
import type { Ticker } from '../rule/ticker.ts';
import type { DateText } from '../time/time.ts';
import { newestComplete, type PeriodRow } from '../view/periods.ts';
import { reportsOf } from '../view/reports.ts';
import type { ViewState } from '../view/view.ts';
import { signedBy } from '../round/quorum.ts';
import { currentRule } from './index.ts';
import { decimalText, periodPayload, provenReport, type Unsettled } from './period.ts';

/** Whether money may settle on a period, and on what. */
export interface SettlementStatus {
  readonly period: DateText;
  readonly status: 'provisional' | 'final' | 'corrected' | 'void' | 'history';
  /** The number as printed, exact; for history the source's newest figure. Null when void or withheld. */
  readonly value: string | null;
  /** The number as first published and final, exact; null where there is none, or its level is withheld. */
  readonly settlement_value: string | null;
  /** Money may settle on `settlement_value` now. */
  readonly settleable: boolean;
  /** Why not; null where it may. */
  readonly unsettled: Unsettled | null;
  readonly withheld: boolean;
  /** How many co-signers the first final needs, and how many have signed it; null while there is none. */
  readonly required: number | null;
  readonly have: number | null;
  /** The first final; the newest report where there is none; null for a period without a report. */
  readonly report_hash: HashHex | null;
  /** The entry that holds it. */
  readonly seq: number | null;
  /** The keys of those who have signed it, in the order of the log. */
  readonly cosigners: readonly string[];
}

export function settlementStatus(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
  row: PeriodRow,
): SettlementStatus {
  const { status, settleable, quorum, withheld } = periodPayload(state, period, row);
  const hash = provenReport(row);
  const held = reportsOf(state, ticker, period).find((each) => each.hash === hash);
  const { final_report: final, cosigners } = row;
  const signed = final === null || cosigners === null ? [] : signedBy(state, final, cosigners);
  return {
    period,
    status,
    value: decimalText(row.value, row.decimals),
    settlement_value: decimalText(row.settlement_value, row.decimals),
    settleable,
    unsettled: settleable ? null : unsettledBy(row),
    withheld,
    required: quorum?.required ?? null,
    have: quorum?.have ?? null,
    report_hash: hash,
    seq: held?.seq ?? null,
    cosigners: signed.map(({ statement }) => statement.cosigner),
  };
}

/** Why a period that is not settleable is not. */
function unsettledBy({ basis, status, final_report, withheld, settleable }: PeriodRow): Unsettled {
  if (basis === 'history') return 'history';
  if (final_report === null) return status === 'void' ? 'void' : 'provisional';
  if (withheld) return 'withheld';
  return settleable ? 'quorum' : 'terms';
}

const COLUMNS: readonly (readonly [
  string,
  (of: SettlementStatus) => string | number | boolean | null,
])[] = [
  ['period', (of) => of.period],
  ['status', (of) => of.status],
  ['settlement_value', (of) => of.settlement_value],
  ['settleable', (of) => of.settleable],
  ['unsettled', (of) => of.unsettled],
  ['withheld', (of) => of.withheld],
  ['required', (of) => of.required],
  ['have', (of) => of.have],
  ['report_hash', (of) => of.report_hash],
  ['seq', (of) => of.seq],
  ['cosigners', (of) => of.cosigners.join(';')],
];

/**
 * The settlement status of every complete period of an index, oldest first: the rows of `history.csv`, which has no such
 * columns. No field needs quotes; an absent value is empty, and the keys in `cosigners` stand between semicolons.
 */
export function settlementCsv(state: ViewState, ticker: Ticker): string {
  const { display } = currentRule(state, ticker).rule;
  const lines = [['ticker', ...COLUMNS.map(([name]) => name)].join(',')];
  for (const [period, row] of newestComplete(state, ticker, Number.POSITIVE_INFINITY)) {
    const status = settlementStatus(state, ticker, period, row);
    const fields = COLUMNS.map(([, of]) => String(of(status) ?? ''));
    lines.push([display, ...fields].join(','));
  }
  return `${lines.join('\n')}\n`;
}
