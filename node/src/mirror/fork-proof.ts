import { equalBytes } from '@assay/core/bytes/bytes';
import {
  forkEvidence,
  type ForkEvidence,
  provenGenesis,
  type ProvenGenesis,
} from '@assay/core/proof/evidence';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { parseGenesis } from '@assay/core/kind/genesis';
import { parseEntry } from '@assay/core/log/entry';
import { prefixRanges } from '@assay/core/log/prefix-proof';
import { inclusionRanges, type LeafRange } from '@assay/core/log/tree';
import { rangeHash, type TileHashes } from '../ledger/tree-reader.ts';
import type { MirroredNote } from './mirrored-note.ts';

/** The part of what a mirror has stored that a proof needs. */
export interface StoredTree {
  readonly size: number;
  readonly hashes: TileHashes;
  readonly entry: (seq: number) => Promise<Uint8Array | undefined>;
}

/**
 * Evidence that `head`, which is not larger than an accepted one, has another history; undefined if it has the
 * same, or if what is stored does not prove otherwise.
 */
export async function olderFork(
  sha256: Sha256,
  vkey: string,
  stored: StoredTree,
  head: MirroredNote,
  seen: MirroredNote,
): Promise<ForkEvidence | undefined> {
  const { size, root } = head.checkpoint;
  const same = size === seen.checkpoint.size;
  let consistency: readonly Hash[] | null = null;
  if (same) {
    if (equalBytes(root, seen.checkpoint.root)) return undefined;
  } else {
    // A proof under that head needs its whole tree.
    if (size === 0 || stored.size < seen.checkpoint.size) return undefined;
    const own = await rangeHash(sha256, stored.hashes, { start: 0, end: size });
    if (equalBytes(root, own)) return undefined;
    consistency = await hashesOf(sha256, stored.hashes, prefixRanges(size, seen.checkpoint.size));
  }
  const genesis = await storedGenesis(sha256, vkey, stored, seen);
  return forkEvidence(sha256, {
    genesis,
    vkey,
    first: head.bytes,
    second: seen.bytes,
    consistency,
  });
}

/**
 * Evidence that `head` does not extend the accepted one, which is smaller, from the checked tiles of `head`;
 * undefined if it does.
 */
export async function extensionFork(
  sha256: Sha256,
  vkey: string,
  stored: StoredTree,
  seen: MirroredNote,
  head: MirroredNote,
  tiles: TileHashes,
): Promise<ForkEvidence | undefined> {
  const { size, root } = seen.checkpoint;
  const found = await rangeHash(sha256, tiles, { start: 0, end: size });
  if (equalBytes(found, root)) return undefined;
  const ranges = prefixRanges(size, head.checkpoint.size);
  const consistency = await hashesOf(sha256, tiles, ranges);
  const genesis = await storedGenesis(sha256, vkey, stored, seen);
  return forkEvidence(sha256, {
    genesis,
    vkey,
    first: seen.bytes,
    second: head.bytes,
    consistency,
  });
}

/** Entry 0 of an accepted tree; null if that tree is incomplete here, and if the entry names another key than `vkey`. */
async function storedGenesis(
  sha256: Sha256,
  vkey: string,
  stored: StoredTree,
  seen: MirroredNote,
): Promise<ProvenGenesis | null> {
  const { size } = seen.checkpoint;
  const entry = size > 0 && stored.size >= size ? await stored.entry(0) : undefined;
  if (entry === undefined) return null;
  if (parseGenesis(parseEntry(entry).body, 'entry 0').checkpoint_vkey !== vkey) return null;
  const ranges = inclusionRanges(0, size);
  return provenGenesis(entry, await hashesOf(sha256, stored.hashes, ranges));
}

async function hashesOf(
  sha256: Sha256,
  tiles: TileHashes,
  ranges: readonly LeafRange[],
): Promise<readonly Hash[]> {
  const hashes: Hash[] = [];
  for (const range of ranges) hashes.push(await rangeHash(sha256, tiles, range));
  return hashes;
}
