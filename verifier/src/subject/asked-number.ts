import type { Report } from '@assay/core/report/report';
import { isNamed, type Rule } from '@assay/core/rule/rule';
import type { Findings } from '../verdict/finding.ts';

/** The number to settle on. */
export interface AskedNumber {
  /** A ticker, in any letter case. Where absent, any index, which only a bundle can answer. */
  readonly index?: string | undefined;
  /** YYYY-MM-DD. Where absent, any period of a bundle, or the newest of a whole log that is over. */
  readonly period?: string | undefined;
}

/** Checks that a bundle is about the number that was asked for. A valid bundle about another number answers nothing. */
export function checkAsked(
  { index, period }: AskedNumber,
  report: Report,
  rule: Rule,
  findings: Findings,
): void {
  const same =
    (index === undefined || isNamed(rule, index)) &&
    (period === undefined || period === report.period);
  if (same) return;
  const expected = `${index ?? 'any index'}, ${period ?? 'any period'}`;
  findings.add('bundle_other', 'bundle', expected, `${rule.display}, ${report.period}`);
}
