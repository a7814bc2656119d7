import { parseReport, type Report } from '../report/report.ts';
import { hex, object, type Parse } from '../wire/schema.ts';

/** A report and the publisher's signature over its print message. */
export interface ReportEntry {
  readonly report: Report;
  /** Ed25519 over the 128 bytes of `printOf(report)`, hex. */
  readonly signature: string;
}

export const parseReportEntry: Parse<ReportEntry> = object<ReportEntry>({
  report: parseReport,
  signature: hex(64),
});
