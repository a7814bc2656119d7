import { type CosignerSet, parseCosignerSet, setHash } from '@assay/core/report/cosigner-set';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { cosignerSets, unfitSet } from '@assay/core/view/cosigner-sets';
import { logRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import { wire } from '@assay/core/wire/wire';
import { isTorsionFreeKey } from '@assay/verifier/ed25519/signature';
import type { Ledger } from '../ledger/ledger.ts';

/**
 * Appends a set of co-signers unless it is the log's newest; returns whether it did. Throws `malformed` for an
 * invalid set, and `bad_config` for one that may not come next: with a wrong number, while another is waiting,
 * with fewer signatures than the log promised, or with a key that is weak or the publisher's.
 */
export async function enactCosigners(
  ledger: Ledger,
  sha256: Sha256,
  given: CosignerSet,
): Promise<boolean> {
  const set = parseCosignerSet(wire(given), 'set');
  const hash = setHash(sha256, set);
  const written = await ledger.write(({ views, at }) => {
    if (cosignerSets(views).at(-1)?.hash === hash) return [];
    requireFit(set, views, at, sha256);
    return [{ kind: 'cosigners/1', body: set }];
  });
  return written.length > 0;
}

/**
 * Throws `bad_config` unless a set may come next, after the rows of `views`, in an entry with the time `at`.
 */
function requireFit(set: CosignerSet, views: ViewState, at: TimeText, sha256: Sha256): void {
  const log = logRow(views);
  if (log === undefined) throw new TypeError('enactCosigners: a log without genesis');
  const refused = (expected: string, found: string): Fault =>
    new Fault('bad_config', 'co-signer set', { at: `set ${set.number}`, expected, found });
  const required = log.policies.cosigners_required;
  if (set.threshold < required) {
    throw refused(`a threshold of at least ${required}`, `${set.threshold}`);
  }
  for (const { name, key } of set.cosigners) {
    if (!isTorsionFreeKey(parseHex(key, 32))) throw refused(`a sound key of ${name}`, key);
  }
  const unfit = unfitSet(views, set, parseTime(at), sha256);
  if (unfit !== undefined) throw refused(unfit.expected, unfit.found);
}
