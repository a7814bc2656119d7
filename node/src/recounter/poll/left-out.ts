import { omissionEvidence, type OmissionEvidence, provenGenesis } from '@assay/core/proof/evidence';
import { leafHash, type Sha256, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { formatNoteKey, type NoteKey } from '@assay/core/log/note';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { inclusionProof } from '../../cosign/inclusion-proof.ts';
import type { LogMirror } from '../../mirror/log-mirror.ts';
import type { ReceiptProof } from './receipts.ts';

/**
 * Evidence that a log has another entry where it gave a receipt for one; undefined if that entry is there, and
 * while the copy of the log ends before its place. It accuses no witness.
 */
export async function leftOut(
  sha256: Sha256,
  key: NoteKey,
  mirror: Pick<LogMirror, 'size' | 'note' | 'entry' | 'tile'>,
  { leaf, proof: receipt }: ReceiptProof,
): Promise<OmissionEvidence | undefined> {
  const { index } = parseTlogProof(receipt);
  const { size, note: checkpoint } = mirror;
  const [first, entry] = [await mirror.entry(0), await mirror.entry(index)];
  if (checkpoint === undefined || first === undefined || entry === undefined) return undefined;
  return omissionEvidence(sha256, {
    genesis: provenGenesis(first, await inclusionProof(sha256, mirror, 0, size)),
    vkey: formatNoteKey(sha256, key.name, key.publicKey),
    receipt,
    receipted: toHash(parseHex(leaf, 32)),
    checkpoint,
    leaf: leafHash(sha256, entry),
    proof: await inclusionProof(sha256, mirror, index, size),
  });
}
