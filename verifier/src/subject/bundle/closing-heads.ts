import { equalBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { faultCode } from '@assay/core/fault';
import { type Hash, type HashHex, type Sha256, toHash } from '@assay/core/hash/hash';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { prefixRoots } from '@assay/core/log/prefix-proof';
import type { Bundle } from '@assay/core/proof/bundle';
import type { ClosingHead } from '../../trust/closing-head.ts';

/**
 * The closing heads of a bundle, by the numbers of their keys, each with the root that its proof shows the tree of
 * `checkpoint` to begin with. One whose proof shows none has no root, which is a finding where it is checked.
 */
export function closingHeadsOf(
  { closing_heads: heads = [] }: Pick<Bundle, 'closing_heads'>,
  checkpoint: Checkpoint,
  sha256: Sha256,
): ReadonlyMap<number, ClosingHead> {
  return new Map(
    heads.map(({ number, note, proof }) => {
      const bytes = formatUtf8(note);
      return [number, { note: bytes, root: shownRoot(bytes, proof, checkpoint, sha256) }];
    }),
  );
}

/** The root that the tree of a checkpoint has at the size of a smaller one; undefined where that is not shown. */
function shownRoot(
  note: Uint8Array,
  proof: readonly HashHex[],
  { size, root }: Checkpoint,
  sha256: Sha256,
): Hash | undefined {
  try {
    const before = parseCheckpoint(parseNote(note).text).size;
    if (before === size) return root;
    const hashes = proof.map((each) => toHash(parseHex(each, 32)));
    const roots = prefixRoots(sha256, before, size, hashes);
    return equalBytes(roots.new, root) ? roots.old : undefined;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
