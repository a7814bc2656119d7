import { signedBy } from '@assay/core/quorum';
import type { DateText } from '@assay/core/time';
import { periodsBack } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { Findings } from './finding.ts';
import type { Policy } from './policy.ts';
import type { NotCheckedList, QuorumFacts } from './verdict.ts';

/** Dates that a verdict lists of each index. */
const MAX_SHOWN = 5;

/** The operators of the policy among these co-signers' keys, each once. */
export function operatorsOf(policy: Policy, keys: readonly string[]): readonly string[] {
  const found = policy.cosigners.filter(({ key }) => keys.includes(key));
  return [...new Set(found.map(({ operator }) => operator))];
}

/** Holds the number of a bundle to the policy's own co-signers, whatever its log asks for. */
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
  if (agreed.length >= policy.cosigners_required) return;
  findings.add(
    'quorum_below_policy',
    place,
    `agreements of ${policy.cosigners_required} operators that the policy lists`,
    `of ${agreed.join(', ') || 'none'}`,
  );
}

/** Names the finals of a log that fewer of the policy's co-signers agree with than it requires. */
export function nameBelowPolicy(
  state: ViewState,
  policy: Policy,
  notChecked: NotCheckedList,
): void {
  const { cosigners_required: required } = policy;
  if (required === 0) return;
  for (const ticker of tickers(state)) {
    const dates: DateText[] = [];
    for (const [period] of periodsBack(state, ticker)) {
      const final = reportsOf(state, ticker, period).find(
        ({ report }) => report.status === 'final',
      );
      if (final === undefined) continue;
      const signed = signedBy(state, final.hash, final.report.cosigners);
      const keys = signed.map(({ statement }) => statement.cosigner);
      if (operatorsOf(policy, keys).length < required) dates.push(period);
    }
    if (dates.length === 0) continue;
    const shown = dates.slice(0, MAX_SHOWN).join(', ');
    const more = dates.length > MAX_SHOWN ? ` and ${dates.length - MAX_SHOWN} more` : '';
    notChecked.add(
      'quorum',
      `quorum below the policy: ${ticker} of ${shown}${more}, ${dates.length} in all, final without the agreement of ${required} operators that the policy lists`,
      'do not settle on them under this policy',
    );
  }
}
