import { entryBody, scanEntry } from '@assay/core/entry';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { keptBlobs, parseSnapshot } from '@assay/core/snapshot';
import {
  formatEntryBundle,
  formatHashTile,
  levelLength,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/tile';
import { TileTree } from '@assay/core/tile-tree';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { FolderReader } from '@assay/verifier/folder-reader';

/** A log read from a data folder at one size, with all that its server would give. */
export interface StoredLog {
  readonly views: MemoryViews;
  /** Every blob that the log names: manifests, pages and texts, timestamps and the headers of blocks, leaves of ticks and studies. */
  readonly blobs: ReadonlySet<HashHex>;
  readonly tile: (tile: Tile) => Uint8Array;
}

/** Reads the first `size` entries of a folder. Throws `ledger_corrupt` where they are not there. */
export async function copyStore(
  folder: FolderReader,
  sha256: Sha256,
  size: number,
): Promise<StoredLog> {
  const entries: Uint8Array[] = [];
  const views = new MemoryViews();
  const blobs = new Set<HashHex>();
  const tree = new TileTree(sha256);
  const full = new Map<string, readonly Hash[]>();
  const parseBody = bodyParser(sha256);
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
      for (const hash of manifestsOf(known)) await addBlobs(folder, hash, blobs);
      if (known.kind === 'tick/1' || known.kind === 'study/1') blobs.add(known.body.blob);
      if (known.kind === 'anchor/1') {
        blobs.add(known.body.proof);
        for (const { following } of known.body.bitcoin) blobs.add(following);
      }
    }
    entries.push(bytes);
    for (const each of tree.append(leaf)) full.set(`${each.level}/${each.index}`, each.hashes);
  }
  if (entries.length !== size) {
    throw new Fault('ledger_corrupt', 'data folder', {
      expected: `${size} entries, as the head guard has it`,
      found: `${entries.length}`,
    });
  }
  return {
    views,
    blobs,
    tile({ level, index, width }) {
      const start = index * TILE_WIDTH;
      if (level === 'entries') return formatEntryBundle(entries.slice(start, start + width));
      const edge = Math.floor(levelLength(level, size) / TILE_WIDTH);
      const hashes = index === edge ? tree.partial(level) : (full.get(`${level}/${index}`) ?? []);
      return formatHashTile(hashes.slice(0, width));
    },
  };
}

function manifestsOf(known: KnownBody): readonly HashHex[] {
  switch (known.kind) {
    case 'report/1':
      return known.body.report.reads.flatMap(({ snapshot }) =>
        snapshot === null ? [] : [snapshot],
      );
    case 'revision/1':
      return [known.body.snapshot];
    default:
      return [];
  }
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
