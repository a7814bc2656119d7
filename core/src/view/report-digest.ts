import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { ReportEntry } from '../kind/report-entry.ts';
import { reportHash } from '../report/report.ts';

/** By the entry's body, which nobody changes, because several views ask for the same entry. */
const digests = new WeakMap<ReportEntry, HashHex>();

/** The hash of the report in an entry, computed once for all views. It is most of the cost of folding the entry. */
export function reportDigest(sha256: Sha256, body: ReportEntry): HashHex {
  const known = digests.get(body);
  if (known !== undefined) return known;
  const digest = reportHash(sha256, body.report);
  digests.set(body, digest);
  return digest;
}
