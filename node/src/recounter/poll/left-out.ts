import { omissionEvidence, type OmissionEvidence, provenGenesis } from '@assay/core/proof/evidence';
import { leafHash, type Sha256, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parseGenesis } from '@assay/core/kind/genesis';
import { parseEntry } from '@assay/core/log/entry';
import { formatNoteKey, parseNoteKey } from '@assay/core/log/note';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { inclusionProof } from '../../cosign/inclusion-proof.ts';
import type { LogMirror } from '../../mirror/log-mirror.ts';
import { openSigned, saidCheckpoint } from '../../mirror/mirrored-note.ts';
import type { ReceiptProof } from './receipts.ts';

/** What is read of a copy to compare a receipt with it. */
export type CopyOfReceipts = Pick<
  LogMirror,
  'size' | 'note' | 'entry' | 'tile' | 'keyOf' | 'terms' | 'closingHead'
>;

/**
 * Evidence that a log has another entry where it gave a receipt for one; undefined if that entry is there, and
 * while the copy of the log ends before its place. It accuses no witness.
 */
export async function leftOut(
  sha256: Sha256,
  mirror: CopyOfReceipts,
  { leaf, proof: receipt }: ReceiptProof,
): Promise<OmissionEvidence | undefined> {
  const { index, checkpoint: receipted } = parseTlogProof(receipt);
  const vkey = signerOf(sha256, mirror, receipted);
  const checkpoint = await newestOf(sha256, mirror, vkey);
  const [first, entry] = [await mirror.entry(0), await mirror.entry(index)];
  if (checkpoint === undefined || first === undefined || entry === undefined) return undefined;
  const { size } = saidCheckpoint(checkpoint);
  if (index >= size) return undefined;
  const isNamed = parseGenesis(parseEntry(first).body, 'entry 0').checkpoint_vkey === vkey;
  return omissionEvidence(sha256, {
    genesis: isNamed ? provenGenesis(first, await inclusionProof(sha256, mirror, 0, size)) : null,
    vkey,
    receipt,
    receipted: toHash(parseHex(leaf, 32)),
    checkpoint,
    leaf: leafHash(sha256, entry),
    proof: await inclusionProof(sha256, mirror, index, size),
  });
}

/** The key that signed the head of a receipt, which another history than that of the copy may have: any of the log. */
function signerOf(sha256: Sha256, mirror: CopyOfReceipts, note: Uint8Array): string {
  const signed = mirror.terms.find(
    ({ vkey }) => openSigned(parseNoteKey(sha256, vkey), note) !== undefined,
  );
  if (signed !== undefined) return signed.vkey;
  const { name, publicKey } = mirror.keyOf(saidCheckpoint(note).size);
  return formatNoteKey(sha256, name, publicKey);
}

/** The newest head of a copy that the key has signed: its closing head, where it has ended. */
async function newestOf(
  sha256: Sha256,
  mirror: CopyOfReceipts,
  vkey: string,
): Promise<Uint8Array | undefined> {
  const { name, publicKey } = mirror.keyOf(mirror.size);
  if (formatNoteKey(sha256, name, publicKey) === vkey) return mirror.note;
  const ended = mirror.terms.find((each) => each.vkey === vkey);
  return ended === undefined ? undefined : mirror.closingHead(ended.number);
}
