import type { CosignerSet } from '@assay/core/report/cosigner-set';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { Genesis } from '@assay/core/kind/genesis';
import type { Report } from '@assay/core/report/report';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { cosignersAt, unfitSet } from '@assay/core/view/cosigner-sets';
import type { ViewState } from '@assay/core/view/view';
import type { Findings } from '../verdict/finding.ts';
import { isTorsionFreeKey } from '../ed25519/signature.ts';

/**
 * Checks that a set of co-signers may be recorded on these rows, by the rules of the log and of the program on chain.
 * It must be the next set, while no other set is waiting; it must require at least as many signatures as the policy
 * asks for; and its keys must be in the prime-order group and differ from the publisher's.
 */
export function checkCosignerSet(
  set: CosignerSet,
  at: TimeText,
  place: string,
  { policies }: Pick<Genesis, 'policies'>,
  state: ViewState,
  sha256: Sha256,
  findings: Findings,
): void {
  const add = (expected: string, found: string): void => {
    findings.add('cosigners_not_allowed', place, expected, found);
  };
  const unfit = unfitSet(state, set, parseTime(at), sha256);
  if (unfit !== undefined) add(unfit.expected, unfit.found);
  const { cosigners_required: required } = policies;
  if (set.threshold < required) {
    add(`a threshold of ${required} at least, the policy's`, `${set.threshold}`);
  }
  for (const { name, key } of set.cosigners) {
    if (!isTorsionFreeKey(parseHex(key, 32))) {
      add(`an Ed25519 key of the prime-order group for ${name}`, key);
    }
  }
}

/**
 * Checks that the set of a report was still the newest in force when the report was recorded, in entry `seq` at the
 * time `at`. Otherwise a publisher that dates a report back could choose its set, or choose none. `state` may have sets
 * of later entries.
 */
export function checkReportSet(
  { published_at: published }: Pick<Report, 'published_at'>,
  { seq, at }: { readonly seq: number; readonly at: TimeText },
  place: string,
  state: ViewState,
  findings: Findings,
): void {
  const set = cosignersAt(state, parseTime(at), seq);
  if (set === undefined || set.effective_at <= published) return;
  const { hash, effective_at: since } = set;
  const expected = `published at ${since} or later, since when the set ${hash} is in force`;
  findings.add('report_times', place, expected, `published ${published}, recorded ${at}`);
}
