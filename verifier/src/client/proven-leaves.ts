import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { parseHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import { rootOf, verifyInclusion } from '@assay/core/log/tree';
import { inclusionProof, type ReadTile } from '../reader/tile-proofs.ts';

interface ProvenTile {
  readonly index: number;
  readonly size: number;
  readonly root: Hash;
  readonly leaves: readonly Hash[];
}

/**
 * The leaves of a signed tree, a tile at a time: one inclusion proof leads from the root of a tile to that of the tree,
 * and shows all leaves of the tile. Whoever reads the log in order checks one proof for 256 entries, and not one for
 * each. The tree above the tiles is one of RFC 6962 itself, because 256 is a power of two.
 */
export class ProvenLeaves {
  readonly #tiles: ReadTile;
  readonly #sha256: Sha256;
  #last: ProvenTile | undefined;

  constructor(tiles: ReadTile, sha256: Sha256) {
    this.#tiles = tiles;
    this.#sha256 = sha256;
  }

  /** Throws `bad_proof` unless this is leaf `seq` of the tree, `out_of_range` behind its end, and as the tiles do. */
  async check(leaf: Hash, seq: number, { size, root }: Checkpoint): Promise<void> {
    if (seq >= size) {
      throw new Fault('out_of_range', 'entry', { expected: `below ${size}`, found: `${seq}` });
    }
    const index = Math.floor(seq / TILE_WIDTH);
    const last = this.#last;
    const isLast = last?.index === index && last.size === size && equalBytes(last.root, root);
    const tile = isLast ? last : await this.#proven(index, size, root);
    this.#last = tile;
    const found = tile.leaves[seq - index * TILE_WIDTH];
    if (found !== undefined && equalBytes(found, leaf)) return;
    throw new Fault('bad_proof', 'inclusion proof', {
      expected: `leaf ${seq} of the tree of ${size}`,
      found: 'another entry',
    });
  }

  async #proven(index: number, size: number, root: Hash): Promise<ProvenTile> {
    const sha256 = this.#sha256;
    const first = index * TILE_WIDTH;
    const width = Math.min(TILE_WIDTH, size - first);
    const leaves = parseHashTile(await this.#tiles({ level: 0, index, width }), width);
    // The proof of the first leaf begins with the steps inside the tile.
    const inside = Math.ceil(Math.log2(width));
    const proof = (await inclusionProof(this.#tiles, sha256, first, size)).slice(inside);
    const count = Math.ceil(size / TILE_WIDTH);
    verifyInclusion(sha256, rootOf(sha256, leaves), index, count, proof, root);
    return { index, size, root, leaves };
  }
}
