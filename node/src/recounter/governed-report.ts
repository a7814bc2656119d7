import { Fault } from '@assay/core/fault';
import type { Report } from '@assay/core/report';
import { governingRule, recordedTooLate } from '@assay/core/rule/governing';
import type { ViewState } from '@assay/core/view/view';

/**
 * Throws `refused` for a report under a version of its rule that does not govern its period, or that was recorded when a
 * number that it covers could be known already: the publisher's log has it, and no honest one would.
 */
export function requireGoverned(state: ViewState, { ticker, period, rule }: Report): void {
  const governing = governingRule(state, ticker, period);
  const late = recordedTooLate(state, ticker, rule.hash);
  const refuse = (expected: string, found: string): Fault =>
    new Fault('refused', 'co-signer', { at: 'report.rule', expected, found });
  if (governing?.hash !== rule.hash) {
    const expected = `the version that governs ${period}, ${governing?.rule.version ?? 'none'}`;
    throw refuse(expected, `version ${rule.version}`);
  }
  if (late !== undefined) {
    throw refuse('a version recorded before the release of all of its periods', late);
  }
}
