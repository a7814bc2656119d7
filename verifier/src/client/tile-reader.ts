import { formatBase64 } from '@assay/core/bytes/base64';
import type { ProvenEntry } from '@assay/core/proof/bundle';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import {
  formatTilePath,
  levelLength,
  parseEntryBundle,
  parseHashTile,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import {
  foldRight,
  inclusionRanges,
  rangeNodes,
  rootOf,
  type TreeNode,
} from '@assay/core/log/tree';
import { prefixProof, type ReadTile } from '../reader/tile-proofs.ts';
import type { LogReader } from '../reader/log-reader.ts';
import { bodyOf } from './log-answer.ts';

const TILE_HEIGHT = 8;

/** Entries and inclusion proofs of a tree of one size, from its tiles. */
export class TileReader {
  readonly #reader: LogReader;
  readonly #size: number;
  readonly #sha256: Sha256;

  constructor(reader: LogReader, size: number, sha256: Sha256) {
    this.#reader = reader;
    this.#size = size;
    this.#sha256 = sha256;
  }

  async entry(seq: number): Promise<Entry> {
    return parseEntry(await this.#bytes(seq));
  }

  async #bytes(seq: number): Promise<Uint8Array> {
    const index = Math.floor(seq / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, this.#size - index * TILE_WIDTH);
    const path = formatTilePath({ level: 'entries', index, width });
    const entries = parseEntryBundle(await bodyOf(this.#reader, `/${path}`), width);
    const bytes = entries[seq - index * TILE_WIDTH];
    if (bytes === undefined || parseEntry(bytes).seq !== seq) {
      throw new Fault('not_found', 'entry', { expected: `entry ${seq}` });
    }
    return bytes;
  }

  async proven(seq: number): Promise<ProvenEntry> {
    const bytes = await this.#bytes(seq);
    return { seq, bytes: formatBase64(bytes), proof: await this.inclusion(seq, this.#size) };
  }

  /** What leads from the root of the log's first `size` entries to its own, as `prefixRoots` takes it. */
  async prefix(size: number): Promise<readonly HashHex[]> {
    const tiles: ReadTile = (tile) => bodyOf(this.#reader, `/${formatTilePath(tile)}`);
    return (await prefixProof(tiles, this.#sha256, size, this.#size)).map(hashHex);
  }

  /** The proof from an entry to the root of the log's first `size` entries. */
  async inclusion(seq: number, size: number): Promise<readonly HashHex[]> {
    const proof: HashHex[] = [];
    for (const range of inclusionRanges(seq, size)) {
      const hashes: Hash[] = [];
      for (const node of rangeNodes(range)) hashes.push(await this.#node(node));
      proof.push(hashHex(foldRight(this.#sha256, hashes)));
    }
    return proof;
  }

  async #node(node: TreeNode): Promise<Hash> {
    const level = Math.floor(node.level / TILE_HEIGHT);
    const span = 2 ** (node.level % TILE_HEIGHT);
    const first = node.index * span;
    const index = Math.floor(first / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, levelLength(level, this.#size) - index * TILE_WIDTH);
    const path = formatTilePath({ level, index, width });
    const hashes = parseHashTile(await bodyOf(this.#reader, `/${path}`), width);
    const start = first % TILE_WIDTH;
    return rootOf(this.#sha256, hashes.slice(start, start + span));
  }
}
