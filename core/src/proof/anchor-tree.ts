import { parseHex } from '../bytes/hex.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { Anchor } from '../kind/anchor.ts';
import { type BatchTree, batchTree, nonceOf } from '../ots/batch.ts';
import { checkpointDigest } from '../view/stamp.ts';
import { stampsBetween } from '../view/stamps.ts';
import type { ViewState } from '../view/view.ts';

/** The members of an anchor that determine its leaves. */
export type Batch = Pick<Anchor, 'from' | 'to' | 'root' | 'salt'>;

/** A batch's tree with the digest of each of its leaves. */
export interface AnchorTree {
  readonly digests: readonly HashHex[];
  readonly tree: BatchTree;
}

/**
 * The tree of a batch, from the rows of the log: the checkpoint of its size first, then each stamped
 * record in the order of the log, each with its nonce.
 */
export function anchorTree(
  state: ViewState,
  sha256: Sha256,
  origin: string,
  { from, to, root, salt }: Batch,
): AnchorTree {
  const digests = [checkpointDigest(sha256, origin, to, root), ...stampsBetween(state, from, to)];
  const bytes = parseHex(salt, 32);
  const leaves = digests.map((digest, i) => ({
    digest: parseHex(digest, 32),
    nonce: nonceOf(sha256, bytes, i),
  }));
  return { digests, tree: batchTree(sha256, leaves) };
}
