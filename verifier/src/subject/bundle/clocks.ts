import {
  onTime,
  reportClocks,
  sightingQuorum,
  unseenClocks,
} from '@assay/core/round/period-clocks';
import { type Clocks, clocksOf, lateBounds } from '@assay/core/rule/clocks';
import { parseDate, parseTime } from '@assay/core/time/time';
import type { ReportRow } from '@assay/core/view/reports';
import type { RuleRow } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { nameLatePublication } from '../../check/moved-releases.ts';
import type { NotCheckedList, NumberFacts } from '../../verdict/verdict.ts';

/** The clocks of a bundle's report, and what they rest on. */
export interface BundleClocks {
  readonly clocks: Clocks;
  readonly from: NumberFacts['clocks'];
}

/**
 * The clocks of a bundle's report, by the entries that the bundle has. A rule may give a late number clocks of its own.
 * Where the bundle has no entries that decide it, a final is checked against the scheduled clocks, by which no late
 * read counts, and any other report against those of a number that nobody has seen. The verdict must then say so.
 */
export function bundleClocks(
  state: ViewState,
  version: Pick<RuleRow, 'rule' | 'hash'>,
  row: Pick<ReportRow, 'seq' | 'report'>,
): BundleClocks {
  const period = parseDate(row.report.period);
  const scheduled = clocksOf(version.rule, period);
  const bounds = lateBounds(version.rule, period);
  if (bounds === undefined || parseTime(row.report.published_at) <= scheduled.firstPrint) {
    return { clocks: scheduled, from: 'scheduled' };
  }
  const isShown =
    onTime(state, version, period, row.seq) !== undefined ||
    sightingQuorum(state, version, period, row.seq) !== undefined;
  if (isShown) {
    const clocks = reportClocks(state, version, row);
    return { clocks, from: clocks.seen === null ? 'scheduled' : 'from_publication' };
  }
  const { status } = row.report;
  const isPrinted = status === 'final' || status === 'corrected';
  return { clocks: isPrinted ? scheduled : unseenClocks(scheduled, bounds), from: 'not_shown' };
}

/** Names what a bundle does not show about the clocks that its report was checked against. */
export function nameBundleClocks(
  { clocks, from }: BundleClocks,
  version: Pick<RuleRow, 'rule'>,
  { report }: Pick<ReportRow, 'report'>,
  notChecked: NotCheckedList,
): void {
  const { seen, release } = clocks;
  const { ticker, period } = report;
  if (seen !== null) {
    nameLatePublication(version, parseDate(period), { seen, release }, notChecked);
    notChecked.add(
      'calendar',
      `that the statements by which ${ticker} of ${period} was seen published are the first of the log`,
      'the whole log shows them in their order; verify the URL or the folder for them',
      'whole_log',
    );
  }
  if (from !== 'not_shown') return;
  notChecked.add(
    'calendar',
    `whether the clocks of ${ticker} of ${period} run from a late publication`,
    'the bundle has none of the entries that decide it',
    'whole_log',
  );
}
