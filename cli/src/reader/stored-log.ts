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
import { MemoryViews } from '@assay/core/view/state';
import { blobsOf } from '@assay/node/blob/named-blobs';
import type { FolderReader } from '@assay/verifier/reader/folder-reader';

/** What follows from the entries of a data folder at one size, with what they name. */
export interface StoredLog {
  readonly views: MemoryViews;
  /** Every blob that the log names: manifests, pages and texts, timestamps and the headers of blocks, leaves of ticks and studies. */
  readonly blobs: ReadonlySet<HashHex>;
}

/**
 * Reads the first `size` entries of a folder, and passes on each hash tile and entry bundle of that tree once
 * it is complete, those at the right edge last. None is held. Throws `ledger_corrupt` if the entries are
 * missing.
 */
export async function readStoredLog(
  folder: FolderReader,
  sha256: Sha256,
  size: number,
  onTile: (tile: Tile, bytes: Uint8Array) => Promise<void>,
): Promise<StoredLog> {
  let bundle: Uint8Array[] = [];
  const views = new MemoryViews();
  const blobs = new Set<HashHex>();
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
      views.write(foldEntry({ ...known, seq: layout.seq, at: layout.at, log }, views, sha256));
      for (const { hash, role } of blobsOf(known)) {
        if (role === 'manifest') await addBlobs(folder, hash, blobs);
        else blobs.add(hash);
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
  return { views, blobs };
}

async function addBlobs(
  folder: FolderReader,
  manifest: HashHex,
  blobs: Set<HashHex>,
): Promise<void> {
  if (blobs.has(manifest)) return;
  blobs.add(manifest);
  const bytes = await folder.blob(manifest);
  if (bytes === undefined) throw new Fault('blob_missing', 'blob', { expected: manifest });
  for (const each of keptBlobs(parseSnapshot(bytes))) blobs.add(each);
}
