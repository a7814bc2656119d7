import { equalBytes } from '@assay/core/bytes/bytes';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { type ForkEvidence, forkEvidence, type ProvenGenesis } from '@assay/core/proof/evidence';
import { Fault, messageOf } from '@assay/core/fault';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import { prefixRoots } from '@assay/core/log/prefix-proof';
import { prefixProof, type ReadTile } from '../reader/tile-proofs.ts';

/** A checkpoint with a good signature by a key of the log, and tiles of its tree. */
export interface Head {
  readonly note: Uint8Array;
  readonly checkpoint: Checkpoint;
  readonly tiles: ReadTile;
}

/** A key that signed both of two heads, and entry 0 under one of them where that names the key. */
export interface BothSigner {
  readonly vkey: string;
  readonly genesis: ProvenGenesis | null;
}

/** The relation of two heads of one log. */
export type HeadComparison =
  /** Two equal trees, or a tree and its beginning. */
  | { readonly outcome: 'consistent' }
  /** Both are signed, and no log has both. Without a key that signed both, nothing proves it to others. */
  | { readonly outcome: 'fork'; readonly evidence: ForkEvidence | null }
  /** The tiles that are served for the larger head do not lead to its own signed root. */
  | { readonly outcome: 'bad_tiles'; readonly reason: string }
  /** The tiles of the larger head are missing, so nothing is known. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * Compares two heads of one log by the tiles of the larger one. Never throws because of their contents. Tiles that do not
 * lead to the larger head's own root show only that the tiles are wrong. `signerOf` gives the key that signed both, and
 * is asked only where the heads exclude each other.
 */
export async function compareHeads(
  a: Head,
  b: Head,
  signerOf: () => Promise<BothSigner | undefined>,
  sha256: Sha256,
): Promise<HeadComparison> {
  const [small, large] = a.checkpoint.size <= b.checkpoint.size ? [a, b] : [b, a];
  const { size } = small.checkpoint;
  if (size === 0) return { outcome: 'consistent' };
  try {
    const same = size === large.checkpoint.size;
    const proof = same ? null : await prefixProof(large.tiles, sha256, size, large.checkpoint.size);
    const roots =
      proof === null
        ? { old: large.checkpoint.root, new: large.checkpoint.root }
        : prefixRoots(sha256, size, large.checkpoint.size, proof);
    if (!equalBytes(roots.new, large.checkpoint.root)) {
      return { outcome: 'bad_tiles', reason: `they make ${hashHex(roots.new)}` };
    }
    if (equalBytes(roots.old, small.checkpoint.root)) return { outcome: 'consistent' };
    const of = await signerOf();
    if (of === undefined) return { outcome: 'fork', evidence: null };
    const parts = { ...of, first: small.note, second: large.note, consistency: proof };
    const evidence = forkEvidence(sha256, parts);
    if (evidence === undefined) {
      throw new Fault('bad_note', 'heads to compare', { expected: 'heads of one origin' });
    }
    return { outcome: 'fork', evidence };
  } catch (error) {
    const isWrong = error instanceof Fault && error.code === 'bad_length';
    return { outcome: isWrong ? 'bad_tiles' : 'unknown', reason: messageOf(error) };
  }
}
