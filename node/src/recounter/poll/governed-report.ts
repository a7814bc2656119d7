import { Fault } from '@assay/core/fault';
import { onTime, sightingQuorum } from '@assay/core/round/period-clocks';
import { clocksOf } from '@assay/core/rule/clocks';
import { type GoverningRule, governingRule, recordedTooLate } from '@assay/core/round/governing';
import { parseDate, parseTime } from '@assay/core/time/time';
import type { ReportRow } from '@assay/core/view/reports';
import type { ViewState } from '@assay/core/view/view';
import { loggedStatement } from './logged-statement.ts';

/**
 * Throws `refused` for a report under a version of its rule that does not govern its period, or that was
 * recorded when a number that it covers could be known already: the publisher's log has it, but no honest one
 * would. It also throws if the clocks of the report depend on a statement that its co-signer did not sign.
 */
export function requireGoverned(state: ViewState, row: ReportRow): void {
  const { ticker, period, rule } = row.report;
  const governing = governingRule(state, ticker, period);
  const late = recordedTooLate(state, ticker, rule.hash);
  if (governing?.hash !== rule.hash) {
    const expected = `the version that governs ${period}, ${governing?.rule.version ?? 'none'}`;
    throw refused('report.rule', expected, `version ${rule.version}`);
  }
  if (late !== undefined) {
    throw refused(
      'report.rule',
      'a version recorded before the release of all of its periods',
      late,
    );
  }
  requireSighted(state, governing, row);
}

function requireSighted(
  state: ViewState,
  version: GoverningRule,
  { seq, report }: ReportRow,
): void {
  const period = parseDate(report.period);
  const scheduled = clocksOf(version.rule, period);
  if (parseTime(report.published_at) <= scheduled.firstPrint) return;
  if (onTime(state, version, period, seq) !== undefined) return;
  for (const sighting of sightingQuorum(state, version, period, seq) ?? []) {
    if (loggedStatement(state, sighting.report, sighting.cosigner) !== 'forged') continue;
    const expected = `a statement that ${sighting.cosigner} signed`;
    throw refused('report.clocks', expected, `entry ${sighting.seq}, which it did not sign`);
  }
}

function refused(at: string, expected: string, found: string): Fault {
  return new Fault('refused', 'co-signer', { at, expected, found });
}
