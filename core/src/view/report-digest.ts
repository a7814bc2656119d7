import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { ReportEntry } from '../kind/report-entry.ts';
import { reportHash } from '../report/report.ts';

/** By the entry's body, which nobody changes: several views ask for one entry in turn. */
const digests = new WeakMap<ReportEntry, HashHex>();

/** The hash of the report in an entry, made once for all views: most of what folding it costs. */
export function reportDigest(sha256: Sha256, body: ReportEntry): HashHex {
  const known = digests.get(body);
  if (known !== undefined) return known;
  const digest = reportHash(sha256, body.report);
  digests.set(body, digest);
  return digest;
}
