import type { HashHex } from '../hash/hash.ts';
import type { Report } from '../report/report.ts';
import type { TimeText } from '../time/time.ts';
import { type CosignRow, cosignsOf } from '../view/cosigns.ts';
import { setByHash } from '../view/cosigner-sets.ts';
import type { ReportRow } from '../view/reports.ts';
import type { ViewState } from '../view/view.ts';

/** How many of a report's co-signers have signed its print. */
export interface Quorum {
  readonly required: number;
  readonly have: number;
  /** The time that the entry of the last needed signature claims; null until then. */
  readonly reached_at: TimeText | null;
}

/** The quorum of a report: distinct keys of the set that it names. */
export function quorumOf(state: ViewState, { hash, report }: ReportRow): Quorum {
  const { required } = report.cosigners;
  const signed = signedBy(state, hash, report.cosigners);
  const last = required === 0 ? report.published_at : (signed[required - 1]?.at ?? null);
  return { required, have: signed.length, reached_at: last };
}

/** The agreements of a report's own co-signers with it, oldest first; none where it names no set. */
export function signedBy(
  state: ViewState,
  report: HashHex,
  { set }: Report['cosigners'],
): readonly CosignRow[] {
  const members = set === null ? undefined : setByHash(state, set)?.cosigners;
  if (members === undefined) return [];
  return cosignsOf(state, report).filter(({ statement }) =>
    members.some(({ key }) => key === statement.cosigner),
  );
}
