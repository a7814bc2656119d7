import { anchorTree, type AnchorTree } from './anchor-tree.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { formatLeafProof } from '../ots/batch.ts';
import type { AnchorRow } from '../view/anchors.ts';
import { logRow } from '../view/log.ts';
import { stampedBatch } from '../view/stamps.ts';
import type { ViewState } from '../view/view.ts';

/** Returns the tree of a batch. A server that is asked often keeps some. */
export type TreeOf = (anchor: AnchorRow) => AnchorTree;

/** Makes the tree again each time. */
export function treeMaker(state: ViewState, sha256: Sha256): TreeOf {
  return (anchor) => anchorTree(state, sha256, logRow(state)?.origin ?? '', anchor);
}

/**
 * The `.ots` file of a digest: its path to the batch's tip, then `tip`, the bytes of the timestamp
 * that the anchor names. Undefined while no batch holds the digest.
 */
export function proofFile(
  state: ViewState,
  treeOf: TreeOf,
  digest: HashHex,
  tip: Uint8Array,
): Uint8Array | undefined {
  const found = stampedBatch(state, digest);
  if (found === undefined) return undefined;
  const { digests, tree } = treeOf(found.anchor);
  const index = digests.indexOf(digest);
  if (index < 0) return undefined;
  return formatLeafProof(parseHex(digest, 32), tree.pathOf(index), tip);
}
