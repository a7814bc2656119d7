import { type CosignerSet, parseCosignerSet, setHash } from '@assay/core/report/cosigner-set';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parseTime } from '@assay/core/time/time';
import { cosignerSets, unfitSet } from '@assay/core/view/cosigner-sets';
import { logRow } from '@assay/core/view/log';
import type { WireObject } from '@assay/core/wire/wire';
import { isTorsionFreeKey } from '@assay/verifier/ed25519/signature';
import type { Ledger } from '../ledger/ledger.ts';

/**
 * Appends a set of co-signers that is not the log's newest; whether it did. Throws `malformed` for what
 * is no set, and `bad_config` for one that may not come next: out of turn, while another waits, with
 * fewer signatures than the log promised, or with a key that is the publisher's or weak.
 */
export async function enactCosigners(
  ledger: Ledger,
  sha256: Sha256,
  given: CosignerSet,
): Promise<boolean> {
  const set = parseCosignerSet(given as unknown as WireObject, 'set');
  const newest = cosignerSets(ledger.tip).at(-1);
  if (newest?.hash === setHash(sha256, set)) return false;
  const log = logRow(ledger.tip);
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
  const unfit = unfitSet(ledger.tip, set, parseTime(ledger.nextAt), sha256);
  if (unfit !== undefined) throw refused(unfit.expected, unfit.found);
  await ledger.append([{ kind: 'cosigners/1', body: set }], ledger.nextSeq);
  return true;
}
