import { DigestTable } from '@assay/core/bytes/digest-table';
import { parseHex } from '@assay/core/bytes/hex';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { keptBlobs, parseSnapshot } from '@assay/core/read/snapshot';
import {
  formatEntryBundle,
  formatHashTile,
  levelLength,
  MAX_TILE_LEVEL,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { foldEntry } from '@assay/core/view/fold';
import { blobsOf } from '@assay/node/blob/named-blobs';
import type { WalkRows } from '@assay/verifier/log/walk-rows';
import type { FolderReader } from '@assay/verifier/reader/folder-reader';

/** What the entries of a folder become, each part as it is complete. None is held. */
export interface StoredParts {
  /** Takes each hash tile and entry bundle, those at the right edge last. */
  readonly onTile: (tile: Tile, bytes: Uint8Array) => Promise<void>;
  /**
   * Takes each blob that the log names, once: manifests, pages and texts, timestamps and the headers of blocks, leaves of ticks
   * and studies.
   */
  readonly onBlob: (hash: HashHex, bytes: Uint8Array) => Promise<void>;
}

/**
 * Reads the first `size` entries of a folder, folds them into `rows`, and passes on what they become. Throws
 * `ledger_corrupt` if entries are missing, and `blob_missing`.
 */
export async function readStoredLog(
  folder: FolderReader,
  sha256: Sha256,
  size: number,
  rows: WalkRows,
  { onTile, onBlob }: StoredParts,
): Promise<void> {
  let bundle: Uint8Array[] = [];
  let folded = 0;
  const blobs = new NamedBlobs(folder, onBlob);
  const tree = new TileTree(sha256);
  const parseBody = bodyParser(sha256);
  const hashTile = (level: number, index: number, hashes: readonly Hash[]): Promise<void> =>
    onTile({ level, index, width: hashes.length }, formatHashTile(hashes));
  const entryBundle = (): Promise<void> => {
    const entries = bundle;
    bundle = [];
    const index = Math.ceil(tree.size / TILE_WIDTH) - 1;
    return onTile({ level: 'entries', index, width: entries.length }, formatEntryBundle(entries));
  };
  let log: HashHex | undefined;
  for await (const row of folder.rows()) {
    if (row.part !== 'entry' || row.seq >= size) break;
    const { bytes } = row;
    const layout = scanEntry(bytes);
    const leaf = leafHash(sha256, bytes);
    log ??= hashHex(leaf);
    const known = parseBody(layout.kind, entryBody(bytes, layout));
    if (known !== undefined) {
      rows.write(foldEntry({ ...known, seq: layout.seq, at: layout.at, log }, rows, sha256));
      folded += bytes.length;
      await rows.flush(folded);
      for (const { hash, role } of blobsOf(known)) {
        const blob = await blobs.take(hash);
        if (blob === undefined || role !== 'manifest') continue;
        for (const each of keptBlobs(parseSnapshot(blob))) await blobs.take(each);
      }
    }
    bundle.push(bytes);
    for (const { level, index, hashes } of tree.append(leaf)) await hashTile(level, index, hashes);
    if (bundle.length === TILE_WIDTH) await entryBundle();
  }
  if (tree.size !== size) {
    throw new Fault('ledger_corrupt', 'data folder', {
      expected: `${size} entries, as the head guard has it`,
      found: `${tree.size}`,
    });
  }
  if (bundle.length > 0) await entryBundle();
  for (let level = 0; level <= MAX_TILE_LEVEL; level += 1) {
    const hashes = tree.partial(level);
    const index = Math.floor(levelLength(level, size) / TILE_WIDTH);
    if (hashes.length > 0) await hashTile(level, index, hashes);
  }
}

/** Passes on each blob once. */
class NamedBlobs {
  readonly #folder: Pick<FolderReader, 'blob'>;
  readonly #onBlob: StoredParts['onBlob'];
  /** Those that were passed on. A log may name millions. */
  readonly #taken = new DigestTable(0);

  constructor(folder: Pick<FolderReader, 'blob'>, onBlob: StoredParts['onBlob']) {
    this.#folder = folder;
    this.#onBlob = onBlob;
  }

  /** The bytes of a blob; undefined where it was passed on before. Throws `blob_missing`. */
  async take(hash: HashHex): Promise<Uint8Array | undefined> {
    const digest = parseHex(hash, 32);
    if (this.#taken.get(digest) !== undefined) return undefined;
    const bytes = await this.#folder.blob(hash);
    if (bytes === undefined) throw new Fault('blob_missing', 'blob', { expected: hash });
    this.#taken.add(digest, NOTHING);
    await this.#onBlob(hash, bytes);
    return bytes;
  }
}

const NOTHING = new Uint8Array(0);
