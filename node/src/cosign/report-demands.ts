import { Fault } from '@assay/core/fault';
import type { Report } from '@assay/core/report/report';
import { isWithheld, type Rule } from '@assay/core/rule/rule';
import type { ReportRow } from '@assay/core/view/reports';

/**
 * Throws `refused` for a report that its rule, or the reports of its period before it, do not allow, whatever
 * the sources show: a status out of order, an issue that is not the next one, or a print that claims more than
 * the rule gives.
 */
export function requireReport(report: Report, rule: Rule, before: readonly ReportRow[]): void {
  const { status, issue, supersedes, decimals, withheld, settleable } = report;
  const last = before.at(-1);
  const statuses = new Set(before.map((row) => row.report.status));
  const settled = statuses.has('final') || statuses.has('void');
  const corrected = before.filter((row) => row.report.status === 'corrected').length;
  const issues = { provisional: before.length, final: 0, void: 0, corrected: corrected + 1 };
  const named = rule.providers.map(({ id, role, retain }) => `${id} ${role} ${retain}`).join();
  const read = report.reads.map(({ provider, role, retain }) => `${provider} ${role} ${retain}`);
  const demands: readonly (readonly [boolean, string, string, string])[] = [
    [report.ticker === rule.ticker, 'ticker', rule.ticker, report.ticker],
    [report.rule.version === rule.version, 'rule', `${rule.version}`, `${report.rule.version}`],
    [decimals === rule.decimals, 'decimals', `${rule.decimals}`, `${decimals}`],
    [report.grade === rule.grade, 'grade', rule.grade, report.grade],
    [withheld === isWithheld(rule), 'withheld', `${isWithheld(rule)}`, `${withheld}`],
    [
      settleable === (status === 'final' && rule.rights.settlement === 'yes'),
      'settleable',
      'as the rule grants it to a final',
      `${settleable}`,
    ],
    [read.join() === named, 'reads', named, read.join()],
    [
      status === 'corrected' ? statuses.has('final') : !settled,
      'status',
      status === 'corrected' ? 'a final before it' : 'nothing settled before it',
      status,
    ],
    [issue === issues[status], 'issue', `${issues[status]}`, `${issue}`],
    [supersedes === (last?.hash ?? null), 'supersedes', `${last?.hash}`, `${supersedes}`],
  ];
  for (const [holds, at, expected, found] of demands) {
    if (!holds) throw new Fault('refused', 'report', { at: `report.${at}`, expected, found });
  }
}
