import { currentRule } from '@assay/core/answer/index';
import { reportClocks } from '@assay/core/round/period-clocks';
import { formatScaled } from '@assay/core/number/rational';
import { notPeriodText } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatDate, isDate, parseDate, toDate } from '@assay/core/time/time';
import { isComplete, periodsBack } from '@assay/core/view/periods';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { AskedNumber } from './asked-number.ts';
import { quorumFacts } from './bundle/recount.ts';
import type { Findings } from '../verdict/finding.ts';
import { newestDue } from '../check/gaps.ts';
import type { Policy } from '../verdict/policy.ts';
import { operatorsFor } from '../check/policy-quorum.ts';
import type { NumberFacts } from '../verdict/verdict.ts';

/** A whole log that was followed, and what it is checked against. */
export interface NumberedLog {
  readonly state: ViewState;
  /** The time up to which it must have what is due, in Unix seconds. */
  readonly now: number;
  readonly policy: Policy;
  readonly findings: Findings;
}

/**
 * The number of a whole log that somebody settles on: a final that its rule lets settle, with the co-signatures that
 * the log and the policy require. Anything else is a finding, `number_unsettled`. Without a period, it is the number of
 * the newest period that is over: one with a final or a void, or past its deadline.
 */
export function checkLogNumber(asked: AskedNumber, log: NumberedLog): NumberFacts | undefined {
  const { state, findings } = log;
  const place = `${asked.index ?? 'any index'}, ${asked.period ?? 'the newest period'}`;
  const expected = 'a final on which a contract settles, with the co-signatures of log and policy';
  const fail = (found: string): undefined => {
    findings.add('number_unsettled', place, expected, found);
    return undefined;
  };
  const number = askedPeriod(asked, log);
  if (typeof number === 'string') return fail(number);
  const { ticker, period: wanted } = number;
  const rows = reportsOf(state, ticker, wanted);
  const row = rows.find(({ report: { status } }) => status === 'final' || status === 'void');
  if (row === undefined) {
    return fail(rows.length === 0 ? noReport(state, ticker, wanted) : `${wanted}: provisional`);
  }
  const facts = numberFacts(row, rows, log);
  const fault = faultOf(facts);
  return fault === undefined ? facts : fail(`${wanted}: ${fault}`);
}

/** That there is no report of a period, or no such period. */
function noReport(state: ViewState, ticker: Ticker, wanted: DateText): string {
  const { rule } = currentRule(state, ticker);
  return notPeriodText(rule.period, parseDate(wanted), rule.display) ?? `${wanted}: no report`;
}

/** Which period of which index was asked for, or a text that says why none was. */
export function askedPeriod(
  { index, period }: AskedNumber,
  log: Pick<NumberedLog, 'state' | 'now'>,
): { readonly ticker: Ticker; readonly period: DateText } | string {
  if (index === undefined) return 'no index was named, and a whole log has many';
  const ticker = tickers(log.state).find((each) => each === index.toUpperCase());
  if (ticker === undefined) return 'no index with this ticker';
  if (period !== undefined && !isDate(period)) return 'a period that is no date';
  const wanted = period === undefined ? newestOver(log, ticker) : toDate(period);
  return wanted === undefined ? 'no period that is over' : { ticker, period: wanted };
}

/** Why a number cannot be settled on; undefined where it can. */
function faultOf({ status, reason, settleable, quorum, policy }: NumberFacts): string | undefined {
  if (status !== 'final') return `${status} (${reason})`;
  if (!settleable) return 'a final that its rule lets nobody settle on';
  const { have, required } = quorum;
  if (have < required) return `a final with ${have} of ${required} co-signatures`;
  const { operators } = policy;
  if (operators.length >= policy.required) return undefined;
  return `a final with which ${operators.length} of the ${policy.required} operators of the policy agreed`;
}

/** The newest period with a final or a void, or past its deadline at `now`. */
function newestOver(
  { state, now }: Pick<NumberedLog, 'state' | 'now'>,
  ticker: Ticker,
): DateText | undefined {
  let newest = newestDue(state, ticker, now);
  for (const [period, row] of periodsBack(state, ticker)) {
    if (row.basis !== 'print' || !isComplete(row)) continue;
    const days = parseDate(period);
    if (newest === undefined || days > newest) newest = days;
    break;
  }
  return newest === undefined ? undefined : formatDate(newest);
}

function numberFacts(
  row: ReportRow,
  rows: readonly ReportRow[],
  { state, policy }: NumberedLog,
): NumberFacts {
  const { report, hash } = row;
  const { have, required, ...quorum } = quorumFacts(state, row);
  const rule = ruleVersions(state, report.ticker).find((each) => each.hash === report.rule.hash);
  const operators = operatorsFor(policy, state, row);
  return {
    ticker: rule?.rule.display ?? report.ticker,
    period: report.period,
    status: report.status,
    reason: report.reason,
    value: report.value === null ? null : formatScaled(BigInt(report.value), report.decimals),
    unit: rule?.rule.unit ?? '',
    settleable: report.settleable,
    versions: ruleVersions(state, report.ticker).length,
    governs: 'log',
    first_print: 'log',
    clocks:
      rule === undefined || reportClocks(state, rule, row).seen === null
        ? 'scheduled'
        : 'from_publication',
    settled: report.status === 'final' && report.settleable && have >= required,
    rests_on:
      policy.cosigners_required > 0
        ? 'policy'
        : report.cosigners.set === null
          ? 'publisher'
          : 'log',
    policy: { required: policy.cosigners_required, operators },
    report_hash: hash,
    rule_hash: report.rule.hash,
    published_at: report.published_at,
    quorum: { have, required, ...quorum },
    account: null,
    index: null,
    corrections: rows.filter(({ report: { status } }) => status === 'corrected').length,
  };
}
