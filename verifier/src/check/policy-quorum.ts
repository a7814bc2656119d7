import { signedBy } from '@assay/core/round/quorum';
import { type DateText, parseDate } from '@assay/core/time/time';
import { periodRows } from '@assay/core/view/periods';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { Findings } from '../verdict/finding.ts';
import { deadlineOf, listed } from './gaps.ts';
import type { Policy } from '../verdict/policy.ts';
import type { QuorumFacts } from '../verdict/verdict.ts';

/** The operators of the policy to whom these co-signers' keys belong, each once. */
export function operatorsOf(policy: Policy, keys: readonly string[]): readonly string[] {
  const found = policy.cosigners.filter(({ key }) => keys.includes(key));
  return [...new Set(found.map(({ operator }) => operator))];
}

/** The operators of the policy who agreed with a report of a whole log as members of the report's own set. */
export function operatorsFor(
  policy: Policy,
  state: ViewState,
  { hash, report }: ReportRow,
): readonly string[] {
  const signed = signedBy(state, hash, report.cosigners);
  return operatorsOf(
    policy,
    signed.map(({ statement }) => statement.cosigner),
  );
}

/** Checks the number of a bundle against the policy's own co-signers, whatever its log asks for. */
export function checkPolicyQuorum(
  { cosigners }: QuorumFacts,
  place: string,
  policy: Policy,
  findings: Findings,
): void {
  const agreed = operatorsOf(
    policy,
    cosigners.map(({ key }) => key),
  );
  const needed = policy.cosigners_required;
  if (agreed.length >= needed) return;
  findings.add(
    'quorum_below_policy',
    place,
    needed === 1
      ? 'the agreement of 1 operator that the policy lists'
      : `agreements of ${needed} operators that the policy lists`,
    `of ${agreed.join(', ') || 'none'}`,
  );
}

/**
 * Checks each final of a log against the policy's own co-signers, whatever the log asks for. There is one finding for
 * each index, which counts all dates. A final whose round is still open at `now`, in Unix seconds, is checked too,
 * because nobody settles on it yet. A withheld level is skipped, because nobody else can count it.
 */
export function findBelowPolicy(
  state: ViewState,
  policy: Policy,
  now: number,
  findings: Findings,
): void {
  const { cosigners_required: required } = policy;
  if (required === 0) return;
  for (const ticker of tickers(state)) {
    const dates: DateText[] = [];
    let open = 0;
    for (const [period] of periodRows(state, ticker)) {
      const final = reportsOf(state, ticker, period).find(
        ({ report }) => report.status === 'final',
      );
      if (final === undefined || final.report.withheld) continue;
      if (operatorsFor(policy, state, final).length >= required) continue;
      dates.push(period);
      if (now < (deadlineOf(state, ticker, parseDate(period), now) ?? now)) open += 1;
    }
    if (dates.length === 0) continue;
    findings.add(
      'quorum_below_policy',
      ticker,
      `the agreement of ${required} operators that the policy lists with each final`,
      `${dates.length} without: ${listed(dates)}${open === 0 ? '' : `; the rounds of ${open} are still open: ask again`}`,
    );
  }
}
